import type { MeasureName } from '../../../core/vocabulary/metrics/measures.ts';
import { RATIOS, type MetricName, isRatio } from '../../../core/vocabulary/metrics/metrics.ts';
import type { Source } from '../../../core/vocabulary/metrics/metric.ts';
import { createRandom } from '../../sim/random.ts';

/*
 * A made game, and its figures by brute force: every metric from the rows of one player after the other, in TypeScript
 * alone. It shares the names of metrics with the service, and nothing else.
 */

const DAY_MS = 86_400_000;

/** A row of any source. `at` is when it counts; what a source does not have is missing. */
export interface Row {
  source: Source;
  player: number;
  at: number;
  receivedAt: number;
  sequence: number;
  /** Days since 1970. */
  day: number;
  firstDay: number;
  /** Values of dimensions as text. */
  values: Readonly<Record<string, string>>;
  /** Values that are numbers. */
  numbers: Readonly<Record<string, number>>;
  amount: number;
  counts: number;
  isRefund: boolean;
  seconds: number;
  /** When the device says that it happened. */
  deviceAt: number;
}

export interface World {
  rows: readonly Row[];
  players: readonly { attributes: { clan?: string }; isMember: boolean }[];
}

const COUNTRIES = ['DE', 'BR', '', 'ÅX'];
const PLATFORMS = ['ios', 'android', ''];
const NAMES = ['open', 'level_up', `it's "x"`];

/** Forty players in some weeks: late and impossible device times, taken back purchases, days without events. */
export function madeWorld(fromDay: number, toDay: number, seed: number): World {
  const random = createRandom(seed);
  const players = Array.from({ length: 40 }, (_, n) => ({
    attributes: {
      ...(n % 3 === 0 ? {} : { clan: n % 3 === 1 ? 'red' : 'blue' }),
      ...(n % 4 === 0 ? { level: n } : n % 4 === 1 ? { level: `${n}` } : {}),
      ...(n % 5 === 0 ? { 'vip.tier': 'gold' } : n % 5 === 1 ? { vip: { tier: 'gold' } } : { vip: null }),
    },
    isMember: n % 7 < 3,
  }));
  const rows: Row[] = [];
  for (let n = 0; n < 1_600; n += 1) rows.push(madeRow(n));
  return { rows: [...rows, ...daysOf(rows)], players };

  function madeRow(sequence: number): Row {
    const player = Math.floor(40 * random.next() ** 2);
    const receivedAt = Math.floor(random.between(fromDay * DAY_MS + (player % 20) * DAY_MS, toDay * DAY_MS));
    // Behind the receipt, eight days before it, or up to four days late.
    const late = random.chance(0.1) ? -1 : random.chance(0.1) ? 8 * DAY_MS : random.int(0, 4 * DAY_MS);
    const source = random.pick(['events', 'events', 'events', 'sessions', 'purchases'] as const);
    const deviceAt = receivedAt - late;
    const isLikely = source !== 'purchases' && late >= 0 && late < 7 * DAY_MS && deviceAt >= fromDay * DAY_MS;
    const at = isLikely ? deviceAt : receivedAt;
    const row = { source, player, at, receivedAt, sequence, day: Math.floor(at / DAY_MS), firstDay: 0, amount: 0 };
    const base = {
      ...row,
      isRefund: false,
      counts: 0,
      seconds: 0,
      deviceAt: isLikely ? deviceAt : receivedAt + 1,
      numbers: {},
    };
    if (source === 'sessions') {
      const values = {
        end_reason: random.pick(['ended', 'expired']),
        platform: random.pick(PLATFORMS),
        app_version: random.pick(['1.0', '1.1']),
        build: random.pick(['8', '']),
      };
      return { ...base, values, seconds: random.int(0, 900) };
    }
    if (source === 'purchases') {
      const amount = random.int(1, 9_999) / 100;
      const values = {
        product_id: random.pick(['gems', 'pass', '']),
        currency: random.pick(['EUR', '']),
        recorded_by: 'server',
      };
      if (random.chance(0.15)) return { ...base, values, isRefund: true, amount: -amount, counts: random.int(-1, 0) };
      return random.chance(0.2)
        ? { ...base, values, amount: -amount, counts: -1 }
        : { ...base, values, amount, counts: 1 };
    }
    const mode = random.pick(['solo', 'team', '']);
    const score = random.chance(0.8) ? random.int(-50, 500) / 4 : undefined;
    const isPayer = String(random.chance(0.3));
    const values = {
      event_name: random.pick(NAMES),
      country: random.pick(COUNTRIES),
      platform: random.pick(PLATFORMS),
      app_version: random.pick(['0.9', '1.1', '']),
      build: random.pick(['7', '8']),
      is_payer: isPayer,
      'property:mode': mode,
    };
    return score === undefined
      ? { ...base, values }
      : { ...base, values: { ...values, 'property:score': String(score) }, numbers: { 'property:score': score } };
  }
}

/** A row for each player and day, and one for each player's first day. */
function daysOf(rows: Row[]): Row[] {
  const days: Row[] = [];
  const valuesOf = new Map<string, Row['values']>();
  // A refund is no activity.
  for (const own of Map.groupBy(
    rows.filter(({ isRefund }) => !isRefund),
    ({ player }) => player,
  ).values()) {
    const byDay = [...Map.groupBy(own, ({ day }) => day)].toSorted(([one], [other]) => one - other);
    const firstDay = byDay[0]?.[0] ?? 0;
    const made = byDay.map(([day, ofDay]) => {
      const at = Math.min(...ofDay.map((row) => row.at));
      const values = {
        country: lastOf(ofDay, 'events', 'country'),
        platform: lastOf(ofDay, 'events', 'platform') || lastOf(ofDay, 'sessions', 'platform'),
        app_version: lastOf(ofDay, 'events', 'app_version') || lastOf(ofDay, 'sessions', 'app_version'),
      };
      for (const row of ofDay) row.firstDay = firstDay;
      const [first] = ofDay;
      if (first === undefined) throw new Error('a day has rows');
      valuesOf.set(`${first.player}/${day}`, values);
      const bought = ofDay.reduce((sum, { counts }) => sum + counts, 0);
      return { ...first, source: 'player_days' as const, at, day, firstDay, values, numbers: {}, counts: bought };
    });
    const [first] = made;
    if (first === undefined) continue;
    const country = made.find(({ values }) => values.country !== '')?.values.country ?? '';
    days.push(...made, { ...first, source: 'first_days', values: { ...first.values, country } });
  }
  for (const row of rows) row.values = { ...valuesOf.get(`${row.player}/${row.day}`), ...row.values };
  return days;
}

/** The last value that rows of a source name, by their receipt. */
function lastOf(rows: readonly Row[], source: Source, name: string): string {
  const named = rows.filter((row) => row.source === source && (row.values[name] ?? '') !== '');
  named.sort((one, other) => one.receivedAt - other.receivedAt || one.sequence - other.sequence);
  return named.at(-1)?.values[name] ?? '';
}

/** What is asked of the rows: those that pass, on days from one up to and without the other. */
export interface Asked {
  fromDay: number;
  toDay: number;
  keep?: (row: Row) => boolean;
  eventNames?: readonly string[];
  percentile?: number;
}

export function figure(world: World, metric: MetricName, asked: Asked): number | null {
  if (!isRatio(metric)) return measure(world, metric, asked);
  const { numerator, denominator } = RATIOS[metric];
  return ratio(measure(world, numerator, asked), measure(world, denominator, asked));
}

export function ratio(over: number | null, under: number | null): number | null {
  return under === null || under === 0 ? null : (over ?? 0) / under;
}

export function measure(world: World, name: MeasureName, asked: Asked): number | null {
  const { fromDay, toDay, keep = () => true, eventNames = [], percentile = 50 } = asked;
  const of = (source: Source, from = fromDay): Row[] => {
    const days = Array.from({ length: toDay - from }, (_, n) => indexOf(world).days.get(`${source} ${from + n}`) ?? []);
    return days.flat().filter(keep);
  };
  const players = (rows: readonly Row[]): number => new Set(rows.map(({ player }) => player)).size;
  const sum = (rows: readonly Row[], value: (row: Row) => number): number =>
    rows.reduce((all, row) => all + value(row), 0);
  const events = (): Row[] =>
    of('events').filter(({ values }) => eventNames.length === 0 || eventNames.includes(values['event_name'] ?? ''));
  const bought = (): Row[] => of('purchases').filter(({ isRefund }) => !isRefund);
  const scores = (): number[] => events().flatMap(({ numbers }) => numbers['property:score'] ?? []);
  switch (name) {
    case 'active_players':
      return players(of('player_days'));
    case 'active_days':
      return of('player_days').length;
    case 'wau':
      return players(of('player_days', toDay - 7));
    case 'mau':
      return players(of('player_days', toDay - 30));
    case 'new_players':
      return of('first_days').length;
    case 'returning_players':
      return players(of('player_days').filter(({ day, firstDay }) => day !== firstDay));
    case 'sessions':
      return of('sessions').length;
    case 'playtime_seconds':
      return sum(of('sessions'), ({ seconds }) => seconds);
    case 'events':
      return events().length;
    case 'players':
      return players(events());
    case 'sum':
      return scores().reduce((all, score) => all + score, 0);
    case 'average': {
      const found = scores();
      return found.length === 0 ? null : found.reduce((all, score) => all + score, 0) / found.length;
    }
    case 'percentile': {
      const found = scores().toSorted((one, other) => one - other);
      return found[Math.floor((percentile / 100) * found.length)] ?? null;
    }
    case 'purchases':
      return sum(bought(), ({ counts }) => counts);
    case 'payers': {
      const own = Map.groupBy(bought(), ({ player }) => player);
      return [...own.values()].filter((rows) => sum(rows, ({ counts }) => counts) > 0).length;
    }
    case 'first_time_payers':
      return of('player_days').filter((row) => row.day === indexOf(world).firstPurchases.get(row.player)).length;
    case 'gross_revenue':
      return sum(bought(), ({ amount }) => amount);
    case 'refunds':
      return -sum(
        of('purchases').filter(({ isRefund }) => isRefund),
        ({ amount }) => amount,
      );
    case 'revenue':
      return sum(of('purchases'), ({ amount }) => amount);
  }
}

interface Index {
  /** The rows of each source and day, in the order of the world. */
  days: ReadonlyMap<string, Row[]>;
  /** The first day on which a player bought something, by the player. */
  firstPurchases: ReadonlyMap<number, number>;
}

const indexes = new WeakMap<World, Index>();

function indexOf(world: World): Index {
  const known = indexes.get(world);
  if (known !== undefined) return known;
  const days = Map.groupBy(world.rows, ({ source, day }) => `${source} ${day}`);
  const index = { days, firstPurchases: firstPurchaseDays(world.rows) };
  indexes.set(world, index);
  return index;
}

export function firstPurchaseDays(rows: readonly Row[]): Map<number, number> {
  const first = new Map<number, number>();
  for (const { source, player, day, counts } of rows) {
    if (source !== 'player_days' || counts <= 0) continue;
    first.set(player, Math.min(day, first.get(player) ?? day));
  }
  return first;
}
