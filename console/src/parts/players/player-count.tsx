import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../frame/api.ts';
import { useSegments } from '../../definitions.ts';
import { isAtLeast, usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { isObject } from '../editors/json-text.ts';
import { number } from '../lists/values.tsx';

const texts = TEXTS.playerCount;

interface PlayerCountProps {
  /** What the players get, as the beginning of the sentence. */
  what: string;
  /** A condition as in the definition. Absent: all players. */
  conditions?: unknown;
  includes?: readonly string[];
  excludes?: readonly string[];
}

/** How many players a change concerns, in words. Counting costs the owners time, so it needs the role analyst. */
export function PlayerCount({ what, conditions = {}, includes = [], excludes = [] }: PlayerCountProps) {
  const { scope, role } = usePlace();
  const mayCount = isAtLeast(role, 'analyst');
  const readsContext = JSON.stringify(conditions).includes('"context.');
  const { data, error } = useQuery({
    queryKey: ['player count', scope.game, scope.environment, conditions, includes, excludes],
    queryFn: ({ signal }) =>
      call(scope, 'POST /v1/segments/segments/preview', { body: { conditions, includes, excludes }, signal }),
    enabled: mayCount && !readsContext && isObject(conditions),
    staleTime: 30_000,
  });
  if (readsContext) return <Text fw={600}>{texts.byRequest(what)}</Text>;
  if (!mayCount) return <Text c="dimmed">{texts.unknown}</Text>;
  if (error !== null) return <Text c="red">{texts.failed}</Text>;
  if (data === undefined) return <Text c="dimmed">{texts.counting}</Text>;
  const { players, players_total: total, exact } = data;
  return (
    <Text fw={600} role="status">
      {players === total ? texts.all(what, number(total)) : texts.some(what, number(players), number(total), exact)}
    </Text>
  );
}

/** The same for the players of a segment, null for all players, who must also meet a condition. */
export function SegmentPlayerCount({
  what,
  segmentId,
  conditions,
}: Pick<PlayerCountProps, 'what' | 'conditions'> & { segmentId: string | null }) {
  const { data: segments = [] } = useSegments();
  const segment = segments.find((each) => each.segment_id === segmentId);
  if (segment?.list !== undefined) return <Text fw={600}>{texts.list(what, number(segment.list.players))}</Text>;
  const own = segment?.conditions;
  const both = [own, conditions].filter((each) => isObject(each) && Object.keys(each).length > 0);
  return (
    <PlayerCount
      what={what}
      conditions={both.length > 1 ? { $and: both } : (both[0] ?? {})}
      {...(segment === undefined ? {} : { includes: segment.includes, excludes: segment.excludes })}
    />
  );
}
