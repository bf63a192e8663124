import { Anchor, NativeSelect, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { measuresOf } from '../../../../core/vocabulary/metrics/asked.ts';
import { METRICS } from '../../../../core/vocabulary/metrics/metrics.ts';
import { type AnswerOf, call } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';
import { Dialog } from '../../parts/editors/dialog.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { money, number, Time } from '../../parts/lists/values.tsx';
import { Loaded } from '../../parts/states.tsx';
import { TEXTS } from '../../texts.ts';
import type { Query, Result } from '../query.ts';
import type { Picked, Point } from './figure.tsx';
import { SegmentOfPlayers } from './segment-of-players.tsx';

const texts = TEXTS.analytics;
const PAGE = 50;
const PARTS = ['numerator', 'denominator'] as const;

type Player = AnswerOf<'POST /v1/analytics/queries/players'>['players'][number];

interface PlayersDialogProps {
  query: Query;
  /** The range of the answer, so that the players are those of its figure. */
  range: Pick<Result, 'from' | 'to'>;
  picked: Picked;
  onClose: () => void;
}

/** The players behind a figure, and a segment made of them. */
export function PlayersDialog({ query, range, picked, onClose }: PlayersDialogProps) {
  const [part, setPart] = useState<(typeof PARTS)[number]>('numerator');
  const isRatio = (query.kind === 'trend' || query.kind === 'breakdown') && measuresOf(query).length > 1;
  const point: Point = isRatio ? { ...picked.point, part } : picked.point;
  const body = { query: { ...query, ...range }, point };
  return (
    <Dialog opened onClose={onClose} size="xl" title={texts.playersOf(picked.label)}>
      <Stack gap="sm">
        {isRatio ? (
          <NativeSelect
            label={texts.playersPart}
            value={part}
            maw={320}
            data={measuresOf(query).map((name, place) => ({
              value: PARTS[place] ?? 'numerator',
              label: METRICS[name].title,
            }))}
            onChange={(event) => setPart(PARTS.find((one) => one === event.currentTarget.value) ?? 'numerator')}
          />
        ) : null}
        <PlayerList body={body} />
      </Stack>
    </Dialog>
  );
}

interface PlayerListProps {
  body: { query: Query & Pick<Result, 'from' | 'to'>; point: Point };
}

function PlayerList({ body }: PlayerListProps) {
  const { scope, mayEdit } = usePlace();
  const query = useInfiniteQuery({
    queryKey: ['players behind', scope.game, scope.environment, body],
    queryFn: ({ signal, pageParam }) =>
      call(scope, 'POST /v1/analytics/queries/players', {
        body: { ...body, limit: PAGE, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const total = pages[0]?.total ?? 0;
        return (
          <>
            <Text size="sm" role="status">
              {(pages[0]?.counts_players === false ? texts.playersOfRows : texts.playersTotal)(number(total))}
            </Text>
            {mayEdit && total > 0 ? <SegmentOfPlayers body={body} /> : null}
            <DataTable
              label={texts.columns.players}
              columns={COLUMNS}
              rows={pages.flatMap(({ players }) => players)}
              keyOf={({ player_id: id }) => id}
              more={{
                isThere: query.hasNextPage,
                isLoading: query.isFetchingNextPage,
                load: () => void query.fetchNextPage(),
              }}
            />
          </>
        );
      }}
    </Loaded>
  );
}

const COLUMNS: readonly Column<Player>[] = [
  { id: 'player', label: texts.columns.player, cell: (player) => <PlayerLink player={player} /> },
  { id: 'stage', label: texts.columns.stage, cell: ({ lifecycle_stage: stage }) => stage ?? '' },
  { id: 'country', label: texts.columns.country, cell: ({ country }) => country ?? '' },
  {
    id: 'revenue',
    label: texts.columns.revenue,
    align: 'right',
    cell: ({ total_revenue: revenue }) => (revenue === null ? '' : money(revenue)),
  },
  { id: 'seen', label: texts.columns.seen, cell: ({ last_seen_at: at }) => <Time at={at} /> },
];

function PlayerLink({ player: { player_id: id, external_id: externalId } }: { player: Player }) {
  const { scope } = usePlace();
  return (
    <Anchor component={Link} href={`/${scope.game}/${scope.environment}/players/${id}`} underline="always">
      {externalId ?? id}
    </Anchor>
  );
}
