import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type AnswerOf, call } from '../../frame/api.ts';
import { useAddressField } from '../../parts/address.ts';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { Side } from '../../parts/lists/side.tsx';
import { Empty, Loaded, Page } from '../../parts/states.tsx';
import { number, Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { ComputedProperties } from './computed-properties.tsx';

const texts = TEXTS.dictionary;
const SENDERS = ['client', 'server', 'service', 'import'] as const;
type Entry = AnswerOf<'GET /v1/events/dictionary'>['events'][number];
type Property = NonNullable<Entry['properties']>[number];

/** Names of events and their properties. The address holds the filter and the open name. */
export function Dictionary() {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const [filter, setFilter] = useAddressField('filter');
  const [open, setOpen] = useAddressField('event');
  const [order, setOrder] = useAddressField('order');
  const names = useQuery({
    queryKey: ['dictionary', game, environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/events/dictionary', { signal }),
  });
  return (
    <Page title={texts.title} intro={texts.intro}>
      <TextInput
        label={texts.filter}
        value={filter}
        maw={360}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      <Loaded query={names} rows={8}>
        {({ events, more }) => (
          <>
            <DataTable
              label={texts.title}
              columns={columnsOf(`/${game}/${environment}/schemas`, setOpen)}
              rows={events.filter(({ event_name: name }) => name.toLowerCase().includes(filter.toLowerCase()))}
              keyOf={({ event_name: name }) => name}
              order={order}
              onOrder={setOrder}
              empty={
                events.length === 0 ? (
                  <Empty title={texts.none}>{texts.noneHelp}</Empty>
                ) : (
                  <Empty title={texts.noMatch} />
                )
              }
            />
            {more ? <Alert color="gray">{texts.more}</Alert> : null}
          </>
        )}
      </Loaded>
      <ComputedProperties />
      <Side opened={open !== ''} onClose={() => setOpen('')} title={texts.properties(open)} size="lg">
        {open === '' ? null : <Properties name={open} />}
      </Side>
    </Page>
  );
}

function columnsOf(schemas: string, onOpen: (name: string) => void): Column<Entry>[] {
  return [
    {
      id: 'name',
      label: texts.columns.name,
      sortBy: ({ event_name: name }) => name,
      cell: ({ event_name: name }) => (
        <Anchor component="button" fw={600} fz="inherit" ta="left" onClick={() => onOpen(name)}>
          {name}
        </Anchor>
      ),
    },
    {
      id: 'events',
      label: texts.columns.events,
      align: 'right',
      sortBy: ({ events }) => events,
      cell: ({ events }) => number(events),
    },
    {
      id: 'senders',
      label: texts.columns.senders,
      cell: ({ senders }) =>
        SENDERS.filter((sender) => senders[sender] > 0)
          .map((sender) => `${texts.senders[sender]} ${number(senders[sender])}`)
          .join(', '),
    },
    {
      id: 'schema',
      label: texts.columns.schema,
      cell: ({ schema, event_name: name }) =>
        schema === null ? (
          texts.noSchema
        ) : (
          <Anchor component={Link} href={`${schemas}/of/${encodeURIComponent(name)}`}>
            {schema.mode}
          </Anchor>
        ),
    },
    {
      id: 'faults',
      label: texts.columns.faults,
      align: 'right',
      sortBy: ({ schema_faults: faults }) => faults,
      cell: ({ schema_faults: faults }) => number(faults),
    },
    {
      id: 'first',
      label: texts.columns.first,
      sortBy: ({ first_seen_at: at }) => at,
      cell: ({ first_seen_at: at }) => <Time at={at} />,
    },
    {
      id: 'last',
      label: texts.columns.last,
      sortBy: ({ last_seen_at: at }) => at,
      cell: ({ last_seen_at: at }) => <Time at={at} />,
    },
  ];
}

function Properties({ name }: { name: string }) {
  const { scope, mayEdit } = usePlace();
  const { game, environment } = scope;
  const base = `/${game}/${environment}`;
  const query = encodeURIComponent(name);
  const found = useQuery({
    queryKey: ['dictionary', game, environment, name],
    queryFn: ({ signal }) => call(scope, 'GET /v1/events/dictionary', { query: { event_name: name }, signal }),
  });
  return (
    <Stack>
      <Group>
        <Button component={Link} size="xs" variant="default" href={`${base}/events?event=${query}`}>
          {texts.watch}
        </Button>
        {mayEdit ? (
          <Button component={Link} size="xs" variant="default" href={`${base}/schemas/new?event=${query}`}>
            {texts.draft}
          </Button>
        ) : null}
      </Group>
      <Text size="sm" c="dimmed">
        {texts.propertiesHelp}
      </Text>
      <Loaded query={found} rows={6}>
        {({ events: [entry] }) => (
          <DataTable
            label={texts.properties(name)}
            columns={PROPERTIES}
            rows={entry?.properties ?? []}
            keyOf={(property) => property.name}
            empty={<Text>{texts.noProperties}</Text>}
          />
        )}
      </Loaded>
    </Stack>
  );
}

const PROPERTIES: Column<Property>[] = [
  {
    id: 'name',
    label: texts.propertyColumns.name,
    sortBy: ({ name }) => name,
    cell: ({ name }) => <span className="mono">{name}</span>,
  },
  {
    id: 'share',
    label: texts.propertyColumns.share,
    align: 'right',
    sortBy: ({ share }) => share,
    cell: ({ share }) => `${(share * 100).toFixed(0)} %`,
  },
  { id: 'types', label: texts.propertyColumns.types, cell: ({ types }) => types.join(', ') },
  {
    id: 'examples',
    label: texts.propertyColumns.examples,
    cell: ({ examples }) => <span className="mono">{examples.map((each) => JSON.stringify(each)).join(' · ')}</span>,
  },
];
