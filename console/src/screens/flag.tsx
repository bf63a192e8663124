import { Alert, Anchor, Group, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { type Flag as FlagDocument, flagQuery, useFlag, useFlagUsage } from '../definitions.ts';
import { FlagExperiments } from '../experiments/flag-experiments.tsx';
import { bodyOf, contentOf, type EditedFlag, editedOf } from '../flags/edited-flag.ts';
import { FlagActions } from '../flags/flag-actions.tsx';
import { FlagEditor } from '../flags/flag-editor.tsx';
import { ExposureChart } from '../flags/exposure-chart.tsx';
import { OverriddenPlayers } from '../flags/overrides/overridden-players.tsx';
import { OverrideForm } from '../flags/overrides/override-form.tsx';
import { Playground } from '../flags/playground.tsx';
import { SaveFlag } from '../flags/save-flag.tsx';
import { isSplit } from '../flags/split.ts';
import { useTab } from '../parts/address.ts';
import { DraftBar } from '../parts/drafts/draft-bar.tsx';
import { useDraft } from '../parts/drafts/draft.ts';
import { ManagedNotice } from '../parts/labels/managed-notice.tsx';
import { BackTo, isMissing, NotThere } from '../parts/not-there.tsx';
import { SavedNotice } from '../parts/drafts/saved.tsx';
import { History } from '../history/history.tsx';
import { SaveLater } from '../schedule/save-later.tsx';
import { Schedule } from '../schedule/schedule.tsx';
import { ScreenTabs } from '../parts/screen-tabs.tsx';
import { Loaded, Page } from '../parts/states.tsx';
import { Json, Time } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.flag;
const TABS = ['rules', 'playground', 'overrides', 'use', 'schedule', 'history', 'json'] as const;

/** One flag: its rules, why players get what they get, overrides and use. */
export function Flag({ params }: { params: Readonly<Record<string, string | undefined>> }) {
  const key = params['key'] ?? '';
  const query = useFlag(key);
  if (isMissing(query.error)) return <NoFlag flagKey={key} />;
  if (query.data !== undefined) return <FlagScreen key={query.data.key} flag={query.data} />;
  return (
    <Page title={key}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

/** A flag that is not there: it may be archived. */
export function NoFlag({ flagKey }: { flagKey: string }) {
  const { scope } = usePlace();
  const base = `/${scope.game}/${scope.environment}/flags`;
  return (
    <NotThere title={flagKey} what={texts.missing} help={texts.missingHelp}>
      <BackTo href={base}>{texts.back}</BackTo>
      <BackTo href={`${base}?show=archived`}>{texts.backToArchived}</BackTo>
    </NotThere>
  );
}

function FlagScreen({ flag }: { flag: FlagDocument }) {
  const { scope, mayEdit } = usePlace();
  const [draft, setDraft] = useDraft<FlagDocument, EditedFlag>(`flag ${scope.game} ${scope.environment} ${flag.key}`);
  const [tab, setTab] = useTab(TABS);
  const edited = draft?.edited ?? editedOf(flag);
  const change = (part: Partial<EditedFlag>): void =>
    setDraft({ base: draft?.base ?? flag, edited: { ...edited, ...part } });
  const body = draft === undefined ? contentOf(flag) : bodyOf(edited);
  const base = `/${scope.game}/${scope.environment}`;
  return (
    <Page
      title={flag.key}
      intro={flag.name === flag.key ? undefined : flag.name}
      actions={<FlagActions flag={flag} hasDraft={draft !== undefined} />}
    >
      <Group gap="lg">
        <UsedAt flagKey={flag.key} />
        {isSplit(flag) ? (
          <Anchor component={Link} href={`${base}/flags/${encodeURIComponent(flag.key)}/results`} underline="always">
            {texts.results}
          </Anchor>
        ) : null}
        {mayEdit ? (
          <Anchor component={Link} href={`${base}/experiments?new=${encodeURIComponent(flag.key)}`} underline="always">
            {TEXTS.experiment.create}
          </Anchor>
        ) : null}
      </Group>
      <FlagExperiments flagKey={flag.key} />
      {mayEdit ? (
        <ManagedNotice of={flag} />
      ) : (
        <Alert color="gray" variant="outline" title={TEXTS.viewOnly('editor')} />
      )}
      {draft === undefined ? null : (
        <DraftBar onDiscard={() => setDraft(undefined)}>
          <SaveFlag draft={draft} body={body} setDraft={setDraft} />
          <SaveLater
            of="flag"
            id={flag.key}
            before={contentOf(draft.base)}
            body={body}
            onPlanned={() => setDraft(undefined)}
          />
        </DraftBar>
      )}
      <SavedNotice place={flagQuery(scope, flag.key)} version={flag.version} />
      <ScreenTabs label={texts.tabsLabel} tabs={TABS} titles={texts.tabs} open={tab} onOpen={setTab}>
        {(open) => {
          switch (open) {
            case 'rules':
              return <FlagEditor type={flag.flag_type} edited={edited} onChange={change} readOnly={!mayEdit} />;
            case 'playground':
              return <Playground flagKey={flag.key} hasDraft={draft !== undefined} />;
            case 'overrides':
              return (
                <Stack>
                  <OverrideForm flag={flag} />
                  <OverriddenPlayers flagKey={flag.key} />
                </Stack>
              );
            case 'use':
              return <ExposureChart flagKey={flag.key} />;
            case 'schedule':
              return (
                <Schedule
                  of="flag"
                  id={flag.key}
                  version={flag.version}
                  enabled={flag.enabled}
                  rules={flag.targeting_rules}
                  renews={[['flag'], ['all flags']]}
                />
              );
            case 'history':
              return (
                <History
                  base="/v1/flags/flags/{key}"
                  path={{ key: flag.key }}
                  version={flag.version}
                  mayRestore={mayEdit && draft === undefined}
                  renews={[['flag'], ['all flags']]}
                  place={flagQuery(scope, flag.key)}
                />
              );
            case 'json':
              return <Json value={body ?? flag} label={texts.tabs.json} />;
          }
        }}
      </ScreenTabs>
    </Page>
  );
}

function UsedAt({ flagKey }: { flagKey: string }) {
  const { data } = useFlagUsage();
  const usage = data?.flags.find(({ key }) => key === flagKey);
  if (usage === undefined) return null;
  return (
    <>
      <span>
        {texts.lastUsed} <Time at={usage.last_evaluated_at} />
      </span>
      <span>
        {texts.lastExposed} <Time at={usage.last_exposed_at} />
      </span>
    </>
  );
}
