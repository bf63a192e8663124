import { NEW_CONTEXT } from '../../core/vocabulary/facts/event-context.ts';
import type { SegmentSet } from '../decision/definitions.ts';
import { array, assert, constantFrom, integer, property, record, tuple, type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { IMPORT_STATE_LIMITS } from '../import/limits.ts';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import { dueAt, decideTimers } from '../timers.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { aPlayer, definitionsOf } from '../testing-players.ts';
import { given } from '../testing/harness.ts';
import { createSegmentSet } from './segment-set.ts';
import { reactToCommand } from '../react-to-command.ts';
import { jitterMs, updateSegments } from './update-segments.ts';

const NOON = 20_000 * DAY_MS + DAY_MS / 2;

function setOf(segments: Readonly<Record<string, JsonObject>>): SegmentSet {
  return createSegmentSet(
    Object.entries(segments).map(([id, conditions]) => {
      const compiled = compileCondition(conditions);
      if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
      return { segment: { id, key: `key-${id}`, condition: compiled.condition }, conditions };
    }),
  );
}

/** A draft over some states, with the emitted facts. */
function draftOver(...states: PlayerState[]) {
  const { draft, player } = given(states);
  return { ...draft, player };
}

function tracked(entityId: string, eventName: string, at: number): DomainFact {
  const player = { ...NEW_CONTEXT, externalId: 'e' };
  const event = { eventId: 'x', remember: false, eventName, properties: '{}', sessionId: null, timestamp: at };
  return { kind: 'EventTracked', entityId, game: 'demo', environment: 'live', at, ...event, ...player };
}

const old = (some: Partial<PlayerState> = {}): PlayerState =>
  aPlayer({ lifecycleStage: 'active', firstSeenAt: NOON - 100 * DAY_MS, lastSeenAt: NOON, lifecycleDueAt: 0, ...some });
const apply = (state: PlayerState, facts: readonly DomainFact[]): PlayerState => {
  const draft = draftOver(state);
  for (const fact of facts) draft.emit(fact);
  return draft.player(state.id);
};
const transitions = (facts: readonly DomainFact[]) =>
  facts.flatMap((fact) =>
    fact.kind === 'SegmentEntered' || fact.kind === 'SegmentExited' ? [`${fact.kind} ${fact.segmentId}`] : [],
  );

describe('updating the segments of a player', () => {
  it('makes the player enter, stay and leave with the state, with key and time', () => {
    const set = setOf({ whale: { 'attributes.level': { $gte: 5 } } });
    const player = old({ attributes: '{"level":5}' });
    const [entered, ...more] = updateSegments(player, set, 'all', NOON);
    expect(more).toEqual([]);
    expect(entered).toMatchObject({ kind: 'SegmentEntered', segmentId: 'whale', segmentKey: 'key-whale', at: NOON });
    const member = apply(player, entered === undefined ? [] : [entered]);
    expect(member.segments).toEqual([{ segmentId: 'whale', segmentKey: 'key-whale', since: NOON }]);
    expect(updateSegments(member, set, 'all', NOON + 1)).toEqual([]);
    const left = updateSegments({ ...member, attributes: '{"level":4}' }, set, 'all', NOON + 2);
    expect(left).toMatchObject([{ kind: 'SegmentExited', segmentId: 'whale', at: NOON + 2 }]);
  });

  it('makes the player leave a deleted segment, with the key it had', () => {
    const member = old({ segments: [{ segmentId: 'gone', segmentKey: 'old-key', since: 1 }] });
    expect(updateSegments(member, setOf({}), 'all', NOON)).toMatchObject([
      { kind: 'SegmentExited', segmentId: 'gone', segmentKey: 'old-key' },
    ]);
  });

  it('does nothing at all for a player without segments', () => {
    expect(updateSegments(old(), setOf({}), 'all', NOON)).toEqual([]);
  });

  it('spreads midnights over ten minutes, always the same for one player', () => {
    const set = setOf({ daily: { 'events.win.count_1d': { $gte: 1 } } });
    const dues = new Set<number>();
    for (let index = 0; index < 200; index++) {
      const id = `player-${index}`;
      const draft = draftOver(old({ id }));
      draft.emit(tracked(id, 'win', NOON));
      reactToCommand(draft, 0, set, NOON);
      const due = draft.player(id).segmentsDueAt - (NOON + DAY_MS / 2);
      expect(due).toBe(jitterMs(id));
      dues.add(due);
    }
    expect(Math.max(...dues)).toBeLessThan(PLAYER_LIMITS.segmentJitterMs);
    expect(dues.size).toBeGreaterThan(190);
  });

  it('does not move the due time at every event', () => {
    const set = setOf({ lapsed: { days_since_last_seen: { $gte: 2 } } });
    const draft = draftOver(old());
    for (let minute = 0; minute < 60; minute++) {
      const at = NOON + minute * 60_000;
      const since = draft.facts.length;
      draft.emit(tracked(old().id, 'win', at));
      reactToCommand(draft, since, set, at);
    }
    expect(draft.facts.filter(({ kind }) => kind === 'SegmentsScheduled')).toHaveLength(1);
  });

  it('updates a player at its due time without a request, as of that time', () => {
    const set = setOf({ daily: { 'events.win.count_1d': { $gte: 1 } }, lapsed: { days_since_last_seen: { $gte: 2 } } });
    const draft = draftOver(old());
    const { id } = old();
    draft.emit(tracked(id, 'win', NOON));
    reactToCommand(draft, 0, set, NOON);
    const due = dueAt(draft.player(id)) ?? 0;
    const since = draft.facts.length;
    decideTimers(draft, id, due - 1, definitionsOf({}, set));
    expect(draft.facts).toHaveLength(since);
    // Days late: one change after the other, each with its own time.
    decideTimers(draft, id, due + 5 * DAY_MS, definitionsOf({}, set));
    const changes = draft.facts
      .slice(since)
      .flatMap((fact) => (fact.kind === 'SegmentsScheduled' ? [] : [[fact.kind, fact.at]]));
    expect(changes).toEqual([
      ['SegmentExited', NOON + DAY_MS / 2 + jitterMs(id)],
      ['SegmentEntered', NOON + 2 * DAY_MS],
    ]);
    expect(draft.player(id).segmentsDueAt).toBe(0);
  });

  it('defers an update that would exceed a record, and makes it due at once', () => {
    const segments = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`s${index}`, { is_payer: false }]));
    const set = setOf(segments);
    const ids = Array.from({ length: 10 }, (_, index) => `player-${index}`);
    const draft = draftOver(...ids.map((id) => old({ id, isPayer: false })));
    const all = ids.map((id): DomainFact => {
      const base = { entityId: id, game: 'demo', environment: 'live', at: NOON, externalId: 'e' } as const;
      return { kind: 'LifecycleChanged', from: 'new', to: 'active', changedAt: NOON, ...base };
    });
    for (const fact of all) draft.emit(fact);
    reactToCommand(draft, 0, set, NOON);
    expect(draft.facts.length).toBeLessThan(10 + IMPORT_STATE_LIMITS.segmentFactsPerCommand + 500 + 10);
    const late = ids.filter((id) => draft.player(id).segments.length === 0);
    expect(late.length).toBeGreaterThan(0);
    for (const id of late) {
      expect(dueAt(draft.player(id))).toBe(NOON);
      decideTimers(draft, id, NOON, definitionsOf({}, set));
      expect(draft.player(id).segments).toHaveLength(500);
      expect(draft.player(id).segmentsDueAt).toBe(0);
    }
  });
});

const NAMES = ['win', 'lose', 'a.b'];
const leaf: Arbitrary<JsonObject> = tuple(
  constantFrom(
    ...NAMES.flatMap((name) => ['count_1d', 'count_7d', 'last_days_ago'].map((m) => `events.${name}.${m}`)),
    'attributes.level',
    'days_since_last_seen',
    'days_since_first_seen',
  ),
  constantFrom('$gte', '$lt', '$eq'),
  integer({ min: 0, max: 4 }),
).map(([field, operator, bound]) => ({ [field]: { [operator]: bound } }));
const condition: Arbitrary<JsonObject> = tuple(integer({ min: 0, max: 6 }), leaf, leaf, leaf).map(
  ([shape, one, other, third]) => {
    if (shape === 0) return { $or: [one, { $and: [other, third] }] };
    if (shape === 1) return { $and: [one, { $not: other }] };
    return shape === 2 ? { $nor: [one, other] } : one;
  },
);

describe('evaluating only the segments that an event may change', () => {
  it('gives the same memberships as evaluating all of them, for any events and times', () => {
    const happening = record({ name: constantFrom(...NAMES, 'other'), afterMs: integer({ min: 1, max: 2 * DAY_MS }) });
    assert(
      property(
        array(condition, { minLength: 1, maxLength: 6 }),
        array(happening, { maxLength: 12 }),
        (conditions, events) => {
          const set = setOf(Object.fromEntries(conditions.map((one, index) => [`s${index}`, one])));
          const start = old({ attributes: '{"level":2}' });
          const draft = draftOver(start);
          let now = NOON;
          for (const fact of updateSegments(start, set, 'all', now)) draft.emit(fact);
          for (const { name, afterMs } of events) {
            now += afterMs;
            for (
              let due = dueAt(draft.player(start.id));
              due !== null && due <= now;
              due = dueAt(draft.player(start.id))
            ) {
              decideTimers(draft, start.id, now, definitionsOf({}, set));
            }
            const since = draft.facts.length;
            draft.emit(tracked(start.id, name, now));
            reactToCommand(draft, since, set, now);
            const state = draft.player(start.id);
            // Changes by time alone may wait for the player's jitter after midnight.
            if (now % DAY_MS < PLAYER_LIMITS.segmentJitterMs) continue;
            expect(transitions(updateSegments(state, set, 'all', now))).toEqual([]);
          }
        },
      ),
      { numRuns: 300, seed: 4 },
    );
  });
});
