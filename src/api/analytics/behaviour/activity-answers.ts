import type {
  LifecycleQuestion,
  StickinessQuestion,
} from '../../../../clickhouse-schema/queries/questions/question.ts';
import type { QuestionRow } from '../../../../clickhouse-schema/queries/questions/statement-of.ts';
import { LIFECYCLE_STATE_NAMES } from '../../../../core/vocabulary/metrics/lifecycle.ts';
import { dateOf, dayIn } from '../../../../core/kernel/zoned-days.ts';
import { DAY_MS } from '../../../../core/kernel/days.ts';
import { bucketsOf, endOf } from '../trend-buckets.ts';

/* Answers of players by the days on which they were active. Intervals that begin in the future are left out. */

type Rows = readonly QuestionRow[];

export function lifecycleAnswer(question: LifecycleQuestion, rows: Rows, nowMs: number) {
  const players = new Map(rows.map((row) => [`${String(row['day'])} ${String(row['state'])}`, Number(row['players'])]));
  const intervals = begunIn(question, nowMs).map(({ day, isOver }) => ({
    day,
    is_over: isOver,
    ...Object.fromEntries(LIFECYCLE_STATE_NAMES.map((state) => [state, players.get(`${day} ${state}`) ?? 0])),
  }));
  return { interval: question.interval, intervals };
}

export function stickinessAnswer(question: StickinessQuestion, rows: Rows, nowMs: number) {
  const found = new Map(rows.map((row) => [`${String(row['day'])} ${String(row['days'])}`, Number(row['players'])]));
  const intervals = begunIn(question, nowMs).map(({ day, isOver, length }) => {
    const counts = Array.from({ length }, (_, n) => ({ days: n + 1, players: found.get(`${day} ${n + 1}`) ?? 0 }));
    const all = counts.reduce((sum, { players }) => sum + players, 0);
    const shares = counts.map((count) => ({ ...count, share: all === 0 ? null : round(count.players / all) }));
    return { day, is_over: isOver, players: all, days: shares };
  });
  return { interval: question.interval, intervals };
}

/** The intervals of the range that have begun, and how many days they have. */
function begunIn(question: LifecycleQuestion | StickinessQuestion, nowMs: number) {
  const { interval, zone } = question;
  return bucketsOf(interval, question)
    .filter((at) => at <= nowMs)
    .map((at) => {
      const end = endOf(interval, zone, at);
      const day = dayIn(zone, at);
      return { day: dateOf(day), isOver: end <= nowMs, length: lengthOf(interval, day) };
    });
}

/** Days by the calendar: a zone may have left one out. */
function lengthOf(interval: LifecycleQuestion['interval'], day: number): number {
  if (interval !== 'month') return interval === 'week' ? 7 : 1;
  const first = new Date(day * DAY_MS);
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
}

/** With the four decimals that shares have. */
const round = (share: number): number => Math.round(share * 10_000) / 10_000;
