import { array, assert, constantFrom, integer, nat, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import { NEW_CONTEXT } from '../../core/vocabulary/facts/event-context.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import type { SegmentSet } from '../decision/definitions.ts';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import { reactToCommand } from '../react-to-command.ts';
import { aPlayer, definitionsOf } from '../testing-players.ts';
import { given } from '../testing/harness.ts';
import { decideTimers, dueAt } from '../timers.ts';
import { listCondition } from './list-condition.ts';
import { createSegmentSet } from './segment-set.ts';
import { updateSegments } from './update-segments.ts';

const NOON = 20_000 * DAY_MS + DAY_MS / 2;
const LOAD = 'l1';
const PLAYER = 'p1';

/** The conditions of segments by id; `list`: a static segment. */
type Segments = Readonly<Record<string, JsonObject | 'list'>>;

function setOf(segments: Segments): SegmentSet {
  const lookup = { computed: () => undefined, hasSegment: (id: string) => id in segments };
  return createSegmentSet(
    Object.entries(segments).map(([id, conditions]) => {
      if (conditions === 'list') {
        return { segment: { id, key: id, condition: listCondition(id, LOAD), load: LOAD }, conditions: {} };
      }
      const made = compileCondition(conditions, { lookup });
      if (made.kind === 'invalid') throw new Error(JSON.stringify(made.faults));
      return { segment: { id, key: id, condition: made.condition }, conditions };
    }),
  );
}

const start = (some: Partial<PlayerState> = {}): PlayerState =>
  aPlayer({ id: PLAYER, lifecycleStage: 'active', firstSeenAt: NOON, lastSeenAt: NOON, lifecycleDueAt: 0, ...some });

const base = (at: number) => ({ entityId: PLAYER, game: 'demo', environment: 'live', at }) as const;

function tracked(eventName: string, at: number): DomainFact {
  const event = { eventId: 'x', remember: false, eventName, properties: '{}', sessionId: null, timestamp: at };
  return { kind: 'EventTracked', ...base(at), ...event, ...NEW_CONTEXT, externalId: 'e' };
}

function listed(segmentId: string, isAdded: boolean, at: number): DomainFact {
  return { kind: 'PlayerListed', ...base(at), segmentId, loads: isAdded ? [LOAD] : [] };
}

function world(player: PlayerState, set: SegmentSet) {
  const { draft, player: stateOf } = given([player]);
  const ids = (): string[] => stateOf(PLAYER).segments.map(({ segmentId }) => segmentId);
  return {
    state: () => stateOf(PLAYER),
    ids,
    sweep(next: SegmentSet, at: number) {
      for (const fact of updateSegments(stateOf(PLAYER), next, 'all', at)) draft.emit(fact);
      return ids();
    },
    /** Emits a fact of a command, and what it makes of the segments. */
    fact(fact: DomainFact) {
      const since = draft.facts.length;
      draft.emit(fact);
      reactToCommand(draft, since, set, fact.at);
      return ids();
    },
    timers(until: number) {
      for (let due = dueAt(stateOf(PLAYER)); due !== null && due <= until; due = dueAt(stateOf(PLAYER))) {
        decideTimers({ ...draft }, PLAYER, until, definitionsOf({}, set));
      }
      return ids();
    },
    changes: () =>
      draft.facts.flatMap((fact) =>
        fact.kind === 'SegmentEntered' || fact.kind === 'SegmentExited' ? [`${fact.kind} ${fact.segmentId}`] : [],
      ),
  };
}

describe('a segment that reads another one', () => {
  const chain: Segments = {
    z_inner: { 'events.win.count_7d': { $gte: 1 } },
    y_middle: { $inSegment: ['z_inner'], is_payer: false },
    a_outer: { $inSegment: ['y_middle'] },
    b_others: { $not: { $inSegment: ['a_outer'] } },
  };

  it('follows it in the same decision, however deep, in the order of depth', () => {
    const made = world(start(), setOf(chain));
    expect(made.sweep(setOf(chain), NOON)).toEqual(['b_others']);
    expect(made.fact(tracked('win', NOON))).toEqual(['a_outer', 'y_middle', 'z_inner']);
    expect(made.changes().slice(1)).toEqual([
      'SegmentEntered z_inner',
      'SegmentEntered y_middle',
      'SegmentEntered a_outer',
      'SegmentExited b_others',
    ]);
  });

  it('follows a window that ends by time', () => {
    const made = world(start(), setOf(chain));
    made.fact(tracked('win', NOON));
    expect(made.timers(NOON + 5 * DAY_MS)).toEqual(['a_outer', 'y_middle', 'z_inner']);
    expect(made.timers(NOON + 8 * DAY_MS)).toEqual(['b_others']);
  });

  it('follows a list', () => {
    const set = setOf({ list: 'list', a_outer: { $inSegment: ['list'] }, b_other: { is_payer: true } });
    const made = world(start(), set);
    expect(made.fact(listed('list', true, NOON))).toEqual(['a_outer', 'list']);
    expect(made.fact(listed('list', false, NOON + 1))).toEqual([]);
  });

  it('follows an edit, a disabling and a deletion of it, by the sweep', () => {
    const made = world(start(), setOf(chain));
    made.fact(tracked('win', NOON));
    const never: Segments = { ...chain, z_inner: { 'events.win.count_7d': { $gte: 5 } } };
    expect(made.sweep(setOf(never), NOON)).toEqual(['b_others']);
    expect(made.sweep(setOf(chain), NOON)).toEqual(['a_outer', 'y_middle', 'z_inner']);
    const { z_inner: gone, ...rest } = chain;
    expect(gone).toBeDefined();
    // Not to be in a segment that is gone would be everybody; `b_others` reads one that is there.
    expect(made.sweep(setOf(rest), NOON)).toEqual(['b_others']);
    expect(made.sweep(setOf({ b: { $not: { $inSegment: ['z_inner'] } } }), NOON)).toEqual([]);
  });

  it('loses its players with the one that it reads, also if no other segment reads any', () => {
    const set = setOf({ inner: { is_payer: false }, outer: { $inSegment: ['inner'] } });
    const made = world(start(), set);
    expect(made.sweep(set, NOON)).toEqual(['inner', 'outer']);
    expect(made.sweep(setOf({ outer: { $inSegment: ['inner'] } }), NOON)).toEqual([]);
  });

  it('is touched by the events that the other one reads', () => {
    const names = (set: SegmentSet, event: string): string[] => set.touchedBy(event).map(({ id }) => id);
    const set = setOf({
      ...chain,
      c_bucket: { $bucket: { salt: 's', below: 50 } },
      d_own: { 'events.lose.count_1d': 1 },
    });
    expect(names(set, 'win')).toEqual(['z_inner', 'y_middle', 'a_outer', 'b_others']);
    expect(names(set, 'lose')).toEqual(['d_own']);
    expect(names(set, 'other')).toEqual([]);
    expect(set.withReaders('y_middle').map(({ id }) => id)).toEqual(['y_middle', 'a_outer', 'b_others']);
  });

  it('keeps its players if two edits at once made a circle', () => {
    const circle = setOf({
      a: { $inSegment: ['b'] },
      b: { $not: { $inSegment: ['a'] } },
      c: { $inSegment: ['a'] },
      d: {},
    });
    expect(circle.all.map(({ id }) => id)).toEqual(['d', 'a', 'b', 'c']);
    const member = [{ segmentId: 'a', segmentKey: 'a', since: 1 }];
    const made = world(start({ segments: member }), circle);
    expect(made.sweep(circle, NOON)).toEqual(['a', 'd']);
  });
});

describe('segments inside segments', () => {
  const NAMES = ['s0', 's1', 's2', 's3', 's4', 's5'];
  const own = constantFrom<(JsonObject | 'list')[]>(
    'list',
    { 'events.win.count_1d': { $gte: 2 } },
    { 'events.win.count_7d': { $gte: 3 } },
    { 'events.lose.last_days_ago': { $lte: 1 } },
    { days_since_last_seen: { $gte: 2 } },
    { $bucket: { salt: 's', below: 50 } },
    { $bucket: { salt: 's', by: 'device', below: 50 } },
  );
  /** Reads segments of smaller places only, by a shuffled id, so that ids and depths are in different orders. */
  const condition = record({ own, form: nat(5), inner: array(nat(4), { minLength: 1, maxLength: 2 }) });
  type Drawn = { own: JsonObject | 'list'; form: number; inner: number[] };
  const idAt = (place: number): string => NAMES[(place * 5 + 2) % NAMES.length] ?? '';

  function segmentsOf(drawn: readonly Drawn[]): Segments {
    return Object.fromEntries(
      drawn.map(({ own: mine, form, inner }, place): [string, JsonObject | 'list'] => {
        const names = inner.filter((other) => other < place).map(idAt);
        if (names.length === 0 || form === 0) return [idAt(place), mine];
        const read = { $inSegment: names };
        const field = mine === 'list' ? {} : mine;
        if (form === 1) return [idAt(place), read];
        if (form === 2) return [idAt(place), { $and: [field, read] }];
        if (form === 3) return [idAt(place), { $or: [{ is_payer: true }, read] }];
        return [idAt(place), form === 4 ? { $not: read } : { $nor: [read, { is_payer: true }] }];
      }),
    );
  }

  /** Who belongs, by evaluating each segment from the bottom: no order, scope or state of memberships is used. */
  function oracle(segments: Segments, set: SegmentSet, player: PlayerState, nowMs: number): string[] {
    const belongs = (id: string): boolean =>
      set.get(id)?.condition.matches({ player, nowMs, isMember: belongs }) === true;
    return Object.keys(segments).filter(belongs).toSorted();
  }

  it('hold what evaluating all of them from the bottom gives, after any events, lists and times', () => {
    const happening = record({
      what: oneof(constantFrom('win', 'lose', 'other'), nat(5)),
      isAdded: constantFrom(true, false),
      afterMs: integer({ min: 1, max: 2 * DAY_MS }),
    });
    let nested = 0;
    assert(
      property(array(condition, { minLength: 2, maxLength: 6 }), array(happening, { maxLength: 12 }), (drawn, all) => {
        const segments = segmentsOf(drawn);
        const set = setOf(segments);
        if (set.isNested) nested += 1;
        const made = world(start({ deviceId: drawn.length % 2 === 0 ? 'd1' : null }), set);
        made.sweep(set, NOON);
        let now = NOON;
        for (const { what, isAdded, afterMs } of all) {
          now += afterMs;
          made.timers(now);
          const id = typeof what === 'number' ? idAt(what) : '';
          if (typeof what === 'string') made.fact(tracked(what, now));
          else if (segments[id] === 'list') made.fact(listed(id, isAdded, now));
          // Changes by time alone may wait for the player's jitter after midnight.
          if (now % DAY_MS < PLAYER_LIMITS.segmentJitterMs) continue;
          expect(made.ids().toSorted()).toEqual(oracle(segments, set, made.state(), now));
        }
      }),
      { numRuns: 400, seed: 7 },
    );
    expect(nested).toBeGreaterThan(200);
  });
});
