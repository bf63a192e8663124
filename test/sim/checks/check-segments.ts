import { areSameFacts } from './same-state.ts';
import type { DomainFact, SegmentsScheduled } from '../../../core/vocabulary/facts/facts.ts';
import { type ConfigHistory, missedChange, type SegmentUpdate, wrongMemberships } from '../model/model-segments.ts';
import type { Observer } from '../observer.ts';
import type { World } from '../world.ts';
import type { PartitionLog } from './partition-log.ts';

export type Wrong = (invariant: string, message: string) => void;

/**
 * Takes the facts of one command, or of one evaluation, which must be the expected ones. The service chooses the times
 * of the next evaluations, so those facts may stand anywhere between. They must not be too late for any change, and are
 * stored in the states of `updates`.
 * @returns the facts taken; `undefined` when they are not the expected ones
 */
export function takeGroup(
  facts: readonly DomainFact[],
  from: number,
  expected: readonly DomainFact[],
  updates: readonly SegmentUpdate[],
  wrong: Wrong,
): readonly DomainFact[] | undefined {
  let end = from;
  const found: DomainFact[] = [];
  const times: SegmentsScheduled[] = [];
  for (let fact = facts[end]; fact !== undefined; fact = facts[end]) {
    if (fact.kind === 'SegmentsScheduled' && isOf(updates, fact)) times.push(fact);
    else if (found.length < expected.length) found.push(fact);
    else break;
    end += 1;
  }
  if (!areSameFacts(found, expected)) return undefined;
  for (const update of updates) {
    const own = times.filter(({ entityId }) => entityId === update.next.id);
    if (own.length > 1) wrong('time', `one evaluation of ${update.next.id} sets the time of the next one twice`);
    for (const { dueAt } of own) update.next = { ...update.next, segmentsDueAt: dueAt };
    const missed = missedChange(update, update.atMs);
    if (missed !== undefined) wrong('time', missed);
  }
  return facts.slice(from, end);
}

function isOf(updates: readonly SegmentUpdate[], { entityId, at }: SegmentsScheduled): boolean {
  return updates.some((update) => update.next.id === entityId && update.atMs === at);
}

/** Once every edit is swept, every player is in exactly the segments whose conditions hold. */
export function checkMemberships(world: World, config: ConfigHistory, log: PartitionLog, observer: Observer): void {
  const segments = config.segmentsAt(Infinity);
  const latestMs = Math.max(...observer.commits.map(({ record }) => record.committedAt));
  for (const state of log.timeline.upTo(Infinity).values()) {
    if (state.kind !== 'player' || state.environment !== 'live') continue;
    const [wrong] = wrongMemberships(state, segments, world.clock.wallMs(), Math.max(latestMs, state.lastSeenAt));
    if (wrong !== undefined) world.violate('membership', `${wrong}: ${JSON.stringify(state)}`);
  }
}
