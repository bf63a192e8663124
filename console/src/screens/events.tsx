import { Alert, Anchor, Badge, Button, Drawer, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { Link } from 'wouter';
import { MOST_EVENTS, type StreamedEvent, useEventFeed } from '../event-feed.ts';
import { Empty, Page } from '../parts/states.tsx';
import { clockTime, Json, number, Time } from '../parts/values.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.events;
const FILTER_DELAY_MS = 400;
const COLORS = { connected: 'green', connecting: 'gray', broken: 'red' } as const;

/** Events as they are stored. */
export function Events() {
  const { scope } = usePlace();
  const [name, setName] = useState('');
  const [player, setPlayer] = useState('');
  const [filter] = useDebouncedValue({ name, player }, FILTER_DELAY_MS);
  const feed = useEventFeed(scope, filter);
  const [paused, setPaused] = useState<{ events: readonly StreamedEvent[]; arrived: number } | undefined>();
  const [open, setOpen] = useState<StreamedEvent | undefined>();
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
        <TextInput label={texts.name} value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <TextInput
          label={texts.player}
          value={player}
          onChange={(event) => setPlayer(event.currentTarget.value.trim())}
        />
        <Button
          variant="default"
          aria-pressed={paused !== undefined}
          onClick={() => setPaused(paused === undefined ? { events: feed.events, arrived: feed.arrived } : undefined)}
        >
          {paused === undefined ? texts.pause : texts.resume}
        </Button>
        <Button variant="default" onClick={feed.clear}>
          {texts.clear}
        </Button>
        {paused === undefined ? null : <Text size="sm">{texts.paused(feed.arrived - paused.arrived)}</Text>}
      </Group>
      {feed.missed === null ? null : <Alert color="yellow">{texts.gap(number(feed.missed))}</Alert>}
      {events.length === 0 ? (
        <Empty title={texts.empty}>{texts.emptyHelp}</Empty>
      ) : (
        <VirtualList
          items={events}
          keyOf={({ event_id: id }) => id}
          label={texts.list}
          row={(event) => <Row event={event} onOpen={setOpen} />}
        />
      )}
      {feed.arrived > MOST_EVENTS ? <Text size="sm">{texts.dropped(MOST_EVENTS)}</Text> : null}
      <Drawer
        opened={open !== undefined}
        onClose={() => setOpen(undefined)}
        title={texts.detail}
        position="right"
        closeButtonProps={{ 'aria-label': TEXTS.close }}
      >
        {open === undefined ? null : (
          <Stack>
            <Text fw={600}>{open.event_name}</Text>
            <Time at={open.received_at} />
            <Anchor component={Link} href={`/${scope.game}/${scope.environment}/players/${open.player_id}`}>
              {texts.toPlayer}
            </Anchor>
            <Json value={open} label={texts.detail} />
          </Stack>
        )}
      </Drawer>
    </Page>
  );
}

function Row({ event, onOpen }: { event: StreamedEvent; onOpen: (event: StreamedEvent) => void }) {
  return (
    <UnstyledButton className="virtual-row" w="100%" onClick={() => onOpen(event)}>
      <span className="mono">{clockTime(event.received_at)}</span>
      <Text span fw={600} size="sm">
        {event.event_name}
      </Text>
      <span className="mono">{event.player_id.slice(0, 8)}</span>
      <code>{JSON.stringify(event.properties)}</code>
    </UnstyledButton>
  );
}
