import { Anchor, Badge, Button, Group, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { call, type Scope } from '../../frame/api.ts';
import { type Entry, nameOf, screenOf } from '../../audit/entry.ts';
import { useKeys } from '../../audit/use-keys.ts';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { Diff } from '../../parts/drafts/diff.tsx';
import { Side } from '../../parts/lists/side.tsx';
import { Empty, Loaded, OnlyAdmins, Page } from '../../parts/states.tsx';
import { Json, Time } from '../../parts/lists/values.tsx';
import { isDeploymentAdmin, usePlace, useSession, useZone } from '../../frame/session.tsx';
import { momentOf } from '../../parts/zoned-time.ts';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.audit;
const FILTER_DELAY_MS = 400;

/** The filters of the address. */
interface Filters {
  kind: string;
  actor: string;
  key: string;
  from: string;
  to: string;
  outcome: string;
  of: string;
}
const NAMES = ['kind', 'actor', 'key', 'from', 'to', 'outcome', 'of'] as const satisfies readonly (keyof Filters)[];

/** Who changed what. */
export function Audit() {
  const { scope, isAdmin } = usePlace();
  const { session } = useSession();
  const [filters, change, clear] = useFilters();
  const [settled] = useDebouncedValue(filters, FILTER_DELAY_MS);
  const [open, setOpen] = useState<Entry | undefined>();
  const everything = session.kind === 'signed_in' && isDeploymentAdmin(session.me);
  const entries = useEntries(scope, settled, isAdmin);
  if (!isAdmin) return <OnlyAdmins title={texts.title} why={texts.onlyAdmins} />;
  return (
    <Page title={texts.title} intro={texts.intro}>
      <FilterRow filters={filters} change={change} clear={clear} everything={everything} />
      <Loaded query={entries}>
        {({ pages }) => (
          <DataTable
            label={texts.label}
            columns={columns(setOpen)}
            rows={pages.flatMap((page) => page.entries)}
            keyOf={({ id }) => id}
            more={{
              isThere: entries.hasNextPage,
              isLoading: entries.isFetchingNextPage,
              load: () => void entries.fetchNextPage(),
            }}
            empty={<Empty title={texts.empty}>{texts.emptyHelp}</Empty>}
          />
        )}
      </Loaded>
      <Side
        opened={open !== undefined}
        onClose={() => setOpen(undefined)}
        size="xl"
        title={open === undefined ? '' : texts.entry(open.kind.replaceAll('_', ' '), nameOf(open) ?? open.key)}
      >
        {open === undefined ? null : <Details entry={open} scope={scope} />}
      </Side>
    </Page>
  );
}

/** The filters of the address, which others can open. Texts are typed first and written into it afterwards. */
function useFilters(): [Filters, (changed: Partial<Filters>) => void, () => void] {
  const [params, setParams] = useSearchParams();
  const [filters, setFilters] = useState(() => filtersOf(params));
  useEffect(() => {
    setParams(
      () => {
        const next = new URLSearchParams();
        for (const name of NAMES) if (filters[name] !== '') next.set(name, filters[name]);
        return next;
      },
      { replace: true },
    );
  }, [filters, setParams]);
  const none: Filters = { kind: '', actor: '', key: '', from: '', to: '', outcome: '', of: '' };
  return [filters, (changed) => setFilters((held) => ({ ...held, ...changed })), () => setFilters(none)];
}

function filtersOf(params: URLSearchParams): Filters {
  const of = (name: keyof Filters): string => params.get(name) ?? '';
  return {
    kind: of('kind'),
    actor: of('actor'),
    key: of('key'),
    from: of('from'),
    to: of('to'),
    outcome: of('outcome'),
    of: of('of'),
  };
}

function useEntries(scope: Scope, filters: Filters, enabled: boolean) {
  const zone = useZone();
  const { of, from, to, ...rest } = filters;
  return useInfiniteQuery({
    queryKey: ['audit', scope.game, scope.environment, filters, zone],
    enabled,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = { ...rest, from: timeOf(zone, from), to: timeOf(zone, to), limit: 50, cursor: pageParam };
      return of === 'deployment'
        ? call(undefined, 'GET /v1/console/audit', { query, signal })
        : call(scope, 'GET /v1/audit', { query, signal });
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** A time of the field, which has no zone, as the API takes it. */
function timeOf(zone: string, text: string): string {
  const ms = momentOf(zone, text);
  return ms === undefined ? '' : new Date(ms).toISOString();
}

interface FilterRowProps {
  filters: Filters;
  change: (changed: Partial<Filters>) => void;
  clear: () => void;
  everything: boolean;
}

function FilterRow({ filters, change, clear, everything }: FilterRowProps) {
  const zone = useZone();
  const kinds = Object.entries(texts.kinds).map(([value, label]) => ({ value, label }));
  return (
    <Group align="flex-end">
      {everything ? (
        <NativeSelect
          label={texts.scope}
          value={filters.of}
          data={[
            { value: '', label: texts.ofGame },
            { value: 'deployment', label: texts.ofDeployment },
          ]}
          onChange={(event) => change({ of: event.currentTarget.value })}
        />
      ) : null}
      <NativeSelect
        label={texts.kind}
        value={filters.kind}
        data={[{ value: '', label: texts.anyKind }, ...kinds]}
        onChange={(event) => change({ kind: event.currentTarget.value })}
      />
      <TextInput
        label={texts.actor}
        placeholder={texts.actorHelp}
        value={filters.actor}
        onChange={(event) => change({ actor: event.currentTarget.value.trim() })}
      />
      <TextInput
        label={texts.thing}
        value={filters.key}
        onChange={(event) => change({ key: event.currentTarget.value.trim() })}
      />
      <TextInput
        label={texts.from(zone)}
        type="datetime-local"
        value={filters.from}
        onChange={(event) => change({ from: event.currentTarget.value })}
      />
      <TextInput
        label={texts.to(zone)}
        type="datetime-local"
        value={filters.to}
        onChange={(event) => change({ to: event.currentTarget.value })}
      />
      <Switch
        className="beside-fields"
        label={texts.refused}
        checked={filters.outcome === 'refused'}
        onChange={(event) => change({ outcome: event.currentTarget.checked ? 'refused' : '' })}
      />
      <Button variant="default" onClick={clear}>
        {texts.clear}
      </Button>
    </Group>
  );
}

function columns(open: (entry: Entry) => void): Column<Entry>[] {
  return [
    { id: 'at', label: texts.at, cell: ({ at }) => <Time at={at} /> },
    { id: 'who', label: texts.who, cell: ({ actor }) => <Who actor={actor} /> },
    {
      id: 'what',
      label: texts.what,
      cell: (entry) => (
        <>
          <Badge variant="default" tt="none" miw="max-content">
            {entry.action.replaceAll('_', ' ')}
          </Badge>{' '}
          {entry.kind.replaceAll('_', ' ')} <Thing entry={entry} />
        </>
      ),
    },
    { id: 'result', label: texts.result, cell: ({ outcome }) => <Outcome outcome={outcome} /> },
    {
      id: 'change',
      label: texts.change,
      cell: (entry) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={texts.show(entry.action, entry.key)}
          onClick={() => open(entry)}
        >
          {texts.open}
        </Button>
      ),
    },
  ];
}

/** The name of the thing, with its id where that is another text. */
function Thing({ entry }: { entry: Entry }) {
  const name = nameOf(entry);
  if (name === undefined) return <span className="mono">{entry.key}</span>;
  return (
    <>
      <b className="break-anywhere">{name}</b>
      <Text span display="block" size="xs" c="dimmed" className="mono">
        {entry.key}
      </Text>
    </>
  );
}

function Who({ actor }: { actor: Entry['actor'] }) {
  const keys = useKeys();
  const key = keys.data?.keys.find(({ id }) => id === actor.id);
  const hint = key === undefined ? undefined : key.name || key.hint;
  const kind = texts.actors[actor.kind];
  return (
    <>
      {actor.email ?? (hint === undefined ? actor.id : <span title={actor.id}>{hint}</span>)}{' '}
      <Text span size="xs" c="dimmed">
        {kind}
      </Text>
    </>
  );
}

const COLORS = { stored: 'green', refused: 'gray', unknown: 'orange', begun: 'orange' } as const;

function Outcome({ outcome }: { outcome: Entry['outcome'] }) {
  return (
    <Badge color={COLORS[outcome]} variant="outline" tt="none" miw="max-content">
      {texts.outcomes[outcome]}
    </Badge>
  );
}

function Details({ entry, scope }: { entry: Entry; scope: Scope }) {
  const { before, after } = entry;
  const link = screenOf(entry);
  const isShortened = [before, after].some((side) => JSON.stringify(side).includes('$left_out_bytes'));
  return (
    <Stack>
      <dl className="facts">
        <dt>{texts.at}</dt>
        <dd>
          <Time at={entry.at} />
        </dd>
        <dt>{texts.who}</dt>
        <dd>
          <Who actor={entry.actor} />
        </dd>
        <dt>{texts.network}</dt>
        <dd className="mono">{entry.actor.network}</dd>
        <dt>{texts.id}</dt>
        <dd className="mono">{entry.key}</dd>
        <dt>{texts.environment}</dt>
        <dd>{entry.environment ?? texts.both}</dd>
        <dt>{texts.result}</dt>
        <dd>
          <Outcome outcome={entry.outcome} />
        </dd>
        {entry.player_id === null ? null : (
          <>
            <dt>{texts.player}</dt>
            <dd className="mono">{entry.player_id}</dd>
          </>
        )}
      </dl>
      {link === undefined ? null : (
        <Anchor component={Link} href={`/${scope.game}/${entry.environment ?? scope.environment}/${link}`}>
          {texts.goTo}
        </Anchor>
      )}
      {isShortened ? <Text size="sm">{texts.shortened}</Text> : null}
      {before !== null && after !== null ? <Diff before={before} after={after} /> : null}
      {before !== null && after === null ? <Json value={before} label={texts.change} /> : null}
      {before === null && after !== null ? <Json value={after} label={texts.change} /> : null}
      {before === null && after === null ? <Text c="dimmed">{texts.noContents}</Text> : null}
    </Stack>
  );
}
