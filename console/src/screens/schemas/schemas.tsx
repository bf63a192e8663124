import { Anchor, Badge, Button, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type AnswerOf, call } from '../../frame/api.ts';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { NamedLink } from '../../parts/named-link.tsx';
import { Empty, Loaded, Page } from '../../parts/states.tsx';
import { number, Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.schemas;
const REFRESH_MS = 15_000;

export type EventSchema = AnswerOf<'GET /v1/events/schemas'>['schemas'][number];
type SchemaFault = AnswerOf<'GET /v1/events/schema-faults'>['faults'][number];

/** The event schemas with their modes, and what breaks them most. */
export function Schemas() {
  const { scope, mayEdit } = usePlace();
  const { game, environment } = scope;
  const base = `/${game}/${environment}/schemas`;
  const schemas = useQuery({
    queryKey: ['schemas', game, environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/events/schemas', { query: { limit: 500 }, signal }),
  });
  const faults = useQuery({
    queryKey: ['schema-faults', game, environment, 7],
    queryFn: ({ signal }) => call(scope, 'GET /v1/events/schema-faults', { query: { days: 7 }, signal }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={
        <>
          <Button component={Link} href={`${base}/quarantine`} variant="default">
            {texts.toQuarantine}
          </Button>
          <Button component={Link} href={`/${game}/${environment}/dictionary`} variant="default">
            {texts.toDictionary}
          </Button>
          {mayEdit ? (
            <Button component={Link} href={`${base}/new`}>
              {texts.create}
            </Button>
          ) : null}
        </>
      }
    >
      <Loaded query={schemas}>
        {({ schemas: all }) => (
          <DataTable
            label={texts.title}
            columns={schemaColumns(base, faults.data?.faults ?? [])}
            rows={all}
            keyOf={({ event_name: name }) => name}
            empty={<Empty title={texts.none}>{texts.noneHelp}</Empty>}
          />
        )}
      </Loaded>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {texts.topFaults}
        </Title>
        <Loaded query={faults} rows={3}>
          {({ faults: found }) => (
            <DataTable
              label={texts.topFaults}
              columns={faultColumns(base)}
              rows={found}
              keyOf={({ event_name: name, fault, quarantined }) => `${name} ${fault} ${String(quarantined)}`}
              empty={<Text c="dimmed">{texts.noFaults}</Text>}
            />
          )}
        </Loaded>
      </Stack>
    </Page>
  );
}

function schemaColumns(base: string, faults: readonly SchemaFault[]): Column<EventSchema>[] {
  const faultyOf = ({ event_name: name }: EventSchema): number =>
    faults.filter((fault) => fault.event_name === name).reduce((sum, { events }) => sum + events, 0);
  return [
    {
      id: 'name',
      label: texts.columns.name,
      sortBy: ({ event_name: name }) => name,
      cell: ({ event_name: name, description }) => (
        <NamedLink href={`${base}/of/${encodeURIComponent(name)}`} name={name} below={description} />
      ),
    },
    {
      id: 'mode',
      label: texts.columns.mode,
      sortBy: ({ mode }) => mode,
      cell: ({ mode }) => (
        <Badge variant="outline" color={mode === 'enforce' ? 'orange' : 'gray'} tt="none">
          {texts.modes[mode]}
        </Badge>
      ),
    },
    { id: 'version', label: texts.columns.version, align: 'right', cell: ({ version }) => version },
    {
      id: 'faults',
      label: texts.columns.faults,
      align: 'right',
      sortBy: faultyOf,
      cell: (schema) => number(faultyOf(schema)),
    },
    {
      id: 'updated',
      label: texts.columns.updated,
      sortBy: ({ updated_at: at }) => at,
      cell: ({ updated_at: at }) => <Time at={at} />,
    },
  ];
}

function faultColumns(base: string): Column<SchemaFault>[] {
  return [
    {
      id: 'name',
      label: texts.faultColumns.name,
      sortBy: ({ event_name: name }) => name,
      cell: ({ event_name: name }) => (
        <Anchor component={Link} href={`${base}/of/${encodeURIComponent(name)}`}>
          {name}
        </Anchor>
      ),
    },
    { id: 'fault', label: texts.faultColumns.fault, cell: ({ fault }) => <span className="mono">{fault}</span> },
    {
      id: 'where',
      label: texts.faultColumns.where,
      cell: ({ quarantined, event_name: name }) =>
        quarantined ? (
          <Anchor component={Link} href={`${base}/quarantine?event=${encodeURIComponent(name)}`}>
            {texts.inQuarantine}
          </Anchor>
        ) : (
          texts.accepted
        ),
    },
    {
      id: 'events',
      label: texts.faultColumns.events,
      align: 'right',
      sortBy: ({ events }) => events,
      cell: ({ events }) => number(events),
    },
    {
      id: 'players',
      label: texts.faultColumns.players,
      align: 'right',
      sortBy: ({ players }) => players,
      cell: ({ players }) => number(players),
    },
    {
      id: 'last',
      label: texts.faultColumns.last,
      sortBy: ({ last_seen_at: at }) => at,
      cell: ({ last_seen_at: at }) => <Time at={at} />,
    },
  ];
}
