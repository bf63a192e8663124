import { Button, Group, NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../frame/api.ts';
import { type Flag, type FlagUsage, useFlags, useFlagUsage } from '../definitions.ts';
import { SwitchBadge } from '../parts/editors/switch-badge.tsx';
import { RuleCounts } from '../flags/rule-counts.tsx';
import { StaleBadge } from '../flags/stale-badge.tsx';
import { useAddressField } from '../parts/address.ts';
import { ConfirmButton } from '../parts/editors/confirm-button.tsx';
import { useOptimistic } from '../parts/optimistic.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { Dialog } from '../parts/editors/dialog.tsx';
import { isFound, NO_LABELS } from '../parts/labels/labels.ts';
import { TagFilter } from '../parts/labels/tag-filter.tsx';
import { NamedLink } from '../parts/named-link.tsx';
import { Empty, Fault, Loaded, Page } from '../parts/states.tsx';
import { number, Time } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.flags;
const SHOWS = ['active', 'stale', 'archived'] as const;
type Show = (typeof SHOWS)[number];

/** A flag of the list; an archived one has a key and its use only. */
interface Row {
  key: string;
  flag: Flag | undefined;
  usage: FlagUsage | undefined;
}

/** All flags, with when they were last used. What is shown is in the address. */
export function Flags() {
  const { mayEdit } = usePlace();
  const [search, setSearch] = useAddressField('q');
  const [tag] = useAddressField('tag');
  const [wanted, setShow] = useAddressField('show');
  const [order, setOrder] = useAddressField('order');
  const [adding, setAdding] = useState(false);
  const flags = useFlags();
  const usage = useFlagUsage();
  const show = SHOWS.find((each) => each === wanted) ?? 'active';
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={mayEdit ? <Button onClick={() => setAdding(true)}>{texts.add}</Button> : null}
    >
      <Group align="flex-end">
        <TextInput
          label={TEXTS.table.filter}
          placeholder={texts.filterHelp}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <TagFilter of={flags.data ?? []} />
        <SegmentedControl
          aria-label={texts.show}
          value={show}
          data={SHOWS.map((each) => ({ value: each, label: texts.shows[each] }))}
          onChange={(value) => setShow(value === 'active' ? '' : value)}
        />
      </Group>
      {usage.error === null ? null : <Fault error={usage.error} onRetry={() => void usage.refetch()} />}
      <Loaded query={flags}>
        {(found) => {
          const rows = rowsOf(found, usage.data?.flags ?? []);
          if (rows.length === 0) return <Empty title={texts.empty}>{texts.emptyHelp}</Empty>;
          return (
            <DataTable
              label={texts.title}
              columns={show === 'archived' ? [...COLUMNS.slice(0, 1), ...ARCHIVED] : COLUMNS}
              rows={rows.filter((row) => isShown(row, show) && isWanted(row, search, tag))}
              keyOf={({ key }) => key}
              order={order}
              onOrder={setOrder}
            />
          );
        }}
      </Loaded>
      {adding ? <NewFlag onClose={() => setAdding(false)} /> : null}
    </Page>
  );
}

function rowsOf(flags: readonly Flag[], usages: readonly FlagUsage[]): Row[] {
  const byKey = new Map(usages.map((usage) => [usage.key, usage]));
  const there = flags.map((flag): Row => ({ key: flag.key, flag, usage: byKey.get(flag.key) }));
  const archived = usages.filter(({ archived_at: at }) => at !== null);
  return [...there, ...archived.map((usage) => ({ key: usage.key, flag: undefined, usage }))];
}

function isShown({ flag }: Row, show: Show): boolean {
  if (show === 'archived') return flag === undefined;
  return flag !== undefined && (show === 'active' || (flag.stale ?? null) !== null);
}

/** An archived flag has a key only. */
const isWanted = ({ key, flag }: Row, search: string, tag: string): boolean =>
  isFound(flag ?? { ...NO_LABELS, key, name: '' }, search, tag);

function KeyCell({ row: { key, flag } }: { row: Row }) {
  const { scope } = usePlace();
  if (flag === undefined) return <span className="mono">{key}</span>;
  return (
    <>
      <NamedLink href={`/${scope.game}/${scope.environment}/flags/${encodeURIComponent(key)}`} name={key} />{' '}
      <StaleBadge stale={flag.stale} />
      {flag.name === key ? null : (
        <Text size="xs" c="dimmed">
          {flag.name}
        </Text>
      )}
    </>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { id: 'key', label: texts.columns.key, sortBy: ({ key }) => key, cell: (row) => <KeyCell row={row} /> },
  {
    id: 'state',
    label: texts.columns.state,
    sortBy: ({ flag }) => (flag?.enabled === true ? 0 : 1),
    cell: ({ flag }) => <SwitchBadge enabled={flag?.enabled === true} />,
  },
  {
    id: 'type',
    label: texts.columns.type,
    sortBy: ({ flag }) => flag?.flag_type,
    cell: ({ flag }) => (flag === undefined ? null : texts.types[flag.flag_type]),
  },
  {
    id: 'owner',
    label: TEXTS.labels.owner,
    sortBy: ({ flag }) => flag?.owner,
    cell: ({ flag }) => flag?.owner,
  },
  {
    id: 'evaluated',
    label: texts.columns.evaluated,
    sortBy: ({ usage }) => usage?.last_evaluated_at,
    cell: ({ usage }) => (usage === undefined ? null : <Time at={usage.last_evaluated_at} />),
  },
  {
    id: 'exposed',
    label: texts.columns.exposed,
    sortBy: ({ usage }) => usage?.last_exposed_at,
    cell: ({ usage }) => (usage === undefined ? null : <Time at={usage.last_exposed_at} />),
  },
  {
    id: 'exposures',
    label: texts.columns.exposures,
    align: 'right',
    sortBy: ({ usage }) => usage?.exposures,
    cell: ({ usage }) => (usage === undefined ? null : number(usage.exposures)),
  },
  {
    id: 'updated',
    label: texts.columns.updated,
    sortBy: ({ flag }) => flag?.updated_at,
    cell: ({ flag }) => (flag === undefined ? null : <Time at={flag.updated_at} />),
  },
];

const ARCHIVED: readonly Column<Row>[] = [
  {
    id: 'archived',
    label: texts.columns.archived,
    sortBy: ({ usage }) => usage?.archived_at,
    cell: ({ usage }) => <Time at={usage?.archived_at} />,
  },
  ...COLUMNS.slice(4, 7),
  { id: 'restore', label: texts.columns.restore, cell: ({ key }) => <Restore flagKey={key} /> },
];

function Restore({ flagKey: key }: { flagKey: string }) {
  const { scope, mayEdit } = usePlace();
  const restore = useOptimistic({
    send: () => call(scope, 'POST /v1/flags/flags/{key}/restore', { path: { key } }),
    patches: () => [],
    renews: [['flag'], ['all flags'], ['archived flag'], ['flag usage']],
    named: () => texts.restoreTitle(key),
  });
  if (!mayEdit) return null;
  return (
    <ConfirmButton
      action={texts.restore}
      title={texts.restoreTitle(key)}
      busy={restore.isPending}
      onConfirm={(close) => restore.mutate(undefined, { onSettled: close })}
    >
      <Text>{texts.restoreHelp}</Text>
      <ArchivedCounts flagKey={key} />
    </ConfirmButton>
  );
}

/** Whom the rules of an archived flag would concern again. */
function ArchivedCounts({ flagKey: key }: { flagKey: string }) {
  const { scope } = usePlace();
  const { data, error } = useQuery({
    queryKey: ['archived flag', scope.game, scope.environment, key],
    queryFn: ({ signal }) =>
      call(scope, 'GET /v1/flags/flags/{key}', { path: { key }, query: { state: 'archived' }, signal }),
  });
  if (error !== null) return <Fault error={error} />;
  return data === undefined ? null : <RuleCounts rules={data.targeting_rules} enabled={data.enabled} />;
}

const TYPES = ['boolean', 'multivariate', 'string', 'number', 'json'] as const satisfies readonly Flag['flag_type'][];

/** The variants of a new flag: the service refuses a flag of these types without any. */
const STARTING = {
  boolean: [],
  multivariate: variantsOf('a', 'b'),
  string: variantsOf('a', 'b'),
  number: variantsOf(0, 1),
  json: variantsOf({}, {}),
} as const;

function variantsOf(first: unknown, second: unknown) {
  return [
    { key: 'a', value: first, weight: 50 },
    { key: 'b', value: second, weight: 50 },
  ];
}

function NewFlag({ onClose }: { onClose: () => void }) {
  const { scope } = usePlace();
  const [, navigate] = useLocation();
  const [key, setKey] = useState('');
  const [type, setType] = useState<Flag['flag_type']>('boolean');
  const create = useMutation({
    mutationFn: () =>
      call(scope, 'POST /v1/flags/flags', {
        body: { key: key.trim(), flag_type: type, enabled: false, variants: STARTING[type] },
      }),
    onSuccess: (flag) => navigate(`/${scope.game}/${scope.environment}/flags/${encodeURIComponent(flag.key)}`),
  });
  return (
    <Dialog opened onClose={onClose} title={texts.newTitle}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Stack>
          <Text size="sm">{texts.newHelp}</Text>
          <TextInput
            label={texts.key}
            value={key}
            data-autofocus
            onChange={(event) => setKey(event.currentTarget.value)}
          />
          <NativeSelect
            label={texts.type}
            value={type}
            data={TYPES.map((each) => ({ value: each, label: texts.types[each] }))}
            onChange={({ currentTarget: { value } }) => setType(TYPES.find((each) => each === value) ?? 'boolean')}
          />
          {create.error === null ? null : <Fault error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {TEXTS.cancel}
            </Button>
            <Button type="submit" loading={create.isPending} disabled={key.trim() === ''}>
              {TEXTS.create}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
