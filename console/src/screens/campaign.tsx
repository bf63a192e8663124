import { Alert, Anchor, Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useSearchParams } from 'wouter';
import { ApiError, call } from '../frame/api.ts';
import { CampaignActions } from '../campaigns/campaign-actions.tsx';
import { type Campaign, campaignQuery, stateOf, writable } from '../campaigns/campaign-document.ts';
import { baseText, DefinitionTab } from '../campaigns/definition-tab.tsx';
import { ExplainTab } from '../campaigns/explain-tab.tsx';
import { ResultsTab } from '../campaigns/results-tab.tsx';
import type { CampaignDraft } from '../campaigns/save-campaign.tsx';
import { StateBadge } from '../campaigns/state-badge.tsx';
import { useDraft } from '../parts/drafts/draft.ts';
import { parseObject } from '../parts/editors/json-text.ts';
import { History } from '../history/history.tsx';
import { ManagedNotice } from '../parts/labels/managed-notice.tsx';
import { Schedule } from '../schedule/schedule.tsx';
import { ScreenTabs } from '../parts/screen-tabs.tsx';
import { SavedNotice } from '../parts/drafts/saved.tsx';
import { Loaded, Page } from '../parts/states.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.campaign;
const TABS = ['results', 'definition', 'explain', 'schedule', 'history'] as const;
/** What a new campaign does not have. */
const NOT_NEW: readonly (typeof TABS)[number][] = ['results', 'schedule', 'history'];

/** One campaign, or a new one. Tab, player and measured event are in the address. */
export function CampaignScreen({ params }: { params: Readonly<Record<string, string | undefined>> }) {
  const { scope } = usePlace();
  const id = params['id'] === undefined ? undefined : decodeURIComponent(params['id']);
  const found = useQuery({
    queryKey: campaignQuery(scope, id ?? ''),
    queryFn: ({ signal }) => call(scope, 'GET /v1/campaigns/campaigns/{id}', { path: { id: id ?? '' }, signal }),
    enabled: id !== undefined,
    refetchOnWindowFocus: false,
  });
  if (id === undefined) return <Parts id={undefined} campaign={undefined} />;
  const isGone = found.error instanceof ApiError && found.error.status === 404;
  if (isGone) return <Parts id={id} campaign={undefined} />;
  if (found.data === undefined) {
    return (
      <Page title={TEXTS.campaigns.title}>
        <Loaded query={found}>{() => null}</Loaded>
      </Page>
    );
  }
  // The key makes drafts of another campaign begin anew.
  return <Parts key={id} id={id} campaign={found.data} />;
}

/** @param id with no campaign: one that was archived; undefined: a new one */
function Parts({ id, campaign }: { id: string | undefined; campaign: Campaign | undefined }) {
  const { scope, mayEdit } = usePlace();
  const [, navigate] = useLocation();
  const [search, setSearch] = useSearchParams();
  const [draft, setDraft] = useDraft<CampaignDraft['base'], string>(
    `campaign ${scope.game} ${scope.environment} ${id ?? 'new'}`,
  );
  // Changes are based on the version that they began with, also after a reload.
  const base = draft?.base ?? campaign;
  const home = `/${scope.game}/${scope.environment}/campaigns`;
  const isNew = id === undefined;
  const isGone = !isNew && campaign === undefined;
  const tabs = TABS.filter((each) => (isNew ? !NOT_NEW.includes(each) : !isGone || each === 'results'));
  const tab = tabs.find((each) => each === search.get('tab')) ?? (isNew ? 'definition' : 'results');
  const set = (entries: Readonly<Record<string, string>>): void =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      for (const [name, value] of Object.entries(entries)) {
        if (value === '') next.delete(name);
        else next.set(name, value);
      }
      return next;
    });
  const document = parseObject(draft?.edited ?? baseText(base)) ?? (base === undefined ? {} : writable(base));
  const onSaved = (next: Campaign): void => {
    if (isNew) navigate(`${home}/${encodeURIComponent(next.campaign_id)}?tab=definition`);
  };
  return (
    <Page
      title={campaign?.name ?? (isGone ? id : texts.newTitle)}
      intro={
        <Anchor component={Link} href={home} underline="always">
          {texts.back}
        </Anchor>
      }
      actions={
        campaign === undefined ? null : (
          <>
            <StateBadge state={stateOf(campaign, Date.now())} />
            <Badge variant="default" tt="none">
              {texts.version(campaign.version)}
            </Badge>
            {mayEdit ? <CampaignActions campaign={campaign} hasDraft={draft !== undefined} /> : null}
          </>
        )
      }
    >
      {isGone ? (
        <Alert color="yellow" variant="outline">
          {texts.gone}
        </Alert>
      ) : null}
      {campaign !== undefined && mayEdit ? <ManagedNotice of={campaign} /> : null}
      {id === undefined ? null : <SavedNotice place={campaignQuery(scope, id)} version={campaign?.version} />}
      <ScreenTabs
        label={texts.tabsLabel}
        tabs={tabs}
        titles={texts.tabs}
        open={tab}
        onOpen={(next) => set({ tab: next })}
      >
        {(open) => {
          switch (open) {
            case 'results':
              return id === undefined ? null : (
                <ResultsTab
                  id={id}
                  event={search.get('event') ?? ''}
                  hours={search.get('hours') ?? ''}
                  onChoose={(event, hours) => set({ event, hours })}
                />
              );
            case 'definition':
              return <DefinitionTab base={base} draft={draft} setDraft={setDraft} onSaved={onSaved} />;
            case 'schedule':
              return campaign === undefined ? null : (
                <Schedule
                  of="campaign"
                  id={campaign.campaign_id}
                  version={campaign.version}
                  enabled={campaign.enabled}
                  renews={[['campaign'], ['all campaigns']]}
                />
              );
            case 'history':
              return campaign === undefined ? null : (
                <History
                  base="/v1/campaigns/campaigns/{id}"
                  path={{ id: campaign.campaign_id }}
                  version={campaign.version}
                  mayRestore={mayEdit && draft === undefined}
                  renews={[['campaign'], ['all campaigns']]}
                  place={campaignQuery(scope, campaign.campaign_id)}
                />
              );
            case 'explain':
              return (
                <ExplainTab
                  document={document}
                  id={draft === undefined ? id : undefined}
                  player={search.get('player') ?? ''}
                  onPlayer={(player) => set({ player })}
                />
              );
          }
        }}
      </ScreenTabs>
    </Page>
  );
}
