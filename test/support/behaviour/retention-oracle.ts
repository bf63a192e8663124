import { byPlayer, type PastEvent } from './histories.ts';
import { intervalOf, laterInterval, type OracleInterval } from './oracle-intervals.ts';

/* Retention by brute force: each player's intervals one after the other, by the calendar of `Intl`. */

export interface OracleEvent {
  name: string;
  mode?: string;
}

export interface OracleRetention {
  method: 'classic' | 'rolling';
  interval: OracleInterval;
  first?: OracleEvent | undefined;
  returns?: OracleEvent | undefined;
  periods: readonly number[];
  fromMs: number;
  toMs: number;
  by?: 'country' | undefined;
}

const isEvent = (event: PastEvent, wanted: OracleEvent | undefined): boolean =>
  wanted === undefined || (event.name === wanted.name && (wanted.mode === undefined || event.mode === wanted.mode));

/** Rows as the statement has them, in its order. */
export function retentionOf(events: readonly PastEvent[], zone: string, asked: OracleRetention) {
  const { interval, fromMs, toMs, first, returns, periods, method } = asked;
  const groups = new Map<string, { key: string; cohort: string; players: number; retained: number[] }>();
  for (const own of byPlayer(events)) {
    const inRange = ({ happenedMs: at }: PastEvent) => at >= fromMs && at < toMs;
    const begins = first === undefined ? own[0] : own.find((event) => inRange(event) && isEvent(event, first));
    if (begins === undefined || !inRange(begins)) continue;
    const cohort = intervalOf(interval, zone, begins.happenedMs);
    const starts = own
      .filter((event) => isEvent(event, returns))
      .map(({ happenedMs }) => intervalOf(interval, zone, happenedMs));
    const key = asked.by === undefined ? '' : countryOf(own, begins, first !== undefined, zone);
    const id = JSON.stringify([key, cohort]);
    const group = groups.get(id) ?? { key, cohort, players: 0, retained: periods.map(() => 0) };
    group.players += 1;
    for (const [place, n] of periods.entries()) {
      const wanted = laterInterval(interval, cohort, n);
      const isBack = starts.some((start) => (method === 'classic' ? start === wanted : start >= wanted));
      if (isBack) group.retained[place] = (group.retained[place] ?? 0) + 1;
    }
    groups.set(id, group);
  }
  return [...groups.values()].toSorted(
    (one, other) => compare(one.key, other.key) || compare(one.cohort, other.cohort),
  );
}

/** Of the first event; of a first day the last country that an event of it names. */
function countryOf(own: readonly PastEvent[], begins: PastEvent, isOfEvent: boolean, zone: string): string {
  if (isOfEvent) return begins.country;
  const day = intervalOf('day', zone, begins.happenedMs);
  const named = own.filter(({ happenedMs, country }) => country !== '' && intervalOf('day', zone, happenedMs) === day);
  return named.at(-1)?.country ?? '';
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
