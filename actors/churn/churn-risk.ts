import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { dayOf } from '../../core/kernel/days.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { ChurnFactor, ChurnLevel, ChurnRisk } from '../../core/vocabulary/state/churn-risk.ts';
import type { DailyActivity } from '../../core/vocabulary/state/player.ts';

/** The parts of a player's state that the risk depends on. */
export type ChurnHistory = Pick<PlayerState, 'activity' | 'firstSeenAt' | 'lastSeenAt'>;

/** The lowest scores of a medium and of a high risk, in ten-thousandths. */
const MEDIUM_SCORE = 3_300;
export const HIGH_SCORE = 6_600;

/** The maximum contribution of each factor, in ten-thousandths. */
const SESSION_WEIGHT = 3_500;
const PLAYTIME_WEIGHT = 2_500;
const INACTIVITY_WEIGHT = 4_000;

const RECENT_DAYS = 7;
/** Days without activity at which inactivity is at its maximum: twice the week that players are compared by. */
export const IDLE_DAYS = 14;
/** The maximum confidence, in hundredths: no prediction of behaviour is certain. */
const MOST_CONFIDENCE = 90;

/**
 * Estimates the churn risk of a player as of `nowMs` (epoch milliseconds).
 *
 * A heuristic, not a fitted model: no data of players who left went into it. It follows practice and literature on
 * churn. Recency and frequency of use predict best (the RFM tradition; Fader, Hardie and Lee, "RFM and CLV", 2005). In
 * games, fewer sessions and less playtime than the player's own habit precede churn (Hadiji et al., "Predicting Player
 * Churn in the Wild", 2014; Periáñez et al., "Churn Prediction in Mobile Social Games", 2016).
 *
 * Days are in UTC; today is the last of the 7 recent days. `weeks` is the known part of the 21 days before, 1 to 3.
 *
 *     decline(x)   = max(0, 1 - recent(x) / (before(x) / weeks))
 *     inactivity   = min(1, days since last seen / 14)
 *     score        = 0.35 decline(sessions) + 0.25 decline(playtime) + 0.40 inactivity
 *
 * Without sessions (or playtime) in 28 days there is nothing to compare, and that weight goes to inactivity: a game
 * that tracks only events is scored by inactivity alone, and so is a player absent for long. With activity now and none
 * before, the decline is 0. Confidence grows with the days of history, up to 28.
 *
 * Limits: weights and thresholds are chosen, not measured, and the score is not a probability. Weekends, seasons and
 * purchases are ignored. Today counts as a whole day, so early in the day a daily player seems up to a seventh less
 * active. Playtime counts on the day its session closed.
 */
export function churnRisk(history: ChurnHistory, nowMs: number): ChurnRisk {
  const day = dayOf(nowMs);
  const figures = figuresOn(history, day);
  const { sessions, playtime, inactivity } = contributionsOf(figures);
  const score = sessions + playtime + inactivity;
  const factors: ChurnFactor[] = [
    { factor: 'session_decline', description: describeSessions(figures), contribution: sessions },
    { factor: 'playtime_decline', description: describePlaytime(figures), contribution: playtime },
    { factor: 'inactivity', description: describeIdle(figures), contribution: inactivity },
  ];
  factors.sort((a, b) => b.contribution - a.contribution);
  const known = Math.min(1, figures.historyDays / STATE_LIMITS.activityDays);
  return {
    score,
    level: levelOf(score),
    factors,
    confidence: Math.round(MOST_CONFIDENCE * known),
    predictedAt: nowMs,
  };
}

/** The score alone, as of a UTC day (days since the Unix epoch); ten-thousandths. */
export function churnScoreOn(history: ChurnHistory, day: number): number {
  const { sessions, playtime, inactivity } = contributionsOf(figuresOn(history, day));
  return sessions + playtime + inactivity;
}

function levelOf(score: number): ChurnLevel {
  if (score < MEDIUM_SCORE) return 'low';
  return score < HIGH_SCORE ? 'medium' : 'high';
}

/** The amounts to compare: of the last 7 days, and of the 21 days before. */
interface Comparison {
  recent: number;
  before: number;
}

interface Figures {
  sessions: Comparison;
  playtimeSeconds: Comparison;
  /** Known weeks of the 21 days before, 1 to 3. */
  weeks: number;
  idleDays: number;
  /** Days since the player was first seen, that day included. */
  historyDays: number;
}

function figuresOn({ activity, firstSeenAt, lastSeenAt }: ChurnHistory, day: number): Figures {
  const historyDays = Math.max(1, day - dayOf(firstSeenAt) + 1);
  const weeksBefore = Math.min(historyDays, STATE_LIMITS.activityDays) / 7 - 1;
  return {
    sessions: compare(activity.sessions, activity, day),
    playtimeSeconds: compare(activity.playtimeSeconds, activity, day),
    weeks: Math.max(1, weeksBefore),
    idleDays: Math.max(0, day - dayOf(Math.max(lastSeenAt, firstSeenAt))),
    historyDays,
  };
}

/** Days after `day` (another node's clock was ahead) count as recent. */
function compare(amounts: readonly number[], { day: newest }: DailyActivity, day: number): Comparison {
  let recent = 0;
  let before = 0;
  for (let back = 0; back < amounts.length; back++) {
    const age = day - newest + back;
    if (age >= STATE_LIMITS.activityDays) break;
    if (age < RECENT_DAYS) recent += amounts[back] ?? 0;
    else before += amounts[back] ?? 0;
  }
  return { recent, before };
}

function contributionsOf(figures: Figures): { sessions: number; playtime: number; inactivity: number } {
  const { sessions, playtimeSeconds, weeks, idleDays } = figures;
  const idleWeight =
    INACTIVITY_WEIGHT + (isEmpty(sessions) ? SESSION_WEIGHT : 0) + (isEmpty(playtimeSeconds) ? PLAYTIME_WEIGHT : 0);
  return {
    sessions: Math.round(SESSION_WEIGHT * declineOf(sessions, weeks)),
    playtime: Math.round(PLAYTIME_WEIGHT * declineOf(playtimeSeconds, weeks)),
    inactivity: Math.round(idleWeight * Math.min(1, idleDays / IDLE_DAYS)),
  };
}

const isEmpty = ({ recent, before }: Comparison): boolean => recent === 0 && before === 0;

function declineOf({ recent, before }: Comparison, weeks: number): number {
  return before === 0 ? 0 : Math.max(0, 1 - (recent * weeks) / before);
}

function describeSessions({ sessions: { recent, before }, weeks }: Figures): string {
  if (isEmpty({ recent, before })) return 'No sessions in the last 28 days to compare.';
  const now = `${recent} ${recent === 1 ? 'session' : 'sessions'} in the last 7 days`;
  return before === 0
    ? `${now}, none in the 21 before.`
    : `${now}, against ${oneDecimal(before / weeks)} a week before.`;
}

function describePlaytime({ playtimeSeconds: { recent, before }, weeks }: Figures): string {
  if (isEmpty({ recent, before })) return 'No playtime in the last 28 days to compare.';
  const now = `${oneDecimal(recent / 60)} minutes played in the last 7 days`;
  const usual = oneDecimal(before / weeks / 60);
  return before === 0 ? `${now}, none in the 21 before.` : `${now}, against ${usual} a week before.`;
}

function describeIdle({ idleDays }: Figures): string {
  if (idleDays === 0) return 'Active today.';
  return idleDays === 1 ? 'Last active 1 day ago.' : `Last active ${idleDays} days ago.`;
}

const oneDecimal = (amount: number): number => Math.round(amount * 10) / 10;
