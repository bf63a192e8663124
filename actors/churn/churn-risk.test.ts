import { array, assert, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import { played } from '../sessions/activity.ts';
import { aPlayer } from '../testing-players.ts';
import { churnChangesAt, isHighRisk } from './churn-changes.ts';
import { churnRisk, churnScoreOn, HIGH_SCORE } from './churn-risk.ts';
import { type DailyActivity, NO_ACTIVITY } from '../../core/vocabulary/state/player.ts';

const TODAY = 20_000;
const at = (daysAgo: number, hour = 12): number => (TODAY - daysAgo) * DAY_MS + (hour * DAY_MS) / 24;
const NOW = at(0);

interface Play {
  daysAgo: number;
  sessions: number;
  minutes: number;
}

function activityOf(plays: readonly Play[]): DailyActivity {
  let activity = NO_ACTIVITY;
  for (const { daysAgo, sessions, minutes } of plays.toSorted((a, b) => b.daysAgo - a.daysAgo)) {
    activity = played(activity, at(daysAgo), sessions, minutes * 60);
  }
  return activity;
}

/** Who first came `ageDays` ago, was last seen `idleDays` ago, and played so. */
const history = (ageDays: number, idleDays: number, plays: readonly Play[]) => ({
  activity: activityOf(plays),
  firstSeenAt: at(ageDays),
  lastSeenAt: at(idleDays),
});

const daily = (fromDaysAgo: number, toDaysAgo: number, sessions: number, minutes: number): Play[] =>
  Array.from({ length: fromDaysAgo - toDaysAgo + 1 }, (_, index) => ({
    daysAgo: fromDaysAgo - index,
    sessions,
    minutes,
  }));

/** Score, level, contributions by factor, confidence. */
function summary(...[ageDays, idleDays, plays]: Parameters<typeof history>) {
  const { score, level, factors, confidence } = churnRisk(history(ageDays, idleDays, plays), NOW);
  const of = (name: string) => factors.find(({ factor }) => factor === name)?.contribution;
  return [score, level, of('session_decline'), of('playtime_decline'), of('inactivity'), confidence];
}

describe('churn risk, calculated by hand', () => {
  it('is 0 for a player who plays as usual', () => {
    expect(summary(60, 0, daily(27, 0, 2, 30))).toEqual([0, 'low', 0, 0, 0, 90]);
  });

  it('is 0 for a player who plays more than usual', () => {
    expect(summary(60, 0, [...daily(27, 7, 1, 10), ...daily(6, 0, 3, 60)])).toEqual([0, 'low', 0, 0, 0, 90]);
  });

  it('weighs sessions and playtime separately: half the sessions, the same playtime', () => {
    // 21 sessions in 3 weeks, 7 a week; 3.5 would be half, so 4 is a decline of 3/7. 210 minutes a week stay.
    const plays = [...daily(27, 7, 1, 30), ...daily(3, 1, 1, 52), { daysAgo: 0, sessions: 1, minutes: 54 }];
    expect(summary(60, 0, plays)).toEqual([1_500, 'low', 1_500, 0, 0, 90]);
  });

  it('is medium from a third: half of everything, inactive for 2 days', () => {
    // Declines of 1/2: 1750 + 1250. Inactivity 2/14 of 4000: 571.
    const plays = [...daily(27, 7, 2, 60), ...daily(6, 2, 1, 30), { daysAgo: 6, sessions: 2, minutes: 60 }];
    expect(summary(60, 2, plays)).toEqual([3_571, 'medium', 1_750, 1_250, 571, 90]);
  });

  it('is high for a player who stopped a week ago', () => {
    expect(summary(60, 7, daily(27, 7, 1, 30))).toEqual([8_000, 'high', 3_500, 2_500, 2_000, 90]);
  });

  it('reaches its maximum two weeks after the last day, and stays there', () => {
    for (const idleDays of [14, 20, 27, 28, 40, 400]) {
      const [score, level] = summary(500, idleDays, daily(idleDays + 20, idleDays, 1, 30));
      expect([score, level], `${idleDays} days`).toEqual([10_000, 'high']);
    }
  });

  it('uses inactivity alone for a player who only tracks events', () => {
    expect(summary(100, 0, [])).toEqual([0, 'low', 0, 0, 0, 90]);
    expect(summary(100, 5, [])).toEqual([3_571, 'medium', 0, 0, 3_571, 90]);
    expect(summary(100, 9, [])).toEqual([6_429, 'medium', 0, 0, 6_429, 90]);
    expect(summary(100, 10, [])).toEqual([7_143, 'high', 0, 0, 7_143, 90]);
  });

  it('gives the weight of playtime to inactivity if sessions have no playtime', () => {
    const sessionsOnly = daily(27, 7, 1, 0);
    expect(summary(60, 7, sessionsOnly)).toEqual([6_750, 'high', 3_500, 0, 3_250, 90]);
  });

  it('finds no decline in the first week, with a low confidence', () => {
    expect(summary(0, 0, daily(0, 0, 1, 30))).toEqual([0, 'low', 0, 0, 0, 3]);
    expect(summary(4, 3, daily(4, 3, 2, 30))).toEqual([857, 'low', 0, 0, 857, 16]);
  });

  it('counts less than a week of earlier history as a week', () => {
    // Ten days old: the first 4 days had 4 sessions, which counts as 4 a week, against 2 now.
    const plays = [...daily(10, 7, 1, 10), { daysAgo: 1, sessions: 2, minutes: 20 }];
    expect(summary(10, 1, plays)).toEqual([3_286, 'low', 1_750, 1_250, 286, 35]);
  });

  it('describes its factors, the largest first', () => {
    expect(churnRisk(history(60, 6, [...daily(27, 7, 1, 30), { daysAgo: 6, sessions: 1, minutes: 45 }]), NOW)).toEqual({
      score: 6_678,
      level: 'high',
      factors: [
        {
          factor: 'session_decline',
          description: '1 session in the last 7 days, against 7 a week before.',
          contribution: 3_000,
        },
        {
          factor: 'playtime_decline',
          description: '45 minutes played in the last 7 days, against 210 a week before.',
          contribution: 1_964,
        },
        { factor: 'inactivity', description: 'Last active 6 days ago.', contribution: 1_714 },
      ],
      confidence: 90,
      predictedAt: NOW,
    });
  });
});

const anyHistory = record({
  ageDays: integer({ min: 0, max: 120 }),
  idleDays: integer({ min: 0, max: 60 }),
  plays: array(
    record({
      daysAgo: integer({ min: 0, max: 40 }),
      sessions: integer({ min: 0, max: 5 }),
      minutes: constantFrom(0, 1, 20, 300),
    }),
    { maxLength: 20 },
  ),
});

describe('churn risk for any history', () => {
  it('is between 0 and 1, and the sum of its factors, which are sorted in descending order', () => {
    assert(
      property(anyHistory, ({ ageDays, idleDays, plays }) => {
        const { score, level, factors, confidence } = churnRisk(history(ageDays, idleDays, plays), NOW);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(10_000);
        expect(factors.reduce((sum, { contribution }) => sum + contribution, 0)).toBe(score);
        const contributions = factors.map(({ contribution }) => contribution);
        expect(contributions).toEqual(contributions.toSorted((a, b) => b - a));
        expect(new Set(factors.map(({ factor }) => factor)).size).toBe(3);
        expect(level).toBe(score < 3_300 ? 'low' : score < 6_600 ? 'medium' : 'high');
        expect(confidence).toBeLessThanOrEqual(90);
      }),
    );
  });

  it('is never high on a day with activity, so activity always ends a high risk', () => {
    assert(
      property(anyHistory, ({ ageDays, plays }) => {
        expect(churnScoreOn(history(ageDays, 0, plays), TODAY)).toBeLessThan(HIGH_SCORE);
      }),
    );
  });

  it('changes by time alone exactly at the predicted time', () => {
    assert(
      property(anyHistory, ({ ageDays, idleDays, plays }) => {
        const state = aPlayer(history(ageDays, idleDays, plays));
        const churnHigh = isHighRisk(state, NOW);
        const player = { ...state, churnHigh };
        const isChanged = (day: number): boolean => churnScoreOn(state, day) >= HIGH_SCORE !== churnHigh;
        const days = Array.from({ length: 100 }, (_, index) => TODAY + 1 + index);
        const first = days.find(isChanged);
        const changesAt = churnChangesAt(player, NOW);
        if (first === undefined) expect(changesAt).toBeUndefined();
        else {
          expect(changesAt).toBeGreaterThanOrEqual(first * DAY_MS);
          expect(changesAt).toBeLessThan(first * DAY_MS + PLAYER_LIMITS.segmentJitterMs);
          expect(isHighRisk(state, changesAt ?? 0)).toBe(!churnHigh);
        }
      }),
    );
  });

  it('never becomes high sooner after activity, so an event never moves a due time forward', () => {
    assert(
      property(anyHistory, integer({ min: 0, max: 60 }), integer({ min: 0, max: 40 }), (some, less, ahead) => {
        const { ageDays, idleDays, plays } = some;
        const later = churnScoreOn(history(ageDays, Math.min(less, idleDays), plays), TODAY + ahead);
        expect(later).toBeLessThanOrEqual(churnScoreOn(history(ageDays, idleDays, plays), TODAY + ahead));
      }),
    );
  });
});
