import {
  linesOfDay,
  playsOn,
  countryOf,
  firstDayOf,
  DAY_MS,
  type GameRules,
  type HistoryLine,
} from '../../../bench/lib/history/game-history.ts';

/**
 * The generator's own bookkeeping of what the views of docs/analytics.md must show of a made history. It goes from
 * player to player and shares no code with the service. Money is in hundredths, amounts of currencies too.
 */
export interface ViewFigures {
  /** By UTC day, as `2026-01-31`. */
  days: Map<string, DayFigures>;
  /** By what retention has parts by, then by its value (`''` for all), then by first day. */
  cohorts: Record<(typeof PARTS)[number], Map<string, Map<string, Cohort>>>;
  /** By level. */
  levels: Map<string, LevelFigures>;
  /** By currency, then day. */
  economy: Map<string, Map<string, Flow>>;
  /** By platform of the first day (`''`: all): the players who reached each step of the funnel within the window. */
  funnel: Map<string, number[]>;
}

export const PARTS = ['all', 'country', 'platform', 'app_version'] as const;
export const AGES = [1, 3, 7, 14, 30] as const;
export const LTV_AGES = [0, 1, 3, 7, 14, 30, 90] as const;
export const FUNNEL_WINDOW_S = 1_200;

export interface DayFigures {
  dau: number;
  wau: number;
  mau: number;
  new: number;
  payers: number;
  firstTimePayers: number;
  revenueCents: number;
  purchases: number;
  sessions: number;
  playtimeSeconds: number;
  events: number;
  /** Lengths of the sessions in seconds. */
  lengths: number[];
}

export interface Cohort {
  players: number;
  payers: number;
  /** Players who were back on the Nth calendar day, and in the Nth window of 24 hours, by place in `AGES`. */
  back: number[];
  backIn24h: number[];
  /** Revenue up to the Nth day, by place in `LTV_AGES`, and of all days. */
  cents: number[];
  totalCents: number;
}

export interface LevelFigures {
  players: number;
  starts: number;
  fails: number;
  completes: number;
  completed: number;
}

interface Flow {
  sources: number;
  sinks: number;
}

interface PlayerDay {
  day: number;
  times: number[];
  platform: string;
  version: string;
  cents: number;
  purchases: number;
}

export function viewFigures(rules: GameRules): ViewFigures {
  const figures: ViewFigures = {
    days: new Map(),
    cohorts: { all: new Map(), country: new Map(), platform: new Map(), app_version: new Map() },
    levels: new Map(),
    economy: new Map(),
    funnel: new Map(),
  };
  /** By days of activity within the last 7 and 30: how many players more each day than the day before. */
  const week = new Map<number, number>();
  const month = new Map<number, number>();
  for (let player = 0; player < rules.players; player++) countPlayer(rules, player, figures, week, month);
  let inWeek = 0;
  let inMonth = 0;
  for (let day = 0; day < rules.days; day++) {
    inWeek += week.get(day) ?? 0;
    inMonth += month.get(day) ?? 0;
    const found = figures.days.get(dayText(rules, day));
    if (found !== undefined) Object.assign(found, { wau: inWeek, mau: inMonth });
  }
  return figures;
}

function countPlayer(
  rules: GameRules,
  player: number,
  figures: ViewFigures,
  week: Map<number, number>,
  month: Map<number, number>,
): void {
  const days: PlayerDay[] = [];
  const levels = new Map<string, { starts: number; fails: number; completes: number }>();
  const reached = new Map<string, number>();
  for (let day = firstDayOf(rules, player); day < rules.days; day++) {
    if (!playsOn(rules, player, day)) continue;
    days.push(countDay(figures, rules, day, linesOfDay(rules, player, day), levels, reached));
  }
  const [first] = days;
  if (first === undefined) return;
  for (const [level, own] of levels) {
    const all = held(figures.levels, level, () => ({ players: 0, starts: 0, fails: 0, completes: 0, completed: 0 }));
    all.players += 1;
    all.starts += own.starts;
    all.fails += own.fails;
    all.completes += own.completes;
    if (own.completes > 0) all.completed += 1;
  }
  const active = days.map(({ day }) => day);
  countWindows(week, active, 7);
  countWindows(month, active, 30);
  const firstPaid = days.find(({ purchases }) => purchases > 0);
  if (firstPaid !== undefined) dayOf(figures, rules, firstPaid.day).firstTimePayers += 1;
  dayOf(figures, rules, first.day).new += 1;
  countCohorts(rules, figures, player, days, first);
  const steps = rules.funnel.map(({ event }) => reached.get(event));
  const begun = steps[0];
  if (begun === undefined) return;
  const inTime = steps.findIndex((at) => at === undefined || at - begun > FUNNEL_WINDOW_S * 1_000);
  const level = inTime === -1 ? steps.length : inTime;
  for (const value of ['', first.platform]) {
    const counts = held(figures.funnel, value, () => steps.map(() => 0));
    for (let step = 0; step < level; step++) counts[step] = (counts[step] ?? 0) + 1;
  }
}

function countDay(
  figures: ViewFigures,
  rules: GameRules,
  day: number,
  lines: readonly HistoryLine[],
  levels: Map<string, { starts: number; fails: number; completes: number }>,
  reached: Map<string, number>,
): PlayerDay {
  const found = dayOf(figures, rules, day);
  const own: PlayerDay = { day, times: [], platform: '', version: '', cents: 0, purchases: 0 };
  let lastEnd = -Infinity;
  for (const { at, name, isService, properties } of lines) {
    own.times.push(at);
    found.events += 1;
    if (name === 'session_recorded' && isService) {
      const seconds = Number(properties['duration_seconds']);
      own.times.push(at - seconds * 1_000);
      found.sessions += 1;
      found.playtimeSeconds += seconds;
      found.lengths.push(seconds);
      // The session that ended last says what the day was played on.
      if (at > lastEnd) {
        lastEnd = at;
        own.platform = String(properties['platform'] ?? '');
        own.version = String(properties['app_version'] ?? '');
      }
    } else if (name === 'purchase' && isService) {
      own.purchases += 1;
      own.cents += Math.round(Number(properties['amount']) * 100);
    } else if (name.startsWith('level_') && name !== 'level_up') {
      const level = held(levels, String(properties['level']), () => ({ starts: 0, fails: 0, completes: 0 }));
      if (name === 'level_started') level.starts += 1;
      if (name === 'level_failed') level.fails += 1;
      if (name === 'level_completed') level.completes += 1;
    } else if (name === 'currency_earned' || name === 'currency_spent') {
      const currency = held(figures.economy, String(properties['currency']), () => new Map<string, Flow>());
      const flow = held(currency, dayText(rules, day), () => ({ sources: 0, sinks: 0 }));
      flow[name === 'currency_earned' ? 'sources' : 'sinks'] += Math.round(Number(properties['amount']) * 100);
    }
    reached.set(name, Math.min(at, reached.get(name) ?? Infinity));
  }
  found.dau += 1;
  found.revenueCents += own.cents;
  found.purchases += own.purchases;
  if (own.purchases > 0) found.payers += 1;
  return own;
}

function countCohorts(
  rules: GameRules,
  figures: ViewFigures,
  player: number,
  days: readonly PlayerDay[],
  first: PlayerDay,
): void {
  const firstAt = Math.min(...first.times);
  const ages = new Set(days.map(({ day }) => day - first.day));
  const windows = new Set(days.flatMap(({ times }) => times.map((at) => Math.floor((at - firstAt) / DAY_MS))));
  const values = { all: '', country: countryOf(rules, player), platform: first.platform, app_version: first.version };
  for (const part of PARTS) {
    const byDay = held(figures.cohorts[part], values[part], () => new Map<string, Cohort>());
    const cohort = held(byDay, dayText(rules, first.day), () => ({
      players: 0,
      payers: 0,
      back: AGES.map(() => 0),
      backIn24h: AGES.map(() => 0),
      cents: LTV_AGES.map(() => 0),
      totalCents: 0,
    }));
    cohort.players += 1;
    for (const { cents } of days) cohort.totalCents += cents;
    if (days.some(({ purchases }) => purchases > 0)) cohort.payers += 1;
    for (const [place, age] of AGES.entries()) {
      if (ages.has(age)) cohort.back[place] = (cohort.back[place] ?? 0) + 1;
      if (windows.has(age)) cohort.backIn24h[place] = (cohort.backIn24h[place] ?? 0) + 1;
    }
    for (const [place, age] of LTV_AGES.entries()) {
      for (const { day, cents } of days)
        if (day - first.day <= age) cohort.cents[place] = (cohort.cents[place] ?? 0) + cents;
    }
  }
}

/** Counts a player from each of its days on until `length` days have passed without one. */
function countWindows(changes: Map<number, number>, days: readonly number[], length: number): void {
  const add = (day: number, count: number): void => void changes.set(day, (changes.get(day) ?? 0) + count);
  let until = -Infinity;
  for (const day of days) {
    if (day > until) {
      if (until !== -Infinity) add(until, -1);
      add(day, 1);
    }
    until = day + length;
  }
  if (until !== -Infinity) add(until, -1);
}

const NO_DAY: Omit<DayFigures, 'lengths'> = {
  dau: 0,
  wau: 0,
  mau: 0,
  new: 0,
  payers: 0,
  firstTimePayers: 0,
  revenueCents: 0,
  purchases: 0,
  sessions: 0,
  playtimeSeconds: 0,
  events: 0,
};

const dayOf = ({ days }: ViewFigures, rules: GameRules, day: number): DayFigures =>
  held(days, dayText(rules, day), () => ({ ...NO_DAY, lengths: [] }));

export const dayText = ({ startMs }: GameRules, day: number): string =>
  new Date(startMs + day * DAY_MS).toISOString().slice(0, 10);

function held<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
