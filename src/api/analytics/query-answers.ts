import {
  type BreakdownQuestion,
  type Figure,
  type LtvQuestion,
  type PathsQuestion,
  readsDays,
  type RetentionQuestion,
  type TrendQuestion,
} from '../../../clickhouse-schema/queries/questions/question.ts';
import type { QuestionRow } from '../../../clickhouse-schema/queries/questions/statement-of.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import { type Asked, figuresOf } from '../../../clickhouse-schema/queries/questions/asked.ts';
import { lifecycleAnswer, stickinessAnswer } from './behaviour/activity-answers.ts';
import { playersAnswer } from './players/players-answer.ts';
import { funnelAnswer } from './behaviour/funnel-answer.ts';
import { bucketsOf, endOf, isOver } from './trend-buckets.ts';
import { dayOf } from '../../../core/kernel/days.ts';

/* Answers of the query API, from rows of ClickHouse. Their schemas are in query-results.ts. */

type Rows = readonly QuestionRow[];

/**
 * The JSON text of an answer.
 * @param nowMs decides which days are over
 * @param builtToMs of an answer from `player_days`: up to when they are built; `undefined`: they are being built anew
 */
export function answerText(question: Asked, rows: Rows, nowMs: number, builtToMs?: number): string {
  const range = { from: formatTimestamp(question.fromMs), to: formatTimestamp(question.toMs) };
  const built = readsDays(figuresOf(question)) ? { built_to: formatTimestampOrNull(builtToMs ?? null) } : {};
  return JSON.stringify({ kind: question.kind, ...range, ...built, ...resultOf(question, rows, nowMs) });
}

function resultOf(question: Asked, rows: Rows, nowMs: number): Record<string, unknown> {
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
    case 'lifecycle':
      return lifecycleAnswer(question, rows, nowMs);
    case 'stickiness':
      return stickinessAnswer(question, rows, nowMs);
    case 'players':
      return playersAnswer(question, rows);
  }
}

/** Intervals that begin in the future are left out; the one that is under way is partial. */
function trend(question: TrendQuestion, rows: Rows, nowMs: number): Record<string, unknown> {
  const { interval, by, beforeMs, fromMs, figure, zone } = question;
  const startsOf = (range: { fromMs: number; toMs: number }) =>
    bucketsOf(interval, { ...range, zone })
      .filter((at) => at <= nowMs)
      .map((at) => ({ at, text: formatTimestamp(at) }));
  const starts = startsOf(question);
  const before = beforeMs === undefined ? undefined : startsOf({ fromMs: beforeMs, toMs: fromMs });
  const empty = figure.nullWithout === undefined ? 0 : null;
  const found = by === undefined && rows.length === 0 ? [{ key: '' }] : rows;
  const shown = found.map(({ key, points, size }: QuestionRow) => {
    const values = new Map(listIn(points).map((point) => valueIn(listIn(point))));
    const pointsOf = (all: typeof starts) => all.map(({ at, text }) => ({ at: text, value: values.get(at) ?? empty }));
    const previous = before === undefined ? null : pointsOf(before);
    return { key: by === undefined ? null : String(key), size: Number(size), points: pointsOf(starts), previous };
  });
  const last = starts.at(-1);
  const isPartial = last !== undefined && endOf(interval, zone, last.at) > nowMs;
  shown.sort((one, other) => other.size - one.size || compare(one.key ?? '', other.key ?? ''));
  return {
    ...named(figure),
    interval,
    partial_from: isPartial ? last.text : null,
    series: shown.map(({ key, points, previous }) => ({ key, points, previous })),
  };
}

/** A start in epoch milliseconds, and the figure; a sum beyond the largest number is none. */
function valueIn([at, value]: readonly unknown[]): [number, number | null] {
  return [Number(at) * 1000, figureIn(value)];
}

const figureIn = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value));

function named({ metric, title, unit, nullWithout }: Figure): Record<string, unknown> {
  return { metric, title, unit, null_reason: nullWithout ?? null };
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Values that cannot be added up have no total. */
function breakdown({ figure }: BreakdownQuestion, rows: Rows): Record<string, unknown> {
  const [first] = rows;
  return {
    ...named(figure),
    keys: Number(first?.['keys'] ?? 0),
    total: figure.nullWithout === undefined ? Number(first?.['total'] ?? 0) : null,
    rows: rows.map(({ key, value }) => ({ key: String(key), value: figureIn(value) })),
  };
}

/** An interval counts once it is over. */
function retention(question: RetentionQuestion, rows: Rows, nowMs: number): Record<string, unknown> {
  const { method, interval, periods, by, zone } = question;
  const cohorts = rows.map(({ key, cohort, players, retained }) => {
    const size = Number(players);
    const counts = listIn(retained);
    const shown = periods.map((after, place) => {
      const active = isOver(interval, zone, dayIn(cohort), after, nowMs) ? Number(counts[place] ?? 0) : null;
      return { after, players: active, rate: active === null || size === 0 ? null : round(active / size) };
    });
    return { key: by === undefined ? null : String(key), day: String(cohort), players: size, retained: shown };
  });
  return { method, interval, cohorts };
}

/** The revenue up to a day counts once that day is over. */
function ltv({ days, by, zone }: LtvQuestion, rows: Rows, nowMs: number): Record<string, unknown> {
  const cohorts = rows.map(({ key, cohort, players, payers, revenue }) => {
    const size = Number(players);
    const sums = Array.isArray(revenue) ? revenue : [];
    const values = days.map((day, place) => {
      const sum = isOver('day', zone, dayIn(cohort), day, nowMs) ? round(Number(sums[place] ?? 0)) : null;
      return { day, revenue: sum, per_player: sum === null || size === 0 ? null : round(sum / size) };
    });
    const shownKey = by === undefined ? null : String(key);
    return { key: shownKey, day: String(cohort), players: size, payers: Number(payers), values };
  });
  return { cohorts };
}

/** A first day, which ClickHouse writes as a date. */
const dayIn = (cohort: unknown): number => dayOf(Date.parse(String(cohort)));

function paths({ eventName, direction }: PathsQuestion, rows: Rows): Record<string, unknown> {
  const [first] = rows;
  const orNull = (name: unknown): string | null => (name === '' ? null : String(name));
  return {
    event_name: eventName,
    direction,
    keys: Number(first?.['paths'] ?? 0),
    total: Number(first?.['total'] ?? 0),
    paths: rows.map((row) => ({
      steps: [eventName, orNull(row['first']), orNull(row['second'])],
      times: Number(row['times']),
      players: Number(row['players']),
    })),
  };
}

/** With the four decimals that shares and money have. */
const round = (figure: number): number => Math.round(figure * 10_000) / 10_000;

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
