import { array, assert, constant, constantFrom, integer, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { churnScoreOn, HIGH_SCORE } from '../churn/churn-risk.ts';
import { DAY_MS, dayOf } from '../../core/kernel/days.ts';
import { jitterMs } from '../segments/update-segments.ts';
import { played } from '../sessions/activity.ts';
import { BORN_AT, HOUR_MS, ID, life } from './testing-player-life.ts';
import { DEFAULT_THRESHOLDS } from './thresholds.ts';
import type { LifecycleThresholds } from '../../core/vocabulary/documents/game.ts';
import type { LifecycleStage } from '../../core/vocabulary/state/lifecycle-stages.ts';
import { NO_ACTIVITY } from '../../core/vocabulary/state/player.ts';

interface Step {
  kind: 'event' | 'session' | 'purchase' | 'patch' | 'pass';
  afterHours: number;
  minutes: number;
}

/** The reference model: evaluates every hour, without due times. */
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
  const validate = (at: number): void => {
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
    validate(at);
  };
  let next = 0;
  let nextMs = BORN_AT + (steps[0]?.afterHours ?? 0) * HOUR_MS;
  for (let at = BORN_AT; at <= untilMs; at += HOUR_MS) {
    const midnight = dayOf(at) * DAY_MS;
    if (at - midnight < HOUR_MS && midnight > BORN_AT) validate(midnight + jitterMs(ID));
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

  it('equal those of the reference model, whenever timers run and even if the service is down throughout', () => {
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
