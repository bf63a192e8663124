import {
  array,
  assert,
  constantFrom,
  integer,
  oneof,
  option,
  property,
  record,
  constant,
  type Arbitrary,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SESSION_LIMITS } from './limits.ts';
import { decodeState, encodeState } from '../../core/codec/state/state-codec.ts';
import { BORN_MS, TTL_MS, aLife } from './testing-session.ts';

/** One step, `afterMs` after the previous one. Sessions are numbered by the order of their init. */
type Step = { afterMs: number } & (
  | { kind: 'init' }
  | { kind: 'sync'; session: number; items: Item[] }
  | { kind: 'end'; session: number; items: Item[]; durationSeconds: number }
  /** The owner's timers run, on time or not. It must make no difference. */
  | { kind: 'look' }
);

interface Item {
  eventName: string;
  /** Before the call; timestamps decide the order. */
  agoMs: number;
  eventId: string | null;
  achievement: string;
}

const items: Arbitrary<Item[]> = array(
  record({
    eventName: constantFrom('level_up', 'achievement_unlocked', 'intervention_shown', 'intervention_clicked'),
    agoMs: integer({ min: 0, max: 5 * 3_600_000 }),
    eventId: option(constantFrom('e1', 'e2', 'e3'), { nil: null }),
    achievement: constantFrom('a', 'b', 'c'),
  }),
  { maxLength: 4 },
);
const session = oneof(integer({ min: 1, max: 3 }), integer({ min: 0, max: 9 }));
const afterMs = oneof(
  { weight: 14, arbitrary: integer({ min: 0, max: 60_000 }) },
  // Around the expiry of a session, and long after it.
  { weight: 2, arbitrary: integer({ min: TTL_MS - 2, max: TTL_MS + 2 }) },
  { weight: 1, arbitrary: integer({ min: 0, max: 4 * TTL_MS }) },
);
const durationSeconds = oneof(integer({ min: 0, max: 100 }), integer({ min: 0, max: 2 ** 31 }));
const steps: Arbitrary<Step[]> = array(
  oneof(
    { weight: 3, arbitrary: record({ afterMs, kind: constant('init' as const) }) },
    { weight: 6, arbitrary: record({ afterMs, kind: constant('sync' as const), session, items }) },
    { weight: 2, arbitrary: record({ afterMs, kind: constant('end' as const), session, items, durationSeconds }) },
    { weight: 2, arbitrary: record({ afterMs, kind: constant('look' as const) }) },
  ),
  { maxLength: 40, size: 'max' },
);

/** A sequential model of the documented behaviour, written from the API documentation and not from the code. */
function createModel() {
  interface Open {
    id: string;
    openedAt: number;
    calledAt: number;
    total: number;
    achievements: string[];
    shown: number;
    clicked: number;
  }
  let open: Open[] = [];
  let sessionCount = 0;
  let playtimeSeconds = 0;
  const known = new Set<string>();
  const closed: string[] = [];

  function close(one: Open, reason: string, at: number, seconds: number): void {
    open = open.filter((other) => other !== one);
    playtimeSeconds += seconds;
    closed.push(`${one.id} ${reason} at ${at} after ${seconds}`);
  }
  const played = (one: Open): number => Math.floor((one.calledAt - one.openedAt) / 1000);

  function take(one: Open, list: readonly Item[]): number {
    let accepted = 0;
    // By timestamp. Array.sort is stable: equal timestamps keep their order.
    for (const item of [...list].sort((x, y) => y.agoMs - x.agoMs)) {
      if (item.eventId !== null && known.has(item.eventId)) continue;
      if (item.eventId !== null) known.add(item.eventId);
      accepted += 1;
      if (item.eventName === 'intervention_shown') one.shown += 1;
      if (item.eventName === 'intervention_clicked') one.clicked += 1;
      const isNew = !one.achievements.includes(item.achievement);
      if (item.eventName === 'achievement_unlocked' && isNew) one.achievements.push(item.achievement);
    }
    one.total += accepted;
    return accepted;
  }

  return {
    closed,
    get totals() {
      return { sessionCount, totalPlaytimeSeconds: playtimeSeconds, open: open.map(({ id }) => id) };
    },
    /** Closes the sessions that expired by `nowMs`, each at its own time. */
    pass(nowMs: number): void {
      for (const one of open.filter(({ calledAt }) => calledAt + TTL_MS <= nowMs)) {
        close(one, 'expired', one.calledAt + TTL_MS, played(one));
      }
    },
    init(id: string, nowMs: number): void {
      const [oldest] = open;
      if (open.length === 4 && oldest !== undefined) close(oldest, 'replaced', nowMs, played(oldest));
      sessionCount += 1;
      open.push({ id, openedAt: nowMs, calledAt: nowMs, total: 0, achievements: [], shown: 0, clicked: 0 });
    },
    sync(id: string, list: readonly Item[], nowMs: number): object {
      const one = open.find((other) => other.id === id);
      if (one === undefined) return { code: 'SESSION_NOT_FOUND' };
      one.calledAt = nowMs;
      return { kind: 'sessionSynced', eventsAccepted: take(one, list) };
    },
    end(id: string, list: readonly Item[], seconds: number, nowMs: number): object {
      const one = open.find((other) => other.id === id);
      if (one === undefined) return { code: 'SESSION_NOT_FOUND' };
      take(one, list);
      const durationSeconds = Math.min(seconds, Math.floor((nowMs - one.openedAt) / 1000));
      close(one, 'ended', nowMs, durationSeconds);
      const { total: totalEvents, achievements, shown: interventionsShown, clicked: interventionsClicked } = one;
      return { totalEvents, durationSeconds, achievements, interventionsShown, interventionsClicked };
    },
  };
}

/** Runs the steps and compares each with the model; returns how the sessions ended. */
function live(history: readonly Step[]): string[] {
  const life = aLife();
  const model = createModel();
  let nowMs = BORN_MS;
  let inits = 0;
  const asEvents = (list: readonly Item[]) =>
    list.map(({ eventName, agoMs, eventId, achievement }) => ({
      eventName,
      timestamp: nowMs - agoMs,
      properties: JSON.stringify({ achievement_id: achievement, intervention_id: 'int_1' }),
      ...(eventId === null ? {} : { eventId }),
    }));
  for (const step of history) {
    nowMs += step.afterMs;
    model.pass(nowMs);
    switch (step.kind) {
      case 'init': {
        const id = `ses_${(inits += 1)}`;
        model.init(id, nowMs);
        expect(life.init(nowMs, id)).toMatchObject({ kind: 'sessionOpened', sessionId: id });
        break;
      }
      case 'sync': {
        const id = `ses_${step.session}`;
        const expected = model.sync(id, step.items, nowMs);
        expect(life.sync(nowMs, id, asEvents(step.items))).toMatchObject(expected);
        break;
      }
      case 'end': {
        const id = `ses_${step.session}`;
        const expected = model.end(id, step.items, step.durationSeconds, nowMs);
        expect(life.end(nowMs, id, step.durationSeconds, asEvents(step.items))).toMatchObject(expected);
        break;
      }
      case 'look':
        life.look(nowMs);
    }
    const { sessions, sessionCount, totalPlaytimeSeconds } = life.player();
    expect({ sessionCount, totalPlaytimeSeconds, open: sessions.map(({ sessionId }) => sessionId) }).toEqual(
      model.totals,
    );
    expect(sessions.length).toBeLessThanOrEqual(SESSION_LIMITS.openSessions);
    expect(decodeState(encodeState(life.player()))).toEqual(life.player());
  }
  const closed = life.facts.flatMap((fact) => (fact.kind === 'SessionClosed' ? [fact] : []));
  expect(
    closed.map((fact) => `${fact.sessionId} ${fact.reason} at ${fact.at} after ${fact.durationSeconds}`).toSorted(),
  ).toEqual(model.closed.toSorted());
  const days = life.player().activity;
  const sum = (list: readonly number[]): number => list.reduce((total, one) => total + one, 0);
  expect([sum(days.sessions), sum(days.playtimeSeconds)]).toEqual([
    model.totals.sessionCount,
    model.totals.totalPlaytimeSeconds,
  ]);
  return closed.map(({ reason }) => reason);
}

describe('any interleaving of sessions and time', () => {
  it('equals a sequential model', () => {
    const endings = new Map<string, number>();
    assert(
      property(steps, (history) => {
        for (const reason of new Set(live(history))) endings.set(reason, (endings.get(reason) ?? 0) + 1);
      }),
      { numRuns: 300 },
    );
    // The minimum number of histories with each end, so that the test covers all of them.
    for (const reason of ['ended', 'expired', 'replaced']) expect(endings.get(reason), reason).toBeGreaterThan(5);
  });
});
