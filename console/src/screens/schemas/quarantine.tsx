import { Anchor, Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { type AnswerOf, call } from '../../frame/api.ts';
import { useAddressField } from '../../parts/address.ts';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { EventTrace } from '../../parts/players/event-trace.tsx';
import { PlayerIdentity, ShortPlayerId } from '../../parts/players/player-identity.tsx';
import { Side } from '../../parts/lists/side.tsx';
import { Empty, Loaded, Page } from '../../parts/states.tsx';
import { Json, Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { Replay } from './replay.tsx';

const texts = TEXTS.quarantine;
const FILTER_DELAY_MS = 400;
type Quarantined = AnswerOf<'GET /v1/events/quarantine'>['events'][number];

/** The quarantined events, and their replay. The address holds the filter. */
export function Quarantine() {
  const { scope, mayEdit } = usePlace();
  const { game, environment } = scope;
  const [name, setName] = useAddressField('event');
  const [wanted] = useDebouncedValue(name.trim(), FILTER_DELAY_MS);
  const [open, setOpen] = useState<Quarantined | undefined>();
  const pages = useInfiniteQuery({
    queryKey: ['quarantine', game, environment, wanted],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(scope, 'GET /v1/events/quarantine', { query: { event_name: wanted, cursor: pageParam }, signal }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Group align="flex-end">
        <TextInput label={texts.name} value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <Button component={Link} href={`/${game}/${environment}/schemas`} variant="default">
          {TEXTS.schemas.title}
        </Button>
      </Group>
      {mayEdit ? <Replay key={wanted} eventName={wanted} onDone={() => void pages.refetch()} /> : null}
      <Loaded query={pages} rows={8}>
        {(data) => (
          <DataTable
            label={texts.list}
            columns={columnsOf(`/${game}/${environment}/players`, setOpen)}
            rows={data.pages.flatMap((page) => page.events)}
            keyOf={({ event_id: id, player_id: player, received_at: at }) => `${id} ${player} ${at}`}
            more={{
              isThere: pages.hasNextPage,
              isLoading: pages.isFetchingNextPage,
              load: () => void pages.fetchNextPage(),
            }}
            empty={<Empty title={texts.none}>{texts.noneHelp}</Empty>}
          />
        )}
      </Loaded>
      <Side opened={open !== undefined} onClose={() => setOpen(undefined)} title={texts.detail}>
        {open === undefined ? null : (
          <Stack>
            <Text fw={600}>{open.event_name}</Text>
            <Faults event={open} />
            <PlayerIdentity id={open.player_id} />
            <Json value={open.properties} label={texts.detail} />
            <EventTrace eventId={open.event_id} playerId={open.player_id} />
          </Stack>
        )}
      </Side>
    </Page>
  );
}

function Faults({ event }: { event: Quarantined }) {
  return event.reason.map(({ path, message }) => (
    <Text key={`${path} ${message}`} size="sm" className="mono">
      {path} {message}
    </Text>
  ));
}

function columnsOf(players: string, onOpen: (event: Quarantined) => void): Column<Quarantined>[] {
  return [
    {
      id: 'received',
      label: texts.columns.received,
      cell: (event) => (
        <Anchor component="button" fz="inherit" ta="left" onClick={() => onOpen(event)}>
          <Time at={event.received_at} />
        </Anchor>
      ),
    },
    { id: 'name', label: texts.columns.name, cell: ({ event_name: name }) => name },
    { id: 'faults', label: texts.columns.faults, cell: (event) => <Faults event={event} /> },
    {
      id: 'player',
      label: texts.columns.player,
      cell: ({ player_id: id }) => (
        <Anchor component={Link} href={`${players}/${id}`}>
          <ShortPlayerId id={id} />
        </Anchor>
      ),
    },
    {
      id: 'state',
      label: texts.columns.state,
      cell: ({ released }) => (
        <Badge variant="outline" color={released ? 'green' : 'orange'} tt="none">
          {released ? texts.released : texts.waiting}
        </Badge>
      ),
    },
  ];
}
