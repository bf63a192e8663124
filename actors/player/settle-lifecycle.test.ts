import { array, assert, constantFrom, integer, oneof, property, record, constant } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { churnScoreOn, HIGH_SCORE } from '../churn/churn-risk.ts';
import type { Command, CommandBody } from '../commands.ts';
import { DAY_MS, dayOf } from '../days.ts';
import { decide } from '../decide.ts';
import { decideDue, dueAt } from '../due.ts';
import { evolve } from '../evolve.ts';
import type { DomainFact } from '../facts.ts';
import { jitterMs } from '../segments/settle-segments.ts';
import { played } from '../sessions/activity.ts';
import { NO_ACTIVITY, type EntityState, type LifecycleStage, type PlayerState } from '../state.ts';
import { aCommand, definitionsOf } from '../testing.ts';
import { DEFAULT_THRESHOLDS, type LifecycleThresholds } from './thresholds.ts';

const ID = '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const HOUR_MS = DAY_MS / 24;
/** Half past noon: no moment of these tests lies in the minutes after midnight in which risks are looked at. */
const BORN_AT = 20_000 * DAY_MS + 12.5 * HOUR_MS;

/** One player and its service, which may be down for as long as a test likes. */
function life(thresholds: Partial<LifecycleThresholds> = {}) {
  let lifecycle = { ...DEFAULT_THRESHOLDS, ...thresholds };
  let state: EntityState | undefined;
  let count = 0;
  const facts: DomainFact[] = [];
  const draft = {
    facts,
    get: (id: string) => (id === ID ? state : undefined),
    emit(fact: DomainFact) {
      facts.push(fact);
      state = evolve(state, fact);
    },
  };
  const definitions = { ...definitionsOf(), settings: () => ({ lifecycle }) };
  const send = (atMs: number, body: CommandBody, some: Partial<Command> = {}) =>
    decide(draft, aCommand(body, { receivedAt: atMs, deadlineAt: Infinity, ...some }), definitions);
  const player = (): PlayerState => {
    if (state?.kind !== 'player') throw new Error('there is no player');
    return state;
  };
  send(BORN_AT, { kind: 'RegisterPlayer', playerId: ID, externalId: 'ext-1', createOnly: false, byClientKey: false });
  return {
    facts,
    player,
    event: (atMs: number) =>
      send(atMs, {
        kind: 'TrackEvents',
        items: [
          {
            index: 0,
            playerId: ID,
            eventId: `e-${++count}`,
            remember: false,
            eventName: 'win',
            properties: '{}',
            sessionId: null,
            timestamp: atMs,
          },
        ],
      }),
    session: (atMs: number, durationSeconds = 600) =>
      send(atMs, {
        kind: 'RecordSession',
        playerId: ID,
        sessionId: `s-${++count}`,
        startedAt: null,
        endedAt: null,
        durationSeconds,
        eventId: `e-${count}`,
      }),
    purchase: (atMs: number) =>
      send(atMs, {
        kind: 'RecordPurchase',
        playerId: ID,
        amount: 10_000,
        currency: null,
        productId: null,
        transactionId: null,
        eventId: `e-${++count}`,
      }),
    patch: (atMs: number) => send(atMs, { kind: 'PatchPlayer', playerId: ID, attributes: `{"n":${++count}}` }),
    register: (atMs: number) =>
      send(atMs, { kind: 'RegisterPlayer', playerId: ID, externalId: 'ext-1', createOnly: false, byClientKey: false }),
    /** The owner looks at what is due. */
    pass: (atMs: number) => decideDue(draft, ID, atMs, definitions),
    configure(some: Partial<LifecycleThresholds>) {
      lifecycle = { ...DEFAULT_THRESHOLDS, ...some };
    },
    /** The stages, each with the hours since birth at which it began. */
    stages: (): [LifecycleStage, number][] =>
      facts
        .flatMap((fact) =>
          fact.kind === 'LifecycleChanged' ? [[fact.to, (fact.changedAt - BORN_AT) / HOUR_MS] as const] : [],
        )
        .map(([to, hours]) => [to, hours]),
    churn: (): [boolean, number][] =>
      facts
        .flatMap((fact) => (fact.kind === 'ChurnRiskChanged' ? [[fact.high, fact.at] as const] : []))
        .map(([high, at]) => [high, at]),
  };
}

const day = (days: number): number => BORN_AT + days * DAY_MS;

describe('a player’s stage', () => {
  it('is active at the second session', () => {
    const one = life();
    one.session(BORN_AT + HOUR_MS);
    expect(one.player().lifecycleStage).toBe('new');
    one.session(BORN_AT + 2 * HOUR_MS);
    expect(one.stages()).toEqual([['active', 2]]);
  });

  it('is active at its first day’s end, however much it did on it', () => {
    const one = life();
    for (let hour = 1; hour < 24; hour += 1) one.event(BORN_AT + hour * HOUR_MS);
    expect(one.stages()).toEqual([]);
    one.pass(day(1) - 1);
    expect(one.stages()).toEqual([]);
    one.pass(day(1));
    expect(one.stages()).toEqual([['active', 24]]);
  });

  it('is at_risk after 7 days without activity and churned after 30, on the millisecond', () => {
    const one = life();
    one.session(BORN_AT + HOUR_MS);
    one.session(BORN_AT + 2 * HOUR_MS);
    const lastSeenAt = one.player().lastSeenAt;
    for (const [days, stage] of [
      [7, 'at_risk'],
      [30, 'churned'],
    ] as const) {
      const before = one.player().lifecycleStage;
      one.pass(lastSeenAt + days * DAY_MS - 1);
      expect(one.player().lifecycleStage).toBe(before);
      one.pass(lastSeenAt + days * DAY_MS);
      expect(one.player().lifecycleStage).toBe(stage);
    }
    expect(one.stages()).toEqual([
      ['active', 2],
      ['at_risk', 2 + 7 * 24],
      ['churned', 2 + 30 * 24],
    ]);
    one.pass(day(1_000));
    expect(one.stages()).toHaveLength(3);
    expect(dueAt(one.player())).toBeNull();
  });

  it('has every change with its due time, once, after 45 days in which nobody looked', () => {
    const one = life();
    one.session(BORN_AT + HOUR_MS);
    one.pass(day(45));
    one.pass(day(45));
    expect(one.stages()).toEqual([
      ['active', 24],
      ['at_risk', 1 + 7 * 24],
      ['churned', 1 + 30 * 24],
    ]);
    expect(one.churn().map(([high]) => high)).toEqual([true]);
  });

  it('of who returns after 45 days in which nobody looked was churned first: the same command says so', () => {
    const one = life();
    one.session(BORN_AT + HOUR_MS);
    one.event(day(45));
    expect(one.stages()).toEqual([
      ['active', 24],
      ['at_risk', 1 + 7 * 24],
      ['churned', 1 + 30 * 24],
      ['reactivated', 45 * 24],
    ]);
    expect(one.churn().map(([high]) => high)).toEqual([true, false]);
    const tracked = one.facts.findLast((fact) => fact.kind === 'EventTracked');
    expect(tracked).toMatchObject({ lifecycleStage: 'churned' });
  });

  it('after a return is active with the third further session, and a return from at_risk is active at once', () => {
    const one = life();
    one.session(day(40));
    for (const more of [1, 2, 3]) {
      expect(one.player().lifecycleStage).toBe('reactivated');
      one.session(day(40) + more * HOUR_MS);
    }
    one.purchase(day(50));
    expect(one.stages().slice(3)).toEqual([
      ['reactivated', 40 * 24],
      ['active', 40 * 24 + 3],
      ['at_risk', 47 * 24 + 3],
      ['active', 50 * 24],
    ]);
  });

  it('of a reactivated player falls back like any other', () => {
    const one = life();
    one.session(day(40));
    one.pass(day(100));
    expect(one.stages().slice(3)).toEqual([
      ['reactivated', 40 * 24],
      ['at_risk', 47 * 24],
      ['churned', 70 * 24],
    ]);
  });

  it('stays what it is when a caller registers or patches: neither is the player’s doing', () => {
    const one = life();
    one.register(day(6));
    one.patch(day(6) + HOUR_MS);
    one.pass(day(8));
    expect(one.stages()).toEqual([
      ['active', 24],
      ['at_risk', 7 * 24],
    ]);
    one.patch(day(9));
    one.register(day(9));
    expect(one.player().lifecycleStage).toBe('at_risk');
  });

  it('changes by the game’s own thresholds', () => {
    const one = life({ newDays: 3, atRiskDays: 10, churnedDays: 12, reactivatedSessions: 1 });
    one.pass(day(13));
    one.session(day(20));
    one.session(day(21));
    expect(one.stages()).toEqual([
      ['active', 72],
      ['at_risk', 240],
      ['churned', 288],
      ['reactivated', 480],
      ['active', 504],
    ]);
  });

  it('may be at_risk while new, where a game counts players as new for longer', () => {
    const one = life({ newDays: 20 });
    one.pass(day(40));
    expect(one.stages()).toEqual([
      ['at_risk', 7 * 24],
      ['churned', 30 * 24],
    ]);
  });

  it('follows longer thresholds at the next look, and never goes back by itself', () => {
    const one = life();
    one.pass(day(8));
    one.configure({ atRiskDays: 20, churnedDays: 60 });
    one.pass(day(50));
    expect(one.player().lifecycleStage).toBe('at_risk');
    one.pass(day(61));
    expect(one.stages()).toEqual([
      ['active', 24],
      ['at_risk', 7 * 24],
      ['churned', 60 * 24],
    ]);
  });

  it('follows shorter thresholds with its next activity', () => {
    const one = life();
    one.pass(day(1));
    one.configure({ atRiskDays: 2, churnedDays: 3 });
    one.event(day(2));
    one.pass(day(30));
    expect(one.stages()).toEqual([
      ['active', 24],
      ['at_risk', 4 * 24],
      ['churned', 5 * 24],
    ]);
  });
});

describe('an active player’s events', () => {
  it('lead to nothing but themselves, and to a look about once a week', () => {
    const one = life();
    for (let hour = 1; hour <= 28 * 24; hour += 1) {
      one.event(BORN_AT + hour * HOUR_MS);
      one.pass(BORN_AT + hour * HOUR_MS);
    }
    const others = one.facts.filter(({ kind }) => kind !== 'EventTracked' && kind !== 'PlayerRegistered');
    expect(others.map(({ kind }) => kind)).toEqual([
      'LifecycleChanged',
      ...Array.from({ length: 4 }, () => 'LifecycleScheduled'),
    ]);
  });
});

interface Step {
  kind: 'event' | 'session' | 'purchase' | 'patch' | 'pass';
  afterHours: number;
  minutes: number;
}

/** What should come of it, told hour by hour with no memory of when to look. */
function plainly(steps: readonly Step[], thresholds: LifecycleThresholds, untilMs: number) {
  const stages: [LifecycleStage, number][] = [];
  const churn: [boolean, number][] = [];
  let stage: LifecycleStage = 'new';
  let sessions = 0;
  let inStage = 0;
  let lastSeenAt = BORN_AT;
  let activity = NO_ACTIVITY;
  let high = false;
  const become = (to: LifecycleStage, at: number): void => {
    if (to === stage) return;
    stage = to;
    inStage = 0;
    stages.push([to, (at - BORN_AT) / HOUR_MS]);
  };
  const judge = (at: number): void => {
    const now = churnScoreOn({ activity, firstSeenAt: BORN_AT, lastSeenAt }, dayOf(at)) >= HIGH_SCORE;
    if (now !== high) churn.push([now, at]);
    high = now;
  };
  const timePasses = (at: number): void => {
    const silentDays = (at - lastSeenAt) / DAY_MS;
    if (stage === 'new' && at >= BORN_AT + thresholds.newDays * DAY_MS) become('active', at);
    if (stage !== 'churned' && stage !== 'at_risk' && silentDays >= thresholds.atRiskDays) become('at_risk', at);
    if (stage === 'at_risk' && silentDays >= thresholds.churnedDays) become('churned', at);
  };
  const happen = (step: Step, at: number): void => {
    if (step.kind === 'patch' || step.kind === 'pass') return;
    lastSeenAt = at;
    if (step.kind === 'session') {
      sessions += 1;
      inStage += 1;
      activity = played(activity, at, 1, step.minutes * 60);
    }
    if (stage === 'new' && sessions >= 2) become('active', at);
    else if (stage === 'at_risk') become('active', at);
    else if (stage === 'churned') become('reactivated', at);
    else if (stage === 'reactivated' && inStage >= thresholds.reactivatedSessions) become('active', at);
    judge(at);
  };
  let next = 0;
  let nextMs = BORN_AT + (steps[0]?.afterHours ?? 0) * HOUR_MS;
  for (let at = BORN_AT; at <= untilMs; at += HOUR_MS) {
    const midnight = dayOf(at) * DAY_MS;
    if (at - midnight < HOUR_MS && midnight > BORN_AT) judge(midnight + jitterMs(ID));
    timePasses(at);
    for (let step = steps[next]; step !== undefined && nextMs === at; step = steps[next]) {
      happen(step, at);
      next += 1;
      nextMs += (steps[next]?.afterHours ?? 0) * HOUR_MS;
    }
  }
  return { stages, churn };
}

describe('stages and churn risk over a whole life', () => {
  const step = record({
    kind: constantFrom<Step['kind']>('event', 'event', 'session', 'session', 'purchase', 'patch', 'pass', 'pass'),
    afterHours: oneof(constant(0), integer({ min: 0, max: 30 }), integer({ min: 24, max: 40 * 24 })),
    minutes: constantFrom(0, 5, 120),
  });
  const thresholds = oneof(
    constant(DEFAULT_THRESHOLDS),
    record({
      newDays: integer({ min: 1, max: 12 }),
      atRiskDays: integer({ min: 1, max: 12 }),
      churnedDays: integer({ min: 13, max: 40 }),
      reactivatedSessions: integer({ min: 1, max: 4 }),
    }),
  );

  it('are those of a plain model, whenever the service looks, and if it was down throughout', () => {
    assert(
      property(array(step, { maxLength: 25 }), thresholds, (steps, set) => {
        const one = life(set);
        let nowMs = BORN_AT;
        for (const { kind, afterHours, minutes } of steps) {
          nowMs += afterHours * HOUR_MS;
          if (kind === 'session') one.session(nowMs, minutes * 60);
          else one[kind](nowMs);
        }
        const untilMs = nowMs + 60 * DAY_MS;
        one.pass(untilMs);
        const expected = plainly(steps, set, untilMs);
        expect(one.stages()).toEqual(expected.stages);
        expect(one.churn()).toEqual(expected.churn);
      }),
      { numRuns: 300 },
    );
  });
});
