import { Badge, Button, Chip, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, call } from '../../frame/api.ts';
import { useAddressField } from '../../parts/address.ts';
import { EventTrace } from '../../parts/players/event-trace.tsx';
import { Side } from '../../parts/lists/side.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Json, number, Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.timeline;
type Entry = AnswerOf<'GET /v1/players/players/{id}/timeline'>['entries'][number];
type Kind = Entry['kind'];
const KINDS = ['event', 'quarantined', 'session', 'purchase', 'segment', 'stage', 'exposure', 'campaign'] as const;

/** What happened to a player, newest first. */
export function PlayerTimeline({ playerId }: { playerId: string }) {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const [chosen, setChosen] = useAddressField('kinds');
  const kinds = KINDS.filter((kind) => chosen.split(',').includes(kind));
  const [open, setOpen] = useState<Entry | undefined>();
  const pages = useInfiniteQuery({
    queryKey: ['timeline', game, environment, playerId, kinds],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(scope, 'GET /v1/players/players/{id}/timeline', {
        path: { id: playerId },
        query: { kind: kinds, cursor: pageParam },
        signal,
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
  });
  return (
    <Stack>
      <Chip.Group multiple value={[...kinds]} onChange={(next) => setChosen(next.join(','))}>
        <Group gap="xs" role="group" aria-label={texts.kinds}>
          {KINDS.map((kind) => (
            <Chip key={kind} value={kind} size="xs" variant="outline">
              {texts.kind[kind]}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Loaded query={pages} rows={10}>
        {(data) => {
          const entries = data.pages.flatMap((page) => page.entries);
          if (entries.length === 0) return <Empty title={texts.none}>{texts.noneHelp}</Empty>;
          return (
            <>
              <ol className="timeline" aria-label={texts.list}>
                {entries.map((entry, place) => (
                  // oxlint-disable-next-line react/no-array-index-key -- entries of one fact share all other fields
                  <li key={`${entry.received_at} ${entry.kind} ${entry.id ?? ''} ${place}`}>
                    <EntryLine entry={entry} onOpen={setOpen} />
                  </li>
                ))}
              </ol>
              {pages.hasNextPage ? (
                <Button
                  variant="default"
                  w="fit-content"
                  loading={pages.isFetchingNextPage}
                  onClick={() => void pages.fetchNextPage()}
                >
                  {TEXTS.more}
                </Button>
              ) : null}
            </>
          );
        }}
      </Loaded>
      <Side opened={open !== undefined} onClose={() => setOpen(undefined)} title={texts.details}>
        {open === undefined ? null : (
          <Stack>
            <Text fw={600}>{open.name}</Text>
            <Time at={open.received_at} />
            <Json value={open} label={texts.details} />
            {isEvent(open) ? <EventTrace eventId={open.id} playerId={playerId} /> : null}
          </Stack>
        )}
      </Side>
    </Stack>
  );
}

function isEvent(entry: Entry): entry is Entry & { id: string } {
  return (entry.kind === 'event' || entry.kind === 'quarantined') && entry.id !== undefined;
}

const COLORS: Readonly<Partial<Record<Kind, string>>> = {
  quarantined: 'red',
  purchase: 'green',
  exposure: 'blue',
  campaign: 'teal',
};

function EntryLine({ entry, onOpen }: { entry: Entry; onOpen: (entry: Entry) => void }) {
  return (
    <UnstyledButton className="timeline-row" onClick={() => onOpen(entry)}>
      <Time at={entry.received_at} />
      <Badge variant="outline" color={COLORS[entry.kind] ?? 'gray'} tt="none">
        {texts.one[entry.kind]}
      </Badge>
      {entry.name === '' ? null : (
        <Text span fw={600} size="sm">
          {entry.name}
        </Text>
      )}
      <span className="timeline-text">{textOf(entry)}</span>
      {entry.kind === 'event' && entry.why !== undefined ? (
        <Badge variant="outline" color="orange" tt="none">
          {entry.why}
        </Badge>
      ) : null}
    </UnstyledButton>
  );
}

function textOf(entry: Entry): string {
  const { kind, what, why = '', value, number: figure = 0 } = entry;
  switch (kind) {
    case 'event':
    case 'quarantined':
      return JSON.stringify(value ?? {});
    case 'session':
      return texts.session(number(figure), what);
    case 'purchase':
      return `${number(figure)} ${typeof value === 'string' ? value : ''} ${what === 'recorded' ? '' : what}`.trim();
    case 'segment':
      return what === 'entered' ? texts.segment.entered : texts.segment.exited;
    case 'stage':
      return texts.stage(why, entry.name);
    case 'exposure':
      return texts.exposure(entry.id ?? JSON.stringify(value), figure);
    case 'campaign':
      return [what, reasonText(why), typeof value === 'string' ? value : ''].filter((part) => part !== '').join(' · ');
  }
}

const REASONS: Readonly<Record<string, string>> = TEXTS.playerCampaigns.reasons;
const reasonText = (reason: string): string => REASONS[reason] ?? reason;
