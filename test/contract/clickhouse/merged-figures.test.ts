import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../../src/analysis/testing-samples.ts';
import { createMergeTarget } from '../../../streams/sinks/clickhouse/merges/merge-target.ts';
import { createPlayerDaysTarget } from '../../../streams/sinks/clickhouse/player-days/target.ts';
import { execSql, rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { buildDays, nextVersion } from '../../support/wire/built-days.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { FACTS } from '../../support/wire/merged-rows.ts';

/*
 * The same players in two games: in `whole` each is one player, in `merged` each played as a guest and as an account,
 * in turns, and was merged. Every figure of the two is the same.
 */

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 5);
const PLAYERS = 24;
const GAMES = ['whole', 'merged'] as const;
const MERGED_AT = 100_000;
const FLAG = {
  flag_key: 'shop',
  flag_version: 1,
  period: 1,
  reason: 'rollout',
  stratum: 10_000,
  attribution: 'served',
};

let clickhouse: TestClickhouse;
const random = seededRandom(32);
const below = (n: number): number => Math.floor(random() * n);
const accountOf = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;
const guestOf = (n: number): string => `00000000-0000-5000-9000-${String(n).padStart(12, '0')}`;

type Row = Record<string, unknown> & { table: string; player: number; isGuest: boolean };

/** What players did, in the order of the log. */
function history(): Row[] {
  const rows: Row[] = [];
  for (let step = 0; step < PLAYERS * 40; step++) {
    const player = below(PLAYERS);
    const at = START + Math.floor((step / (PLAYERS * 40)) * 12 * DAY_MS);
    const row = { player, isGuest: random() < 0.5, received_at: at, facts_sequence: step + 1, country: 'DE' };
    const kind = below(8);
    if (kind < 4) {
      const event_name =
        ['start', 'shop_opened', 'level_started', 'level_completed', 'currency_earned'][below(5)] ?? '';
      const properties = JSON.stringify({ level: String(below(3)), currency: 'gems', amount: below(9) });
      const platform = ['ios', 'android'][below(2)];
      rows.push({
        ...row,
        table: 'events',
        event_id: `e-${step}`,
        event_name,
        properties,
        timestamp: at,
        platform,
        source: 'caller',
      });
    } else if (kind === 4) {
      rows.push({
        ...row,
        table: 'sessions',
        session_id: `s-${step}`,
        start_time: at,
        end_time: at,
        duration_seconds: below(600),
      });
    } else if (kind === 5) {
      const amount = 1 + below(20);
      const purchase = {
        ...row,
        table: 'purchases',
        amount,
        currency: 'USD',
        recorded_by: 'server',
        transaction_id: `t-${step}`,
      };
      rows.push(purchase);
      if (below(4) === 0)
        rows.push({ ...purchase, amount: -1, kind: 'refund', refund_id: `r-${step}`, counts: 0, facts_index: 1 });
    } else if (kind === 6) {
      const variant = player % 2 === 0 ? 'a' : 'b';
      rows.push({ ...row, ...FLAG, table: 'flag_exposures', variant_key: variant, value: `"${variant}"` });
    } else {
      const stages = { from_stage: 'new', to_stage: 'active', changed_at: at };
      rows.push({ ...row, ...stages, table: 'lifecycle_transitions' });
    }
  }
  return rows;
}

beforeAll(async () => {
  clickhouse = await startWithTables();
  const rows = history();
  for (const game of GAMES) {
    for (const [table, own] of Map.groupBy(rows, (row) => row.table)) {
      const body = own
        .map(({ player, isGuest, ...row }) => {
          const player_id = isGuest && game === 'merged' ? guestOf(player) : accountOf(player);
          return JSON.stringify({ game_id: game, environment: 'live', player_id, external_id: player_id, ...row });
        })
        .join('\n');
      const search = { input_format_skip_unknown_fields: '1' };
      await execSql(clickhouse, `INSERT INTO ${table} FORMAT JSONEachRow`, { body, search });
    }
  }
  const days = createPlayerDaysTarget(clickhouse.address);
  const merges = createMergeTarget(clickhouse.address);
  await buildDays(days, 0, { createdMs: FACTS.createdMs, sequence: MERGED_AT });
  const made = Array.from({ length: PLAYERS }, (_, n) => ({
    game_id: 'merged',
    environment: 'live',
    player_id: guestOf(n),
    external_id: guestOf(n),
    into_player_id: accountOf(n),
    into_external_id: accountOf(n),
    merge_id: `m-${n}`,
    merged_at: START,
    received_at: START,
    facts_created: FACTS.createdMs,
    facts_sequence: MERGED_AT + n,
  }));
  const body = made.map((row) => JSON.stringify(row)).join('\n');
  await execSql(clickhouse, 'INSERT INTO player_merges FORMAT JSONEachRow', { body });
  const pending = await merges.pending({ stream: FACTS.stream, sequence: 2 * MERGED_AT });
  expect(pending).toHaveLength(PLAYERS);
  await merges.move(pending, undefined);
  const ids = pending.flatMap(({ playerId, into }) => [playerId, into.playerId]);
  await days.rebuild({ game: 'merged', environment: 'live', ids }, { zone: 'UTC', version: nextVersion() });
  await Promise.all([days.close(), merges.close()]);
});
afterAll(() => clickhouse.close());

const FUNNEL = {
  steps: ['start', 'shop_opened', 'level_started'],
  window_seconds: 3 * 86_400,
  first_day: '2026-01-05',
  last_day: '2026-01-16',
};
const READOUT = {
  flag: 'shop',
  experiment: '',
  period: 1,
  since: '2026-01-01 00:00:00',
  until: '2026-03-01 00:00:00',
  variants: ['a', 'b'],
  metrics: ['revenue', 'payer', 'sessions', 'conversion:level_completed', 'count:start', 'sum:amount:currency_earned'],
  window_days: 5,
  covariate_days: 3,
};

const sqlOf = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(sqlOf).join(', ')}]`
    : typeof value === 'number'
      ? String(value)
      : `'${String(value)}'`;
const asView = (view: string, parameters: object, game: string): string =>
  `${view}(${Object.entries({ game, ...parameters })
    .map(([name, value]) => `${name} = ${sqlOf(value)}`)
    .join(', ')})`;

const FIGURES: Record<string, (game: string) => string> = {
  ...Object.fromEntries(
    [
      'kpis_daily',
      'active_players_daily',
      'retention_by_cohort',
      'retention_24h_by_cohort',
      'retention_by_platform',
      'retention_by_variant',
      'ltv_by_cohort',
      'sessions_daily',
      'purchases_daily',
      'stage_flows_daily',
      'progression_by_level',
      'economy_daily',
      'event_counts_daily',
      'flag_exposures_daily',
    ].map((view) => [
      view,
      (game: string) => `SELECT * EXCEPT game_id FROM ${view} WHERE game_id = '${game}' ORDER BY ALL`,
    ]),
  ),
  funnel: (game) => `SELECT * FROM ${asView('funnel', { ...FUNNEL, breakdown: 'platform' }, game)} ORDER BY ALL`,
  experiment_readout: (game) => `SELECT * FROM ${asView('experiment_readout', READOUT, game)} ORDER BY ALL`,
  player_days: (game) =>
    `SELECT * EXCEPT (game_id, version) FROM player_days FINAL WHERE game_id = '${game}' ORDER BY player_id, day`,
};

it.each(Object.entries(FIGURES))('%s is that of one player who did everything', async (_, statement) => {
  const [whole, merged] = await Promise.all(GAMES.map((game) => rowsOf<object>(clickhouse, statement(game))));
  expect(whole?.length).toBeGreaterThan(0);
  expect(merged).toEqual(whole);
});

it('a player who met two variants because of its merge counts once, with the first', async () => {
  const variants = [
    { player_id: guestOf(900), variant_key: 'a', at: 1 },
    { player_id: accountOf(900), variant_key: 'b', at: 2 },
    // The guest had met both by itself.
    { player_id: guestOf(901), variant_key: 'a', at: 3 },
    { player_id: guestOf(901), variant_key: 'b', at: 4 },
  ];
  const body = variants
    .map(({ at, player_id, variant_key }) =>
      JSON.stringify({
        ...FLAG,
        game_id: 'two',
        environment: 'live',
        player_id,
        variant_key,
        received_at: START + at,
        facts_sequence: at,
      }),
    )
    .join('\n');
  await execSql(clickhouse, 'INSERT INTO flag_exposures FORMAT JSONEachRow', { body });
  const merges = createMergeTarget(clickhouse.address);
  const of = (n: number) => ({
    game: 'two',
    environment: 'live',
    playerId: guestOf(n),
    externalId: 'guest',
    into: { playerId: accountOf(n), externalId: 'account' },
    mergeId: `m-${n}`,
    at: START,
    receivedAt: START,
    isUndone: false,
    createdMs: FACTS.createdMs,
    sequence: 10,
    index: n,
  });
  await merges.move([of(900), of(901)], undefined);
  await merges.close();
  const found = await rowsOf(
    clickhouse,
    `SELECT variant_key, toUInt32(players) AS players, toUInt32(excluded_players) AS excluded
      FROM ${asView('experiment_readout', { ...READOUT, metrics: ['revenue'] }, 'two')}`,
  );
  expect(found).toEqual([{ variant_key: 'a', players: 1, excluded: 1 }]);
});
