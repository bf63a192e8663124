import { Card, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../lists/data-table.tsx';
import { Time } from '../lists/values.tsx';
import { Loaded } from '../states.tsx';
import { PlayerLink } from './player-link.tsx';

/** A list of players whose service is about a second behind, read page by page and again every few seconds. */
interface PlayerPages<Page extends { next_cursor: string | null }, Row> {
  title: string;
  help?: string;
  /** Said if there is no player. */
  none: string;
  queryKey: readonly string[];
  refetchMs: number;
  load: (place: { limit: number; cursor: string }, signal: AbortSignal) => Promise<Page>;
  rowsOf: (page: Page) => readonly Row[];
  columns: readonly Column<Row>[];
}

interface ListedPlayer {
  player_id: string;
  external_id: string;
}

const PAGE = 100;

export function PlayerPages<Page extends { next_cursor: string | null }, Row extends ListedPlayer>({
  title,
  help,
  none,
  queryKey,
  refetchMs,
  load,
  rowsOf,
  columns,
}: PlayerPages<Page, Row>) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) => load({ limit: PAGE, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: refetchMs,
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb={help === undefined ? 'xs' : 0}>
        {title}
      </Title>
      {help === undefined ? null : (
        <Text size="sm" c="dimmed" mb="xs">
          {help}
        </Text>
      )}
      <Loaded query={query}>
        {({ pages }) => (
          <DataTable
            label={title}
            columns={columns}
            rows={pages.flatMap(rowsOf)}
            keyOf={({ player_id: id }) => id}
            empty={<Text c="dimmed">{none}</Text>}
            more={{
              isThere: query.hasNextPage,
              isLoading: query.isFetchingNextPage,
              load: () => void query.fetchNextPage(),
            }}
          />
        )}
      </Loaded>
    </Card>
  );
}

/** The columns that say who a player is. */
export function whoColumns<Row extends ListedPlayer>(labels: { external: string; player: string }): Column<Row>[] {
  return [
    { id: 'external', label: labels.external, cell: ({ external_id: id }) => id },
    { id: 'player', label: labels.player, cell: ({ player_id: id }) => <PlayerLink id={id} /> },
  ];
}

/** A column with a time. */
export function timeColumn<Row>(id: string, label: string, timeOf: (row: Row) => string): Column<Row> {
  return { id, label, cell: (row) => <Time at={timeOf(row)} /> };
}
