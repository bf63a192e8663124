import type {
  BreakdownQuestion,
  LtvQuestion,
  PathsQuestion,
  Question,
  RetentionQuestion,
  TrendQuestion,
} from '../../../clickhouse-schema/queries/questions/question.ts';
import type { QuestionRow } from '../../../clickhouse-schema/queries/questions/statement-of.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { funnelAnswer } from './funnel-answer.ts';
import { bucketsOf, endOf } from './trend-buckets.ts';
import { DAY_MS } from '../../../core/kernel/days.ts';

/* Answers of the query API, from rows of ClickHouse. Their schemas are in query-results.ts. */

type Rows = readonly QuestionRow[];

/** The JSON text of an answer. @param nowMs decides which days are over */
export function answerText(question: Question, rows: Rows, nowMs: number): string {
  const range = { from: formatTimestamp(question.fromMs), to: formatTimestamp(question.toMs) };
  return JSON.stringify({ kind: question.kind, ...range, ...resultOf(question, rows, nowMs) });
}

function resultOf(question: Question, rows: Rows, nowMs: number): Record<string, unknown> {
  switch (question.kind) {
    case 'trend':
      return trend(question, rows, nowMs);
    case 'breakdown':
      return breakdown(question, rows);
    case 'retention':
      return retention(question, rows, nowMs);
    case 'ltv':
      return ltv(question, rows, nowMs);
    case 'funnel':
      return funnelAnswer(question, rows);
    case 'paths':
      return paths(question, rows);
  }
}

/** Intervals that begin in the future are left out; the one that is under way is partial. */
function trend(question: TrendQuestion, rows: Rows, nowMs: number): Record<string, unknown> {
  const { metric, interval, by } = question;
  const starts = bucketsOf(interval, question)
    .filter((at) => at <= nowMs)
    .map((at) => ({ at, text: formatTimestamp(at) }));
  const found = by === undefined && rows.length === 0 ? [{ key: '' }] : rows;
  const shown = found.map(({ key, starts: measured, figures }: QuestionRow) => {
    const inOrder = listIn(figures);
    const values = new Map(listIn(measured).map((at, place) => [Number(at) * 1000, Number(inOrder[place])]));
    const points = starts.map(({ at, text }) => ({ at: text, value: values.get(at) ?? 0 }));
    return { key: by === undefined ? null : String(key), total: total(values.values()), points };
  });
  const last = starts.at(-1);
  const isPartial = last !== undefined && endOf(interval, last.at) > nowMs;
  shown.sort((one, other) => other.total - one.total || compare(one.key ?? '', other.key ?? ''));
  return {
    metric,
    interval,
    partial_from: isPartial ? last.text : null,
    series: shown.map(({ key, points }) => ({ key, points })),
  };
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function breakdown({ metric }: BreakdownQuestion, rows: Rows): Record<string, unknown> {
  const [first] = rows;
  return {
    metric,
    keys: Number(first?.['keys'] ?? 0),
    total: Number(first?.['total'] ?? 0),
    rows: rows.map(({ key, value }) => ({ key: String(key), value: Number(value) })),
  };
}

/** A day counts once it is over. */
function retention({ days, by }: RetentionQuestion, rows: Rows, nowMs: number): Record<string, unknown> {
  const cohorts = rows.map(({ key, cohort, players, retained }) => {
    const size = Number(players);
    const counts = listIn(retained);
    const shown = days.map((day, place) => {
      const active = isOver(cohort, day, nowMs) ? Number(counts[place] ?? 0) : null;
      return { day, players: active, rate: active === null || size === 0 ? null : round(active / size) };
    });
    return { key: by === undefined ? null : String(key), day: String(cohort), players: size, retained: shown };
  });
  return { cohorts };
}

/** The revenue up to a day counts once that day is over. */
function ltv({ days, by }: LtvQuestion, rows: Rows, nowMs: number): Record<string, unknown> {
  const cohorts = rows.map(({ key, cohort, players, payers, revenue }) => {
    const size = Number(players);
    const sums = Array.isArray(revenue) ? revenue : [];
    const values = days.map((day, place) => {
      const sum = isOver(cohort, day, nowMs) ? round(Number(sums[place] ?? 0)) : null;
      return { day, revenue: sum, per_player: sum === null || size === 0 ? null : round(sum / size) };
    });
    const shownKey = by === undefined ? null : String(key);
    return { key: shownKey, day: String(cohort), players: size, payers: Number(payers), values };
  });
  return { cohorts };
}

/** Whether the Nth day after a first day is over. */
function isOver(cohort: unknown, day: number, nowMs: number): boolean {
  return Date.parse(`${String(cohort)}T00:00:00Z`) + (day + 1) * DAY_MS <= nowMs;
}

function paths({ eventName }: PathsQuestion, rows: Rows): Record<string, unknown> {
  const [first] = rows;
  const orNull = (name: unknown): string | null => (name === '' ? null : String(name));
  return {
    event_name: eventName,
    keys: Number(first?.['paths'] ?? 0),
    total: Number(first?.['total'] ?? 0),
    paths: rows.map((row) => ({
      steps: [eventName, orNull(row['first']), orNull(row['second'])],
      times: Number(row['times']),
      players: Number(row['players']),
    })),
  };
}

function total(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** With the four decimals that shares and money have. */
const round = (figure: number): number => Math.round(figure * 10_000) / 10_000;

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
