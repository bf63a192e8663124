import { Alert, Anchor, Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { isActive } from '../../../core/vocabulary/documents/experiments.ts';
import type { Experiment } from '../definitions.ts';
import { conditionsFault, experimentQuery, sharesText, writable } from '../experiments/experiment-document.ts';
import { DefinitionForm } from '../experiments/form/definition-form.tsx';
import { SaveExperiment } from '../experiments/form/save-experiment.tsx';
import { LifeActions } from '../experiments/life-actions.tsx';
import { ResultsTab } from '../experiments/results/results-tab.tsx';
import { FlagOff } from '../experiments/ship-choice.tsx';
import { StateBadge } from '../experiments/state-badge.tsx';
import { call } from '../frame/api.ts';
import { usePlace } from '../frame/session.tsx';
import { History } from '../history/history.tsx';
import { useTab } from '../parts/address.ts';
import { type DocumentDraft, DocumentTab } from '../parts/drafts/document-tab.tsx';
import { useDraft } from '../parts/drafts/draft.ts';
import { SavedNotice } from '../parts/drafts/saved.tsx';
import { prettyJson } from '../parts/editors/json-text.ts';
import { ManagedNotice } from '../parts/labels/managed-notice.tsx';
import { Facts } from '../parts/lists/facts.tsx';
import { Time } from '../parts/lists/values.tsx';
import { BackTo, isMissing, NotThere } from '../parts/not-there.tsx';
import { ScreenTabs } from '../parts/screen-tabs.tsx';
import { Loaded, Page } from '../parts/states.tsx';
import { SaveLater } from '../schedule/save-later.tsx';
import { Schedule } from '../schedule/schedule.tsx';
import { TEXTS } from '../texts.ts';
import { ModeBadge, PlannedEnd } from './experiments.tsx';

const texts = TEXTS.experiment;
const TABS = ['results', 'definition', 'schedule', 'history'] as const;
const RENEWS = [['experiment'], ['all experiments']];
/** A guardrail, or a schedule, changes the state by itself. */
const REFRESH_MS = 30_000;

/** One experiment: what it found, what it is, and its life. */
export function ExperimentScreen({ params }: { params: Readonly<Record<string, string | undefined>> }) {
  const { scope } = usePlace();
  const key = params['key'] ?? '';
  const query = useQuery({
    queryKey: experimentQuery(scope, key),
    queryFn: ({ signal }) => call(scope, 'GET /v1/experiments/experiments/{key}', { path: { key }, signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && isActive(state.data) ? REFRESH_MS : false),
  });
  if (isMissing(query.error)) {
    return (
      <NotThere title={key} what={texts.missing} help={texts.missingHelp}>
        <BackTo href={`/${scope.game}/${scope.environment}/experiments`}>{texts.back}</BackTo>
      </NotThere>
    );
  }
  // The key makes drafts of another experiment begin anew.
  if (query.data !== undefined) return <Parts key={query.data.key} experiment={query.data} />;
  return (
    <Page title={key}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

function Parts({ experiment }: { experiment: Experiment }) {
  const { scope, mayEdit } = usePlace();
  const { key, name, version } = experiment;
  const [draft, setDraft] = useDraft<DocumentDraft<Experiment>['base'], string>(
    `experiment ${scope.game} ${scope.environment} ${key}`,
  );
  const [tab, setTab] = useTab(TABS);
  // Changes are based on the version that they began with, also after a reload.
  const base = draft?.base ?? experiment;
  const place = experimentQuery(scope, key);
  return (
    <Page
      title={name}
      intro={name === key ? undefined : key}
      actions={
        <>
          <StateBadge state={experiment.state} />
          {experiment.mode === 'aa' ? <ModeBadge /> : null}
          <Badge variant="default" tt="none">
            {texts.version(version)}
          </Badge>
          {mayEdit ? <LifeActions experiment={experiment} hasDraft={draft !== undefined} /> : null}
        </>
      }
    >
      <ExperimentFacts experiment={experiment} />
      {mayEdit ? (
        <ManagedNotice of={experiment} />
      ) : (
        <Alert color="gray" variant="outline" title={TEXTS.viewOnly('editor')} />
      )}
      <SavedNotice place={place} version={version} />
      <ScreenTabs label={texts.tabsLabel} tabs={TABS} titles={texts.tabs} open={tab} onOpen={setTab}>
        {(open) => {
          switch (open) {
            case 'results':
              return <ResultsTab experiment={experiment} />;
            case 'definition':
              return (
                <DocumentTab
                  label={texts.json}
                  base={base}
                  draft={draft}
                  setDraft={setDraft}
                  before={prettyJson(writable(base))}
                  save={(document, before) => (
                    <>
                      <SaveExperiment base={base} document={document} setDraft={setDraft} />
                      <SaveLater
                        of="experiment"
                        id={key}
                        before={before}
                        body={document !== undefined && conditionsFault(document) === undefined ? document : undefined}
                        onPlanned={() => setDraft(undefined)}
                      />
                    </>
                  )}
                  form={(document, onChange) => (
                    <DefinitionForm held={base} document={document} onChange={onChange} readOnly={!mayEdit} />
                  )}
                />
              );
            case 'schedule':
              return <Schedule of="experiment" id={key} version={version} renews={RENEWS} />;
            case 'history':
              return (
                <History
                  base="/v1/experiments/experiments/{key}"
                  path={{ key }}
                  version={version}
                  mayRestore={mayEdit && draft === undefined}
                  renews={RENEWS}
                  place={place}
                />
              );
          }
        }}
      </ScreenTabs>
    </Page>
  );
}

function ExperimentFacts({ experiment }: { experiment: Experiment }) {
  const { scope } = usePlace();
  const { flag_key: flagKey, shipped, winner } = experiment;
  const phase = experiment.phases.at(-1);
  return (
    <>
      {experiment.hypothesis === '' ? null : <Text className="break-anywhere">{experiment.hypothesis}</Text>}
      <Facts
        items={[
          [
            texts.facts.flag,
            <Anchor
              key="flag"
              component={Link}
              href={`/${scope.game}/${scope.environment}/flags/${encodeURIComponent(flagKey)}`}
              underline="always"
            >
              {flagKey}
            </Anchor>,
          ],
          [texts.facts.traffic, `${experiment.traffic} %`],
          [
            texts.facts.phase,
            phase === undefined
              ? sharesText(experiment.variants)
              : texts.ofPhases(phase.phase, sharesText(phase.variants)),
          ],
          [texts.facts.owner, experiment.owner],
          [texts.facts.started, <Time key="started" at={experiment.started_at} />],
          experiment.stopped_at === null
            ? [texts.facts.ends, <PlannedEnd key="ends" experiment={experiment} nowMs={Date.now()} />]
            : [texts.facts.stopped, <Time key="stopped" at={experiment.stopped_at} />],
          ...(winner === null ? [] : [[texts.facts.winner, winner] as const]),
        ]}
      />
      {shipped === null || winner === null ? null : (
        <Alert
          color="teal"
          variant="outline"
          role="status"
          title={texts.shippedBy(winner, flagKey, shipped.flag_version)}
        />
      )}
      {isActive(experiment) || shipped !== null ? <FlagOff flagKey={flagKey} /> : null}
    </>
  );
}
