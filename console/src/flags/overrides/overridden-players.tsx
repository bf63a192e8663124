import { Button, Card, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { type AnswerOf, call } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';
import { JsonValue } from '../../parts/drafts/diff.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { Time } from '../../parts/lists/values.tsx';
import { PlayerLink } from '../../parts/players/player-link.tsx';
import { Loaded } from '../../parts/states.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.overrides;
const PAGE = 100;
/** How often the list is read: it is about a second behind. */
const REFETCH_MS = 5_000;

type Override = AnswerOf<'GET /v1/flags/flags/{key}/overrides'>['overrides'][number];

const COLUMNS: readonly Column<Override>[] = [
  { id: 'external', label: texts.columns.external, cell: ({ external_id: id }) => id },
  { id: 'player', label: texts.columns.player, cell: ({ player_id: id }) => <PlayerLink id={id} /> },
  { id: 'value', label: texts.columns.value, cell: ({ value }) => <JsonValue value={value} /> },
  { id: 'variant', label: texts.columns.variant, cell: ({ variant_key: variant }) => variant },
  { id: 'set', label: texts.columns.set, cell: ({ set_at: at }) => <Time at={at} /> },
  { id: 'look', label: texts.columns.look, cell: (override) => <LookUp override={override} /> },
];

/** Opens a player in the form above. */
function LookUp({ override: { player_id: id, external_id: external } }: { override: Override }) {
  const [, setParams] = useSearchParams();
  return (
    <Button
      size="compact-xs"
      variant="default"
      onClick={() =>
        setParams((before) => {
          before.set('player', id);
          return before;
        })
      }
    >
      {texts.lookAt(external)}
    </Button>
  );
}

/** The players with an override of a flag, page by page. */
export function OverriddenPlayers({ flagKey }: { flagKey: string }) {
  const { scope, mayEdit } = usePlace();
  const query = useInfiniteQuery({
    queryKey: ['overrides', scope.game, scope.environment, flagKey],
    queryFn: ({ signal, pageParam }) =>
      call(scope, 'GET /v1/flags/flags/{key}/overrides', {
        path: { key: flagKey },
        query: { limit: PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: REFETCH_MS,
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        {texts.all}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {texts.allHelp}
      </Text>
      <Loaded query={query}>
        {({ pages }) => (
          <DataTable
            label={texts.all}
            columns={mayEdit ? COLUMNS : COLUMNS.slice(0, -1)}
            rows={pages.flatMap(({ overrides }) => overrides)}
            keyOf={({ player_id: id }) => id}
            empty={<Text c="dimmed">{texts.none}</Text>}
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
