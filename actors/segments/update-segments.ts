import type { SegmentSet } from '../decision/definitions.ts';
import type { Adjustable } from '../../core/kernel/adjustable.ts';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { Segment, Subject } from '../decision/targeting.ts';
import { isMember } from '../conditions/segments/is-member.ts';

/** The segments that a change may make a player enter or leave: `all`, or some, in the order of evaluation. */
export type SegmentScope = 'all' | readonly Segment[];

/**
 * Evaluates segments for a player as of `nowMs` (epoch milliseconds) and returns the facts of the changes. Pure.
 *
 * Once the due time has passed, all segments are evaluated. A due time earlier than the next possible change is kept;
 * the timer then changes nothing and finds the next one. Otherwise `days_since_last_seen` would move it at every event.
 */
export function updateSegments(
  state: PlayerState,
  set: SegmentSet,
  scope: SegmentScope,
  nowMs: number,
  limits: Adjustable<typeof PLAYER_LIMITS, 'segmentJitterMs'> = PLAYER_LIMITS,
): readonly DomainFact[] {
  const isDue = state.segmentsDueAt !== 0 && state.segmentsDueAt <= nowMs;
  const all = scope === 'all' || isDue;
  const facts: DomainFact[] = [];
  const decided = set.isNested ? new Map<string, boolean>() : undefined;
  const subject = decided === undefined ? { player: state, nowMs } : nestedSubject(state, nowMs, set, decided);
  const memberships = state.segments;
  const jitter = jitterMs(state.id, limits);
  let place = 0;
  let before = '';
  let nextAt = Infinity;
  for (const segment of all ? set.all : scope) {
    // Memberships are sorted by id, and so are the segments of one level.
    if (decided !== undefined && segment.id < before) place = 0;
    before = segment.id;
    while (place < memberships.length && (memberships[place]?.segmentId ?? '') < segment.id) place += 1;
    const wasMember = memberships[place]?.segmentId === segment.id;
    const belongs = segment.condition.matches(subject);
    if (belongs !== wasMember) {
      decided?.set(segment.id, belongs);
      facts.push(transition(state, belongs, segment.id, segment.key, nowMs));
    }
    nextAt = Math.min(nextAt, changeTime(segment, state, nowMs, jitter));
  }
  if (all) {
    for (const { segmentId, segmentKey } of memberships) {
      if (set.get(segmentId) === undefined) facts.push(transition(state, false, segmentId, segmentKey, nowMs));
    }
  }
  const dueAt = nextDue(state.segmentsDueAt, isDue, nextAt);
  if (dueAt !== state.segmentsDueAt) facts.push(scheduled(state, dueAt, nowMs));
  return facts;
}

/** A segment that reads another one gets what was just decided of it. One that is gone or disabled has no players. */
function nestedSubject(
  player: PlayerState,
  nowMs: number,
  set: SegmentSet,
  decided: ReadonlyMap<string, boolean>,
): Subject {
  const held = { player };
  return {
    player,
    nowMs,
    isMember: (id) => decided.get(id) ?? (set.get(id) !== undefined && isMember(held, id)),
  };
}

/** Defers an update that would exceed a record: makes the player's segments due now, for a later record. */
export function updateLater(state: PlayerState, nowMs: number): readonly DomainFact[] {
  const isDue = state.segmentsDueAt !== 0 && state.segmentsDueAt <= nowMs;
  return isDue ? [] : [scheduled(state, nowMs, nowMs)];
}

/** When time alone may change the membership. The jitter spreads the changes of all players after midnight. */
function changeTime(segment: Segment, state: PlayerState, nowMs: number, jitter: number): number {
  const changesAt = segment.condition.changesAt(state, nowMs);
  if (changesAt === undefined) return Infinity;
  return changesAt % DAY_MS === 0 ? changesAt + jitter : changesAt;
}

function nextDue(current: number, isDue: boolean, nextAt: number): number {
  if (isDue) return nextAt === Infinity ? 0 : nextAt;
  return nextAt !== Infinity && (current === 0 || nextAt < current) ? nextAt : current;
}

function transition(
  state: PlayerState,
  belongs: boolean,
  segmentId: string,
  segmentKey: string,
  at: number,
): DomainFact {
  const { id: entityId, game, environment, externalId } = state;
  const kind = belongs ? 'SegmentEntered' : 'SegmentExited';
  return { kind, entityId, game, environment, at, segmentId, segmentKey, externalId };
}

function scheduled({ id: entityId, game, environment }: PlayerState, dueAt: number, at: number): DomainFact {
  return { kind: 'SegmentsScheduled', entityId, game, environment, at, dueAt };
}

/**
 * The milliseconds after midnight at which a player's timers run, always the same for one player. FNV-1a, 32 bit
 * (draft-eastlake-fnv-17), of the id.
 */
export function jitterMs(
  playerId: string,
  { segmentJitterMs }: Adjustable<typeof PLAYER_LIMITS, 'segmentJitterMs'> = PLAYER_LIMITS,
): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < playerId.length; place++) {
    hash = Math.imul(hash ^ playerId.charCodeAt(place), 0x01000193);
  }
  return (hash >>> 0) % segmentJitterMs;
}
