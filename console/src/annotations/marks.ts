import { dateOf, dayIn } from '../../../core/kernel/zoned-days.ts';
import type { AnswerOf } from '../frame/api.ts';
import { DAY_MS } from '../parts/charts/units.ts';
import { clockText, momentOf, startOf } from '../parts/zoned-time.ts';

/* Where notes stand on a chart, and what a person writes of one. */

export type Annotation = AnswerOf<'GET /v1/analytics/annotations'>['annotations'][number];

/** A note on a chart. */
export interface Mark {
  annotation: Annotation;
  /** The interval in which it is, by its place. */
  place: number;
}

const isDay = (at: string): boolean => at.length === '2026-01-15'.length;

/** The moment of a note; of one on a day the start of that day of the game. */
const momentIn = (zone: string, at: string): number => (isDay(at) ? startOf(zone, at) : Date.parse(at));

/**
 * The notes within a chart, in the order of time.
 * @param at starts of its intervals, ascending; the last one is as long as the one before, or a day
 */
export function marksOf(zone: string, at: readonly number[], annotations: readonly Annotation[]): Mark[] {
  const last = at.at(-1);
  if (last === undefined) return [];
  const endMs = last + (last - (at.at(-2) ?? last - DAY_MS));
  return annotations
    .map((annotation) => ({ annotation, ms: momentIn(zone, annotation.at) }))
    .toSorted((one, other) => one.ms - other.ms)
    .filter(({ ms }) => ms < endMs)
    .map(({ annotation, ms }) => ({ annotation, place: at.findLastIndex((start) => start <= ms) }))
    .filter(({ place }) => place >= 0);
}

/** What a person writes: a day, and a time of that day or nothing. */
export interface Written {
  text: string;
  day: string;
  time: string;
  kind: string;
  key: string;
}

export const NEW = (zone: string, ms: number): Written => ({
  text: '',
  day: dateOf(dayIn(zone, ms)),
  time: '',
  kind: '',
  key: '',
});

export function writtenOf(zone: string, { text, at, link }: Annotation): Written {
  const clock = isDay(at) ? '' : clockText(zone, Date.parse(at)).slice(11, 16);
  const day = isDay(at) ? at : clockText(zone, Date.parse(at)).slice(0, 10);
  return { text, day, time: clock, kind: link?.kind ?? '', key: link?.key ?? '' };
}

/**
 * `at` as the API takes it; `undefined`: the day is not whole yet.
 * @param before the note as it was: a moment whose minute is the same keeps its seconds
 */
export function atOf(
  zone: string,
  { day, time }: Pick<Written, 'day' | 'time'>,
  before?: Annotation,
): string | undefined {
  if (!isDay(day) || Number.isNaN(Date.parse(day))) return undefined;
  if (time === '') return day;
  if (before !== undefined) {
    const held = writtenOf(zone, before);
    if (held.day === day && held.time === time) return before.at;
  }
  const ms = momentOf(zone, `${day} ${time.slice(0, 5)}`);
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
