import { Alert, Anchor, Autocomplete, Badge, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../frame/api.ts';
import { type FeedEvent, MOST_EVENTS, useEventFeed } from '../frame/event-feed.ts';
import { useEventNames } from '../conditions/names.ts';
import { useAddressField } from '../parts/address.ts';
import { EventTrace } from '../parts/players/event-trace.tsx';
import { PlayerIdentity, ShortPlayerId } from '../parts/players/player-identity.tsx';
import { usePlayerId } from '../parts/players/player-lookup.ts';
import { Side } from '../parts/lists/side.tsx';
import { Empty, Fault, Page } from '../parts/states.tsx';
import { Json, number, Time } from '../parts/lists/values.tsx';
import { VirtualList } from '../parts/lists/virtual-list.tsx';
import { usePlace, useZone } from '../frame/session.tsx';
import { timeOfDay } from '../parts/zoned-time.ts';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.events;
const FILTER_DELAY_MS = 400;
const FAULTS_REFRESH_MS = 30_000;
const COLORS = { connected: 'green', connecting: 'gray', broken: 'red' } as const;

/** Events as they are stored. The address holds the filters. */
export function Events() {
  const { scope } = usePlace();
  const [name] = useAddressField('event');
  const [player] = useAddressField('player');
  const [faulty] = useAddressField('faults');
  const [filter] = useDebouncedValue({ name, player, onlyFaulty: faulty !== '' }, FILTER_DELAY_MS);
  const wanted = usePlayerId(filter.player);
  const feed = useEventFeed(scope, wanted.data === undefined ? undefined : { ...filter, player: wanted.data });
  const [paused, setPaused] = useState<{ events: readonly FeedEvent[]; arrived: number } | undefined>();
  const [open, setOpen] = useState<FeedEvent | undefined>();
  const zone = useZone();
  const events = paused?.events ?? feed.events;
  return (
    <Page
      title={texts.title}
      intro={texts.intro}
      actions={
        <>
          <Badge color={COLORS[feed.state]} variant="outline" tt="none" role="status">
            {texts[feed.state]}
          </Badge>
          <Badge variant="default" tt="none">
            {texts.rate(feed.perSecond.toFixed(1))}
          </Badge>
        </>
      }
    >
      <Group align="flex-end">
        <Filters />
        <Button
          variant="default"
          aria-pressed={paused !== undefined}
          onClick={() => setPaused(paused === undefined ? { events: feed.events, arrived: feed.arrived } : undefined)}
        >
          {paused === undefined ? texts.pause : texts.resume}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            feed.clear();
            setPaused(paused === undefined ? undefined : { events: [], arrived: feed.arrived });
          }}
        >
          {texts.clear}
        </Button>
        {paused === undefined ? null : <Text size="sm">{texts.paused(feed.arrived - paused.arrived)}</Text>}
      </Group>
      {wanted.error === null ? null : <Fault error={wanted.error} />}
      <Quarantined />
      {feed.missed === null ? null : <Alert color="yellow">{texts.gap(number(feed.missed))}</Alert>}
      {events.length === 0 ? (
        <Empty title={texts.empty}>{texts.emptyHelp}</Empty>
      ) : (
        <div>
          <Text size="xs" c="dimmed" px={10}>
            {texts.columns(zone)}
          </Text>
          <VirtualList items={events} label={texts.list} row={(event) => <Row event={event} onOpen={setOpen} />} />
        </div>
      )}
      {feed.arrived > MOST_EVENTS ? <Text size="sm">{texts.dropped(MOST_EVENTS)}</Text> : null}
      <Side opened={open !== undefined} onClose={() => setOpen(undefined)} title={texts.detail} size="lg">
        {open === undefined ? null : <Detail event={open} />}
      </Side>
    </Page>
  );
}

/** The filters, apart from the list: it is drawn several times a second. */
const Filters = memo(function Filters() {
  const [name, setName] = useAddressField('event');
  const [player, setPlayer] = useAddressField('player');
  const [faulty, setFaulty] = useAddressField('faults');
  const names = useEventNames();
  return (
    <>
      <Autocomplete label={texts.name} value={name} data={[...new Set(names)]} limit={30} onChange={setName} />
      <TextInput
        label={texts.player}
        value={player}
        onChange={(event) => setPlayer(event.currentTarget.value.trim())}
      />
      <Checkbox
        className="beside-fields"
        label={texts.onlyFaulty}
        checked={faulty !== ''}
        onChange={(event) => setFaulty(event.currentTarget.checked ? 'only' : '')}
      />
    </>
  );
});

function Detail({ event }: { event: FeedEvent }) {
  const { scope } = usePlace();
  const base = `/${scope.game}/${scope.environment}`;
  const shown = event.read();
  return (
    <Stack>
      <Text fw={600}>{shown.event_name}</Text>
      <Time at={shown.received_at} />
      {shown.schema_fault === undefined ? null : (
        <Alert color="orange" variant="outline" title={texts.fault}>
          <Text className="mono">{shown.schema_fault}</Text>
          <Anchor
            component={Link}
            href={`${base}/schemas/of/${encodeURIComponent(shown.event_name)}`}
            underline="always"
          >
            {texts.toSchema}
          </Anchor>
        </Alert>
      )}
      <PlayerIdentity id={shown.player_id} />
      <EventTrace eventId={shown.event_id} playerId={shown.player_id} />
      <Json value={shown} label={texts.detail} />
    </Stack>
  );
}

/** Quarantined events are not on the stream: this says that there are some. */
const Quarantined = memo(function Quarantined() {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const { data } = useQuery({
    queryKey: ['schema-faults', game, environment, 1],
    queryFn: ({ signal }) => call(scope, 'GET /v1/events/schema-faults', { query: { days: 1 }, signal }),
    refetchInterval: FAULTS_REFRESH_MS,
  });
  const count = (data?.faults ?? []).reduce((sum, { quarantined, events }) => sum + (quarantined ? events : 0), 0);
  if (count === 0) return null;
  return (
    <Alert color="orange" variant="outline">
      {texts.quarantined(number(count))}{' '}
      <Anchor component={Link} href={`/${game}/${environment}/schemas/quarantine`} underline="always">
        {texts.toQuarantine}
      </Anchor>
    </Alert>
  );
});

/** Plain elements: at 2,000 events a second all rows change with every drawing. */
const Row = memo(function Row({ event, onOpen }: { event: FeedEvent; onOpen: (event: FeedEvent) => void }) {
  const shown = event.read();
  const zone = useZone();
  return (
    <button type="button" className="virtual-row" onClick={() => onOpen(event)}>
      <span className="mono">{timeOfDay(zone, shown.received_at)}</span>
      <b>{shown.event_name}</b>
      {shown.schema_fault === undefined ? null : <span className="fault-badge">{shown.schema_fault}</span>}
      <ShortPlayerId id={shown.player_id} />
      <code>{JSON.stringify(shown.properties).slice(0, 300)}</code>
    </button>
  );
});
