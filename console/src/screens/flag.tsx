import { Alert, Anchor, Button, Group, Tabs } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { type Flag as FlagDocument, useFlag, useFlagUsage } from '../flags/definitions.ts';
import { bodyOf, contentOf, type EditedFlag, editedOf } from '../flags/edited-flag.ts';
import { FlagActions } from '../flags/flag-actions.tsx';
import { FlagEditor } from '../flags/flag-editor.tsx';
import { ExposureChart } from '../flags/exposure-chart.tsx';
import { OverrideForm } from '../flags/override-form.tsx';
import { Playground } from '../flags/playground.tsx';
import { SaveFlag } from '../flags/save-flag.tsx';
import { isSplit } from '../flags/staleness.ts';
import { useDraft } from '../parts/draft.ts';
import { Loaded, Page } from '../parts/states.tsx';
import { Json, Time } from '../parts/values.tsx';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.flag;
const TABS = ['rules', 'playground', 'overrides', 'use', 'json'] as const;

/** One flag: its rules, why players get what they get, overrides and use. */
export function Flag({ params }: { params: Readonly<Record<string, string | undefined>> }) {
  const key = params['key'] ?? '';
  const query = useFlag(key);
  if (query.data !== undefined) return <FlagScreen key={query.data.key} flag={query.data} />;
  return (
    <Page title={key}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

function FlagScreen({ flag }: { flag: FlagDocument }) {
  const { scope, mayEdit } = usePlace();
  const [params, setParams] = useSearchParams();
  const [draft, setDraft] = useDraft<FlagDocument, EditedFlag>(`flag ${scope.game} ${scope.environment} ${flag.key}`);
  const tab = TABS.find((each) => each === params.get('tab')) ?? 'rules';
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
          <Anchor component={Link} href={`${base}/experiments/${encodeURIComponent(flag.key)}`} underline="always">
            {texts.results}
          </Anchor>
        ) : null}
      </Group>
      {mayEdit ? null : <Alert color="gray" variant="outline" title={TEXTS.viewOnly('editor')} />}
      {draft === undefined ? null : (
        <Alert color="yellow" variant="outline" title={texts.draft} role="status">
          <Group>
            <SaveFlag flag={flag} draft={draft} body={body} setDraft={setDraft} />
            <Button variant="default" size="xs" onClick={() => setDraft(undefined)}>
              {texts.discard}
            </Button>
          </Group>
        </Alert>
      )}
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) =>
          setParams((before) => {
            before.set('tab', next ?? 'rules');
            return before;
          })
        }
      >
        <Tabs.List mb="md">
          {TABS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {texts.tabs[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="rules">
          <FlagEditor type={flag.flag_type} edited={edited} onChange={change} readOnly={!mayEdit} />
        </Tabs.Panel>
        <Tabs.Panel value="playground">
          <Playground flagKey={flag.key} hasDraft={draft !== undefined} />
        </Tabs.Panel>
        <Tabs.Panel value="overrides">
          <OverrideForm flag={flag} />
        </Tabs.Panel>
        <Tabs.Panel value="use">
          <ExposureChart flagKey={flag.key} />
        </Tabs.Panel>
        <Tabs.Panel value="json">
          <Json value={body ?? flag} label={texts.tabs.json} />
        </Tabs.Panel>
      </Tabs>
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
