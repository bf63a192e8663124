import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../core/kernel/days.ts';
import { dueAt } from '../timers.ts';
import { BORN_AT, HOUR_MS, life } from './testing-player-life.ts';

const day = (days: number): number => BORN_AT + days * DAY_MS;

describe('a player’s stage', () => {
  it('is active at the second session', () => {
    const one = life();
    one.session(BORN_AT + HOUR_MS);
    expect(one.player().lifecycleStage).toBe('new');
    one.session(BORN_AT + 2 * HOUR_MS);
    expect(one.stages()).toEqual([['active', 2]]);
  });

  it('is active at the end of the first day, however active the player was', () => {
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

  it('has every change once, with its due time, after 45 days without timers', () => {
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

  it('is churned first if the player returns after 45 days without timers, in the same command', () => {
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

  it('is active at the third session after a return, and at once after a return from at_risk', () => {
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

  it('falls back for a reactivated player as for any other', () => {
    const one = life();
    one.session(day(40));
    one.pass(day(100));
    expect(one.stages().slice(3)).toEqual([
      ['reactivated', 40 * 24],
      ['at_risk', 47 * 24],
      ['churned', 70 * 24],
    ]);
  });

  it('is not changed by a registration or patch: neither is activity of the player', () => {
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

  it('uses the thresholds of the game', () => {
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

  it('may go from new to at_risk if the game counts players as new for longer', () => {
    const one = life({ newDays: 20 });
    one.pass(day(40));
    expect(one.stages()).toEqual([
      ['at_risk', 7 * 24],
      ['churned', 30 * 24],
    ]);
  });

  it('uses longer thresholds from the next timer on, and never goes back by itself', () => {
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

  it('uses shorter thresholds from the next activity on', () => {
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
  it('emit no other facts, and move the due time about once a week', () => {
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
