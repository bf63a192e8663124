import { LIFECYCLE_STATE_NAMES, LIFECYCLE_STATES } from '../../../core/vocabulary/metrics/lifecycle.ts';
import { dayText, offsetText } from '../parts/zoned-time.ts';
import { TEXTS } from '../texts.ts';
import type { Result } from './query.ts';

const texts = TEXTS.analytics;

/** A result as rows of text and numbers, as it is downloaded. null: not known yet. */
export interface ResultTable {
  header: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
}

/** @param zone in which times are written */
export function tableOf(result: Result, zone: string): ResultTable {
  switch (result.kind) {
    case 'trend': {
      const { series, interval } = result;
      const timeText = (ms: number): string => (interval === 'hour' ? offsetText(zone, ms) : dayText(zone, ms));
      return {
        header: [
          texts.columns.time(zone),
          ...series.flatMap(({ key, previous }) => {
            const name = keyText(key, result.title);
            return previous === null ? [name] : [name, texts.before(name)];
          }),
        ],
        rows: (series[0]?.points ?? []).map(({ at }, place) => [
          timeText(Date.parse(at)),
          ...series.flatMap(({ points, previous }) => {
            const value = points[place]?.value ?? null;
            return previous === null ? [value] : [value, previous[place]?.value ?? null];
          }),
        ]),
      };
    }
    case 'breakdown':
      return {
        header: [texts.columns.value, result.title],
        rows: result.rows.map(({ key, value }) => [key, value]),
      };
    case 'retention': {
      const days = result.cohorts[0]?.retained.map(({ after }) => texts.after[result.interval](after)) ?? [];
      return {
        header: [texts.columns.cohort, texts.columns.group, texts.columns.players, ...days],
        rows: result.cohorts.map(({ key, day, players, retained }) => [
          day,
          key,
          players,
          ...retained.map(({ players: active }) => active),
        ]),
      };
    }
    case 'ltv': {
      const days = result.cohorts[0]?.values.map(({ day }) => texts.after.day(day)) ?? [];
      return {
        header: [texts.columns.cohort, texts.columns.group, texts.columns.players, texts.columns.payers, ...days],
        rows: result.cohorts.map(({ key, day, players, payers, values }) => [
          day,
          key,
          players,
          payers,
          ...values.map(({ per_player: value }) => value),
        ]),
      };
    }
    case 'funnel':
      return funnelTable(result);
    case 'paths':
      return pathsTable(result);
    case 'lifecycle':
      return {
        header: [texts.columns.interval, ...LIFECYCLE_STATE_NAMES.map((state) => LIFECYCLE_STATES[state].title)],
        rows: result.intervals.map((each) => [each.day, ...LIFECYCLE_STATE_NAMES.map((state) => each[state])]),
      };
    case 'stickiness': {
      const most = Math.max(0, ...result.intervals.map(({ days }) => days.length));
      const counts = Array.from({ length: most }, (_, place) => place);
      return {
        header: [texts.columns.interval, texts.columns.players, ...counts.map((place) => texts.activeDays(place + 1))],
        rows: result.intervals.map(({ day, players, days }) => [
          day,
          players,
          ...counts.map((place) => days[place]?.players ?? null),
        ]),
      };
    }
  }
}

type Of<K extends Result['kind']> = Extract<Result, { kind: K }>;

function funnelTable(result: Of<'funnel'>): ResultTable {
  const { step, players, converted, inside, dropped, share, group, median, p90 } = texts.columns;
  return {
    header: [group, step, players, converted, inside, dropped, share, `${median} (s)`, `${p90} (s)`],
    rows: result.funnels.flatMap(({ key, steps }) =>
      steps.map((each, place) => [
        key,
        stepName(each.event_name, place),
        each.players,
        each.converted,
        each.inside,
        each.dropped,
        each.rate,
        each.seconds_from_previous?.median ?? null,
        each.seconds_from_previous?.p90 ?? null,
      ]),
    ),
  };
}

function pathsTable(result: Of<'paths'>): ResultTable {
  return {
    header: [
      texts.columns.first,
      texts.columns.second,
      texts.columns.third,
      texts.columns.times,
      texts.columns.players,
    ],
    rows: result.paths.map(({ steps: [first = null, second = null, third = null], times, players }) => [
      first,
      second,
      third,
      times,
      players,
    ]),
  };
}

/** The event of a step; in any order the number of steps that were done. */
export const stepName = (name: string | null, place: number): string => name ?? texts.stepsDone(place + 1);

/** The name of a series; the empty value has a word of its own. */
export function keyText(key: string | null, otherwise: string): string {
  return key === null ? otherwise : key === '' ? texts.noValue : key;
}
