import { afterAll, beforeAll, expect, it } from 'vitest';

import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { MEASURES } from '../../../core/vocabulary/metrics/measures.ts';
import type { Behind } from '../../../clickhouse-schema/queries/questions/asked.ts';
import type { Question } from '../../../clickhouse-schema/queries/questions/question.ts';
import { readableSql } from '../../../clickhouse-schema/queries/questions/statement-of.ts';
import { blocksOf } from '../../support/documentation.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { insertRows, rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { startOfToday } from '../../support/whole-day.ts';

/*
 * Every view of figures, question and query, before rows of a test player exist, with them, and after it is unmarked.
 * One whose figures stay the same after that has read none of the player's rows here: the test gives it none, and
 * fails.
 */

const AT = (await startOfToday()) - 40 * 86_400_000;
const DAY_MS = 86_400_000;
const NEXT_DAY = new Date(AT + DAY_MS).toISOString().slice(0, 10);
const DAY = new Date(AT).toISOString().slice(0, 10);
const isMonday = (day: string): boolean => new Date(day).getUTCDay() === 1;
/** The Monday of the week of the day. */
const WEEK = new Date(AT - ((new Date(AT).getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10);
const [OTHER, TESTER] = ['00000000-0000-5000-8000-000000000001', '00000000-0000-5000-8000-000000000002'] as const;

let clickhouse: TestClickhouse;
let analytics: Analytics;
beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
});
afterAll(async () => {
  await analytics.close();
  await clickhouse.close();
});

const insert = (table: string, rows: readonly object[]): Promise<void> => insertRows(clickhouse, table, rows);

/** Something in every table of players that a figure reads. */
async function play(player_id: string, n: number): Promise<void> {
  const row = { player_id, external_id: `player-${n}`, received_at: AT, facts_sequence: n };
  const day = {
    day: DAY,
    cohort_day: DAY,
    first_day: DAY,
    cohort_at: AT,
    first_at: AT,
    first_purchase_day: DAY,
    version: 1,
  };
  const flag = { flag_key: 'shop', flag_version: 1, period: 1, variant_key: 'blue', value: 'blue' };
  const drawn = { reason: 'rollout', stratum: 100, attribution: 'served' };
  const campaign = { campaign_id: 'cmp_1', campaign_key: 'comeback', campaign_version: 1, event: 'triggered' };
  const earned = { event_id: `e-${n}`, event_name: 'currency_earned', properties: `{"currency":"gems","amount":${n}}` };
  const purchase = { ...row, amount: 5, currency: 'USD', recorded_by: 'server' };
  await Promise.all([
    insert('events', [{ ...row, ...earned, timestamp: AT + 1, received_at: AT + 1 }]),
    insert('sessions', [{ ...row, session_id: `s-${n}`, start_time: AT, end_time: AT, duration_seconds: 60 }]),
    insert('purchases', [
      { ...purchase, transaction_id: `t-${n}`, store: 'apple', receipt_state: 'verified', reported_amount: 5 },
      {
        ...purchase,
        transaction_id: `t-${n}`,
        amount: -2,
        kind: 'refund',
        refund_id: `r-${n}`,
        counts: 0,
        facts_index: 1,
      },
    ]),
    insert('player_days', [
      { player_id, ...day, events: 1, sessions: 1, purchases: 1, gross_revenue: 5 },
      { player_id, ...day, day: NEXT_DAY, previous_day: DAY, first_at: AT + DAY_MS, events: 1 },
    ]),
    insert('player_levels', [{ player_id, level: '1', starts: 1, last_at: AT, version: 1 }]),
    insert('player_snapshots', [{ ...row, kind: 'player', lifecycle_stage: 'active', is_payer: true, version: 1 }]),
    insert('lifecycle_transitions', [{ ...row, from_stage: 'new', to_stage: 'active', changed_at: AT }]),
    insert('segment_membership_states', [{ ...row, segment_id: 'seg_1', segment_key: 'whales', version: 1 }]),
    insert('flag_exposures', [
      { ...row, ...flag, ...drawn },
      { ...row, ...flag, ...drawn, flag_key: 'tried', experiment: 'wide' },
    ]),
    insert('campaign_events', [
      { ...row, ...campaign },
      { ...row, ...campaign, event: 'clicked', button: 'take', facts_index: 1 },
    ]),
  ]);
}

const mark = (unmarked: number): Promise<void> =>
  insert('test_players', [{ player_id: TESTER, unmarked, received_at: AT, version: 1 + unmarked }]);

const ROWS = [
  'players',
  'player_properties',
  'segment_memberships',
  'flag_overrides',
  'identities',
  'merged_players',
  'identified_events',
];
const OTHERS = [
  'annotations',
  'event_dictionary',
  'freshness',
  'scores_daily',
  'score_drift_daily',
  'score_calibration_daily',
];
const [SINCE, UNTIL] = [`'${DAY} 00:00:00'`, 'now64(3)'];
const PARAMETERISED = {
  campaign_readout:
    "campaign_readout(game = 'demo', campaign = 'comeback', conversion_event = 'a', window_hours = 24, variants_since = 0)",
  experiment_readout:
    `experiment_readout(game = 'demo', flag = 'shop', experiment = '', period = 1, since = ${SINCE}, until = ${UNTIL}, ` +
    "variants = ['blue'], metrics = ['conversion:purchase'], window_days = 7, covariate_days = 7)",
  funnel:
    `funnel(game = 'demo', steps = ['currency_earned'], window_seconds = 60, first_day = '${DAY}', ` +
    `last_day = '${DAY}', breakdown = '')`,
};

/** A question of each kind, and a trend of each measure. */
function questions(): [name: string, sql: string][] {
  const scope = {
    game: 'demo',
    environment: 'live',
    fromMs: AT,
    toMs: AT + 2 * DAY_MS,
    zone: 'UTC',
    limit: 10,
  } as const;
  const step = { eventName: 'currency_earned', where: [] };
  const next = { eventName: 'currency_spent', where: [] };
  const funnel = {
    ...scope,
    kind: 'funnel',
    steps: [step, next],
    exclusions: [],
    windowSeconds: 60,
    nowMs: AT,
  } as const;
  const eventToEvent = {
    method: 'classic',
    interval: 'day',
    periods: [0],
    firstEvent: step,
    returnEvent: step,
  } as const;
  const trends = Object.keys(MEASURES)
    .filter((name): name is keyof typeof MEASURES => name in MEASURES)
    .map((measure): [string, Question] => {
      const ofProperty = 'ofProperty' in MEASURES[measure] ? ({ property: 'amount' } as const) : {};
      const rank = measure === 'percentile' ? ({ percentile: 50 } as const) : {};
      const figure = { metric: measure, title: measure, unit: 'count', nullWithout: undefined } as const;
      const part = { measure, eventNames: [], where: [], ...ofProperty, ...rank };
      return [`trend of ${measure}`, { ...scope, kind: 'trend', interval: 'day', figure, parts: [part] }];
    });
  const [, someTrend] = trends[0] ?? [];
  if (someTrend?.kind !== 'trend') throw new Error('there is no measure');
  const all: [string, Question][] = [
    ...trends,
    ['breakdown', { ...someTrend, kind: 'breakdown', by: { kind: 'column', column: 'country' } }],
    ['retention', { ...scope, kind: 'retention', method: 'classic', interval: 'day', periods: [0] }],
    ['rolling retention', { ...scope, kind: 'retention', method: 'rolling', interval: 'week', periods: [0] }],
    ['retention from event to event', { ...scope, ...eventToEvent, kind: 'retention' }],
    ['ltv', { ...scope, kind: 'ltv', days: [30] }],
    ['ordered funnel', { ...funnel, order: 'ordered' }],
    ['strict funnel', { ...funnel, order: 'strict' }],
    ['funnel in any order', { ...funnel, order: 'any_order' }],
    ['paths', { ...scope, ...step, kind: 'paths', direction: 'forward', withinSeconds: 60 }],
    ['lifecycle', { ...scope, kind: 'lifecycle', interval: 'day', beforeMs: AT - DAY_MS, where: [] }],
    ['stickiness', { ...scope, kind: 'stickiness', interval: 'week', where: [] }],
  ];
  const figuresOfAll = all.map(([name, question]): [string, string] => [name, readableSql(question)]);
  return [
    ...figuresOfAll,
    ...all.map(([name, question]): [string, string] => [`players of ${name}`, playersOf(question)]),
  ];
}

/** The players behind a figure of each question. */
function playersOf(question: Question): string {
  const { game, environment, fromMs, toMs, zone } = question;
  const page = { shows: 'ids', afterPlayerId: '00000000-0000-0000-0000-000000000000', limit: 10 } as const;
  return readableSql({ kind: 'players', game, environment, fromMs, toMs, zone, of: behind(question), ...page });
}

function behind(question: Question): Behind {
  const key = '';
  switch (question.kind) {
    case 'trend':
      return { kind: 'measured', question, part: question.parts[0], range: { fromMs: AT, toMs: AT + 2 * DAY_MS }, key };
    case 'breakdown':
      return { kind: 'measured', question, part: question.parts[0], range: question, key };
    case 'retention':
      return { kind: 'retention', question, day: question.interval === 'week' ? WEEK : DAY, after: undefined, key };
    case 'ltv':
      return { kind: 'ltv', question, day: DAY, payers: false, key };
    case 'funnel':
      return { kind: 'funnel', question, step: 1, outcome: 'reached', key };
    case 'paths':
      return { kind: 'paths', question, first: '', second: '' };
    case 'lifecycle':
      return { kind: 'lifecycle', question, day: DAY, state: 'new' };
    case 'stickiness':
      // Of the two days of the test, the second may be in the next week.
      return { kind: 'stickiness', question, day: WEEK, days: isMonday(NEXT_DAY) ? 1 : 2 };
  }
}

/** The statements of the documents that count players of a table, with the range and a step that rows here have. */
function copied(): [name: string, sql: string][] {
  const counts = ({ info, text }: { info: string; text: string }): boolean =>
    info === 'sql' && /FROM (?:player_days|events)\b/u.test(text) && !text.includes('external_id');
  return blocksOf('docs/analytics.md')
    .filter(counts)
    .map(({ line, text }) => [
      `docs/analytics.md:${line}`,
      text.replaceAll('today() - 30', 'today() - 60').replaceAll("'shop_opened'", "'currency_earned'"),
    ]);
}

const SCOPE = { game: 'demo', environment: 'live' } as const;
const PERIOD = {
  ...SCOPE,
  flagKey: 'shop',
  fromVersion: 1,
  beforeVersion: 2,
  variants: ['blue'],
  windowDays: 7,
  zone: 'UTC',
  sinceMs: AT,
  untilMs: AT + 2 * DAY_MS,
  earlierSinceMs: AT,
};
const METRIC = { metric: 'purchase', aggregate: { kind: 'conversion' } } as const;

/** A query of figures, or why a query leaves out nobody. */
type Asked = (() => Promise<unknown>) | 'rows' | 'not of players' | 'of all players' | 'asked above';
/** All queries of routes: a new one does not compile without an entry. */
const QUERIES: Readonly<Record<Exclude<keyof Analytics, 'close'>, Asked>> = {
  experiment: () => analytics.experiment({ ...PERIOD, ...METRIC }),
  experimentReadout: () => analytics.experimentReadout({ ...PERIOD, metrics: [METRIC], by: 'country', groups: 5 }),
  experimentBaseline: () =>
    analytics.experimentBaseline({
      ...SCOPE,
      ...METRIC,
      zone: 'UTC',
      windowDays: 1,
      activeDays: 28,
      nowMs: AT + 9 * DAY_MS,
    }),
  experimentArrivals: () => analytics.experimentArrivals(PERIOD),
  holdout: () =>
    analytics.holdout({ ...PERIOD, ...METRIC, flags: ['tried'], periodMs: AT, exposedBeforeMs: undefined }),
  exposureDays: () => analytics.exposureDays({ ...SCOPE, flagKey: 'shop', zone: 'UTC', sinceMs: AT }),
  drawnPlayers: () => analytics.drawnPlayers({ ...SCOPE, flagKey: 'shop', sinceMs: AT }),
  campaignReport: () =>
    analytics.campaignReport({ ...SCOPE, campaignId: 'cmp_1', conversionEvent: '', windowHours: 24, variantsSince: 0 }),
  ask: 'asked above',
  segmentPlayers: 'rows',
  flagOverrides: 'rows',
  erasure: 'rows',
  playerRows: 'rows',
  events: 'rows',
  missedEvents: 'rows',
  quarantined: 'rows',
  lookups: 'rows',
  // Names, and what is in use: also what testers use.
  knownNames: 'of all players',
  eventDictionary: 'of all players',
  flagUsage: 'of all players',
  webhookDeliveries: 'not of players',
  webhookAttempts: 'not of players',
  auditEntries: 'not of players',
  deliveredFact: 'not of players',
  scoringReport: 'not of players',
  version: 'not of players',
};

/** What each view, each question, each query of figures and each statement of the documents says. */
async function figures(): Promise<Map<string, string>> {
  const views = await rowsOf<{ name: string }>(
    clickhouse,
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'View'
       AND NOT startsWith(name, 'live_') ORDER BY name`,
  );
  const names = views
    .map(({ name }) => name)
    .filter((name) => ![...ROWS, ...OTHERS, 'event_properties'].includes(name));
  const sources = new Map(Object.entries(PARAMETERISED));
  const ofViews = names.map((name) => [name, `SELECT * FROM ${sources.get(name) ?? name} ORDER BY ALL`] as const);
  const found = new Map<string, string>();
  for (const [name, sql] of [...ofViews, ...questions(), ...copied()]) {
    found.set(name, JSON.stringify(await rowsOf(clickhouse, sql)));
  }
  for (const [name, ask] of Object.entries(QUERIES)) {
    if (typeof ask === 'function') found.set(`query ${name}`, JSON.stringify(await ask()));
  }
  return found;
}

it(
  'test players are in no figure of a view, a question or a query, and in all of them once unmarked',
  { timeout: 240_000 },
  async () => {
    expect(copied().length).toBeGreaterThan(3);
    await play(OTHER, 1);
    const without = await figures();
    await mark(0);
    await play(TESTER, 2);
    expect(await figures()).toEqual(without);

    await mark(1);
    const unmarked = await figures();
    expect([...unmarked].filter(([name, text]) => text === without.get(name)).map(([name]) => name)).toEqual([]);
  },
);
