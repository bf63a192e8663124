import { columnsOf, type DimensionName } from '../../core/vocabulary/metrics/dimensions.ts';
import type { MeasureName } from '../../core/vocabulary/metrics/measures.ts';
import { isRatio, measureOf, METRIC_NAMES, type MetricName, RATIOS } from '../../core/vocabulary/metrics/metrics.ts';
import { type Asked, figure, firstPurchaseDays, type Row } from '../contract/http/metric-world.ts';
import { dateText, localDay, startOfLocalDay } from './calendar.ts';
import type { GamePlan } from './story.ts';
import type { Truth } from './truth.ts';

/* Every door at which a figure can be read, beside the truth. */

/** How many figures a door showed, and which were wrong. */
export interface Tally {
  figures: number;
  differences: string[];
}

export interface Doors {
  plan: GamePlan;
  truth: Truth;
  /** Asks the API as the game. */
  post: (path: string, body: object) => Promise<Record<string, unknown>>;
  /** Reads ClickHouse as an analyst. */
  read: <R>(sql: string) => Promise<R[]>;
}

type Figure = number | null;

export function createTally() {
  const tallies = new Map<string, Tally>();
  /** Sums of floating point numbers depend on their order; views round. */
  const isSame = (found: Figure, wanted: Figure, tolerance: number): boolean =>
    found === null || wanted === null ? found === wanted : Math.abs(found - wanted) <= tolerance;
  return {
    tallies,
    compare(
      door: string,
      what: string,
      found: ReadonlyMap<string, Figure>,
      wanted: ReadonlyMap<string, Figure>,
      tolerance = 1e-6,
    ) {
      const tally = tallies.get(door) ?? { figures: 0, differences: [] };
      tallies.set(door, tally);
      for (const key of new Set([...found.keys(), ...wanted.keys()])) {
        const [one, other] = [found.get(key) ?? null, wanted.get(key) ?? null];
        tally.figures += 1;
        if (!isSame(one, other, tolerance)) tally.differences.push(`${what} ${key}: ${one} instead of ${other}`);
      }
    },
  };
}
export type Tallies = ReturnType<typeof createTally>;

const measuresOf = (metric: MetricName): MeasureName[] =>
  isRatio(metric) ? [RATIOS[metric].numerator, RATIOS[metric].denominator] : [metric];
const isOfWindow = (metric: MetricName): boolean =>
  measuresOf(metric).some((name) => measureOf(name).windowDays !== undefined);
const needs = (metric: MetricName): object =>
  measuresOf(metric).some((name) => measureOf(name).ofProperty === true) ? { property: 'score' } : {};
/** Without rows it is null, not 0. */
const isNullable = (metric: MetricName): boolean =>
  isRatio(metric) || measuresOf(metric).some((name) => measureOf(name).nullWithout !== undefined);

const daysOfPlan = ({ fromDay, toDay }: GamePlan): number[] =>
  Array.from({ length: toDay - fromDay }, (_, n) => fromDay + n);

function rangeOf({ zone, fromDay, toDay }: GamePlan): { from: string; to: string } {
  const time = (day: number): string => new Date(startOfLocalDay(zone, day)).toISOString();
  return { from: time(fromDay), to: time(toDay) };
}

function byDay({ plan }: Doors, of: (asked: Asked) => Figure): Map<string, Figure> {
  return new Map(daysOfPlan(plan).map((day) => [dateText(day), of({ fromDay: day, toDay: day + 1 })]));
}

const valueOf = (value: unknown): Figure => (value === null || value === undefined ? null : Number(value));

interface Point {
  at: string;
  value: Figure;
}

/** Trends of all metrics by day and week, in the API and as the SQL that it offers. */
export async function compareTrends(doors: Doors, tally: Tallies): Promise<void> {
  const { plan, truth, post, read } = doors;
  const { zone } = plan;
  const range = rangeOf(plan);
  for (const metric of METRIC_NAMES) {
    const body = { kind: 'trend', metric, ...needs(metric), ...range };
    const wanted = byDay(doors, (asked) => figure(truth, metric, asked));
    const found = pointsOf(await post('/v1/analytics/queries', body), zone);
    tally.compare('trend by day', `${plan.id} ${metric}`, found, wanted);
    const { sql } = await post('/v1/analytics/queries/sql', body);
    const rows = await read<{ at: number; value: Figure }>(String(sql));
    const bySql = new Map(rows.map(({ at, value }) => [dateText(localDay(zone, at * 1_000)), valueOf(value)]));
    if (!isNullable(metric)) for (const day of wanted.keys()) if (!bySql.has(day)) bySql.set(day, 0);
    tally.compare('as SQL', `${plan.id} ${metric}`, bySql, wanted);
    if (isOfWindow(metric)) continue;
    const weeks = Map.groupBy(daysOfPlan(plan), (day) => day - ((day + 3) % 7));
    const byWeek = pointsOf(await post('/v1/analytics/queries', { ...body, interval: 'week' }), zone);
    const ofWeeks = new Map(
      [...weeks.keys()].map((monday) => [
        dateText(monday),
        figure(truth, metric, { fromDay: monday, toDay: monday + 7 }),
      ]),
    );
    tally.compare('trend by week', `${plan.id} ${metric}`, byWeek, ofWeeks);
  }
}

function pointsOf({ series }: Record<string, unknown>, zone: string): Map<string, Figure> {
  const [first]: { points: Point[] }[] = JSON.parse(JSON.stringify(series));
  return new Map(first?.points.map(({ at, value }) => [dateText(localDay(zone, Date.parse(at))), value]));
}

/** Breakdowns of all metrics by each field that their rows have. */
export async function compareBreakdowns({ plan, truth, post }: Doors, tally: Tallies): Promise<void> {
  const { fromDay, toDay } = plan;
  for (const metric of METRIC_NAMES.filter((name) => !isOfWindow(name))) {
    const sources = measuresOf(metric).map((name) => measureOf(name).source);
    const [source] = sources;
    if (source === undefined) continue;
    const shared = columnsOf(source).filter((name) => sources.every((one) => columnsOf(one).includes(name)));
    const fields: string[] = [...shared, ...(sources.every((one) => one === 'events') ? ['property:mode'] : [])];
    for (const by of fields) {
      const body = { kind: 'breakdown', metric, by, limit: 100, ...needs(metric), ...rangeOf(plan) };
      const answer = await post('/v1/analytics/queries', body);
      const rows: { key: string; value: Figure }[] = JSON.parse(JSON.stringify(answer['rows']));
      const found = new Map(rows.map(({ key, value }) => [key, value]));
      const own = truth.rows.filter((row) => sources.includes(row.source) && row.day >= fromDay && row.day < toDay);
      const keys = new Set(own.map((row) => keyOf(row, by)));
      const wanted = new Map(
        [...keys].map((key) => [key, figure(truth, metric, { fromDay, toDay, keep: (row) => keyOf(row, by) === key })]),
      );
      // A value of which no row counts may be missing, or there with what nothing is.
      for (const [key, value] of wanted) if (!found.has(key) && !value) wanted.delete(key);
      tally.compare('breakdown', `${plan.id} ${metric} by ${by}`, found, wanted);
    }
  }
}

const keyOf = ({ values }: Row, by: string): string => values[by] ?? '';

/** What a view calls a metric, if not by its name. */
const NAMES_IN_VIEWS: Readonly<Record<string, MetricName>> = { dau: 'active_players' };
/** Columns that are rounded to other than four decimals. */
const ROUNDED: Readonly<Record<string, number>> = { playtime_per_player: 0.050001 };
const VIEW_KEYS = new Set(['day', 'game_id', 'built_to']);

/** Each column of the daily figures is a metric by day. */
export async function compareKpis(doors: Doors, tally: Tallies): Promise<void> {
  const { plan, truth, read } = doors;
  const columns = await read<{ name: string }>('DESCRIBE TABLE kpis_daily');
  const rows = await read<Record<string, unknown>>(`SELECT * FROM kpis_daily WHERE game_id = '${plan.id}'`);
  for (const { name } of columns) {
    if (VIEW_KEYS.has(name)) continue;
    const metric = NAMES_IN_VIEWS[name] ?? METRIC_NAMES.find((known) => known === name);
    if (metric === undefined) throw new Error(`kpis_daily has a column without an oracle: ${name}`);
    const isShown = (day: number): boolean => {
      const asked = { fromDay: day, toDay: day + 1 };
      const shown = ['active_players', 'refunds', 'events'] as const;
      return shown.some((metric) => figure(truth, metric, asked) !== 0);
    };
    const shown = daysOfPlan(plan).filter(isShown);
    const wanted = new Map(
      shown.map((day) => [dateText(day), figure(truth, metric, { fromDay: day, toDay: day + 1 })]),
    );
    const found = new Map(rows.map((row) => [String(row['day']), valueOf(row[name])]));
    tally.compare(
      'kpis_daily',
      `${plan.id} ${name}`,
      found,
      wanted,
      isRatio(metric) ? (ROUNDED[name] ?? 0.000051) : 1e-6,
    );
  }
}

/** Views of one source by day. */
export async function compareDailyViews(doors: Doors, tally: Tallies): Promise<void> {
  const { plan, truth, read } = doors;
  const where = `WHERE game_id = '${plan.id}'`;
  const figureOf = (row: Record<string, unknown>, column: string) => valueOf(row[column]);
  const players = (rows: readonly Row[]): number => new Set(rows.map(({ player }) => player)).size;
  for (const [view, source, columns] of [
    ['sessions_daily', 'sessions', ['sessions', 'playtime_seconds']],
    ['purchases_daily', 'purchases', ['purchases', 'payers', 'revenue', 'gross_revenue', 'refunds']],
  ] as const) {
    const rows = await read<Record<string, unknown>>(`SELECT * FROM ${view} ${where}`);
    const days = new Set(truth.rows.filter((row) => row.source === source).map(({ day }) => day));
    for (const column of columns) {
      const found = new Map(rows.map((row) => [String(row['day']), figureOf(row, column)]));
      const wanted = new Map(
        [...days].map((day) => [dateText(day), figure(truth, column, { fromDay: day, toDay: day + 1 })]),
      );
      tally.compare(view, `${plan.id} ${column}`, found, wanted);
    }
  }
  const { rows } = truth;
  const counted = await read<Record<string, unknown>>(`SELECT * FROM event_counts_daily ${where}`);
  const ofName = groupsOf(rows, 'events', 'event_name');
  compareGroups('event_counts_daily', 'event_name', counted, {
    events: ofGroups(ofName, (own) => own.length),
    players: ofGroups(ofName, players),
  });
  const active = await read<Record<string, unknown>>(`SELECT * FROM active_players_daily ${where}`);
  const ofCountry = groupsOf(rows, 'player_days', 'country');
  const firstPurchases = firstPurchaseDays(rows);
  const eventsOf = Map.groupBy(
    rows.filter(({ source, isRefund }) => source === 'events' && !isRefund),
    ({ player, day }) => `${player} ${day}`,
  );
  compareGroups('active_players_daily', 'country', active, {
    players: ofGroups(ofCountry, players),
    payers: ofGroups(
      ofCountry,
      (own) => own.filter(({ player, day }) => (firstPurchases.get(player) ?? Infinity) <= day).length,
    ),
    events: ofGroups(ofCountry, (own) =>
      own.reduce((sum, { player, day }) => sum + (eventsOf.get(`${player} ${day}`)?.length ?? 0), 0),
    ),
  });

  function compareGroups(
    view: string,
    field: string,
    found: readonly Record<string, unknown>[],
    wanted: Readonly<Record<string, ReadonlyMap<string, number>>>,
  ): void {
    for (const [column, figures] of Object.entries(wanted)) {
      const shown = found.map((row) => [`${String(row['day'])} ${String(row[field])}`, valueOf(row[column])] as const);
      tally.compare(view, `${plan.id} ${column}`, new Map(shown), figures);
    }
  }
}

const groupsOf = (rows: readonly Row[], source: Row['source'], field: string): Map<string, Row[]> =>
  Map.groupBy(
    rows.filter((row) => row.source === source),
    (row) => `${dateText(row.day)} ${keyOf(row, field)}`,
  );

const ofGroups = (groups: ReadonlyMap<string, Row[]>, of: (rows: readonly Row[]) => number): Map<string, number> =>
  new Map([...groups].map(([key, own]) => [key, of(own)]));

const AGES = [1, 3, 7, 14, 30] as const;
const LTV_AGES = [0, 1, 3, 7, 14, 30, 90] as const;
const COHORTS: readonly { view: string; by?: DimensionName }[] = [
  { view: 'retention_by_cohort' },
  { view: 'retention_by_country', by: 'country' },
  { view: 'retention_by_platform', by: 'platform' },
  { view: 'retention_by_app_version', by: 'app_version' },
];

/** Players by first day: who came back, and what they paid. All of the days asked for must be over. */
export async function compareCohorts({ plan, truth, post, read }: Doors, tally: Tallies): Promise<void> {
  const days = new Map<number, Set<number>>();
  for (const { source, player, day } of truth.rows) {
    if (source === 'player_days') days.set(player, (days.get(player) ?? new Set()).add(day));
  }
  const first = truth.rows.filter(({ source }) => source === 'first_days');
  for (const { view, by } of COHORTS) {
    const cohorts = Map.groupBy(first, (row) => `${dateText(row.day)} ${by === undefined ? '' : keyOf(row, by)}`);
    const rows = await read<Record<string, unknown>>(`SELECT * FROM ${view} WHERE game_id = '${plan.id}'`);
    const key = (row: Record<string, unknown>) =>
      `${String(row['cohort_day'])} ${by === undefined ? '' : String(row[by])}`;
    const back = (own: readonly Row[], age: number) =>
      own.filter((row) => days.get(row.player)?.has(row.day + age)).length;
    const sizes = new Map([...cohorts].map(([name, own]) => [name, own.length]));
    tally.compare(view, `${plan.id} players`, new Map(rows.map((row) => [key(row), valueOf(row['players'])])), sizes);
    for (const age of AGES) {
      const wanted = new Map([...cohorts].map(([name, own]) => [name, back(own, age) / own.length]));
      const found = new Map(rows.map((row) => [key(row), valueOf(row[`d${age}`])]));
      tally.compare(view, `${plan.id} d${age}`, found, wanted, 0.000051);
    }
    const body = { kind: 'retention', days: AGES, limit: 20, ...(by === undefined ? {} : { by }), ...rangeOf(plan) };
    const { cohorts: answered } = await post('/v1/analytics/queries', body);
    const asked: {
      key: string | null;
      day: string;
      players: number;
      retained: { after: number; players: number }[];
    }[] = JSON.parse(JSON.stringify(answered));
    const named = new Map(asked.map((one) => [`${one.day} ${one.key ?? ''}`, one]));
    tally.compare(
      'retention',
      `${plan.id} players`,
      new Map([...named].map(([name, { players }]) => [name, players])),
      sizes,
    );
    for (const age of AGES) {
      const found = new Map(
        [...named].map(([name, one]) => [name, one.retained.find(({ after }) => after === age)?.players ?? null]),
      );
      tally.compare(
        'retention',
        `${plan.id} d${age}`,
        found,
        new Map([...cohorts].map(([name, own]) => [name, back(own, age)])),
      );
    }
  }
  const cohorts = Map.groupBy(first, ({ day }) => dateText(day));
  const money = Map.groupBy(
    truth.rows.filter(({ source }) => source === 'purchases'),
    ({ player }) => player,
  );
  const paidBy = (own: readonly Row[], age: number): number =>
    own.reduce(
      (all, { player, day }) =>
        all + (money.get(player) ?? []).reduce((sum, row) => sum + (row.day <= day + age ? row.amount : 0), 0),
      0,
    );
  const ltv = await read<Record<string, unknown>>(`SELECT * FROM ltv_by_cohort WHERE game_id = '${plan.id}'`);
  const { cohorts: answered } = await post('/v1/analytics/queries', { kind: 'ltv', days: LTV_AGES, ...rangeOf(plan) });
  const asked: { day: string; values: { day: number; revenue: Figure }[] }[] = JSON.parse(JSON.stringify(answered));
  for (const age of LTV_AGES) {
    const found = new Map(ltv.map((row) => [String(row['cohort_day']), valueOf(row[`d${age}`])]));
    const wanted = new Map([...cohorts].map(([name, own]) => [name, paidBy(own, age)]));
    const each = new Map([...cohorts].map(([name, own]) => [name, paidBy(own, age) / own.length]));
    tally.compare('ltv_by_cohort', `${plan.id} d${age}`, found, each, 0.000051);
    const answers = new Map(
      asked.map(({ day, values }) => [day, values.find((one) => one.day === age)?.revenue ?? null]),
    );
    tally.compare('ltv', `${plan.id} d${age}`, answers, wanted);
  }
}
