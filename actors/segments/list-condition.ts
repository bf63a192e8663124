import type { SegmentDocument } from '../../core/vocabulary/documents/documents.ts';
import type { Condition } from '../decision/targeting.ts';

/** The players that a load of a segment's list has. */
export function listCondition(segmentId: string, load: string): Condition {
  return {
    matches: ({ player: { lists } }) =>
      lists?.some((list) => list.segmentId === segmentId && list.loads.includes(load)) === true,
    changesAt: NEVER,
  };
}

/** The condition with the players that a segment includes and excludes by their ids. A player in both is excluded. */
export function withExceptions(
  condition: Condition,
  { includes = [], excludes = [] }: Pick<SegmentDocument, 'includes' | 'excludes'>,
): Condition {
  if (includes.length + excludes.length === 0) return condition;
  const exceptions = new Map<string, boolean>();
  for (const id of includes) exceptions.set(id, true);
  for (const id of excludes) exceptions.set(id, false);
  return {
    matches: (subject) => exceptions.get(subject.player.id) ?? condition.matches(subject),
    changesAt: (player, nowMs) => (exceptions.has(player.id) ? undefined : condition.changesAt(player, nowMs)),
  };
}

const NEVER = (): undefined => undefined;
