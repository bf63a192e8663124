import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { PurchaseRecorded } from '../../../core/vocabulary/facts/purchase-facts.ts';
import { insertRows, rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { write } from '../../support/wire/decided-game.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import type { InterventionSuppressed, InterventionTriggered } from '../../../core/vocabulary/facts/campaign-facts.ts';

/* What happens between campaigns and players, through the real sink into the real engine. */

const START = Date.UTC(2026, 0, 20, 10);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const playerId = (n: number): string => `7d6f3f5e-6f0b-5f8e-9d2c-${String(n).padStart(12, '0')}`;
const about = (n: number, at: number) =>
  ({
    game: 'demo',
    environment: 'live',
    entityId: playerId(n),
    at,
    externalId: `ext-${n}`,
    campaignId: 'cmp_1',
    campaignKey: 'comeback',
    campaignVersion: 2,
  }) as const;

const triggered = (n: number, some: Partial<InterventionTriggered> = {}): InterventionTriggered => ({
  ...about(n, START),
  kind: 'InterventionTriggered',
  interventionId: `int_${n}`,
  expiresAt: START + 7 * DAY_MS,
  cause: 'event:level_failed',
  ...some,
});
const suppressed = (n: number, some: Partial<InterventionSuppressed> = {}): InterventionSuppressed => ({
  ...about(n, START),
  kind: 'InterventionSuppressed',
  reason: 'holdout',
  cause: 'event:level_failed',
  ...some,
});
const response = (kind: 'InterventionShown' | 'InterventionClicked', n: number, at: number): Fact => ({
  ...about(n, at),
  kind,
  interventionId: `int_${n}`,
  sessionId: 'ses_1',
});
const offered = (n: number, at: number): Fact => ({
  ...about(n, at),
  kind: 'InterventionOffered',
  interventionId: `int_${n}`,
  sessionId: 'ses_1',
});
const bought = (n: number, at: number, amount: number, some: Partial<PurchaseRecorded> = {}): PurchaseRecorded => ({
  kind: 'PurchaseRecorded',
  game: 'demo',
  environment: 'live',
  entityId: playerId(n),
  at,
  externalId: `ext-${n}`,
  amount,
  currency: null,
  productId: null,
  transactionId: null,
  digest: null,
  ...some,
});

const FACTS: Fact[] = [
  // Two of three who got it saw it, one clicked, one of them bought twice within 7 days, and once more after.
  triggered(1),
  offered(1, START + 1),
  offered(1, START + HOUR_MS),
  response('InterventionShown', 1, START + HOUR_MS + 1),
  response('InterventionClicked', 1, START + HOUR_MS + 2),
  bought(1, START - 1, 1_000_000),
  bought(1, START, 10_000),
  bought(1, START + 7 * DAY_MS - 1, 25_000),
  bought(1, START + 7 * DAY_MS, 1_000_000),
  triggered(2),
  triggered(2, { interventionId: 'int_2b', at: START + 1 }),
  offered(2, START + 2),
  response('InterventionShown', 2, START + 3),
  triggered(3),
  // One of two held out bought.
  suppressed(4),
  suppressed(4, { at: START + DAY_MS }),
  bought(4, START + DAY_MS, 5_000),
  suppressed(5),
  bought(5, START + DAY_MS, 7_000, { environment: 'test' }),
  bought(5, START + DAY_MS, 7_000, { game: 'other' }),
  // In neither arm: suppressed for another reason, in both arms, or no live player.
  suppressed(6, { reason: 'cooldown' }),
  bought(6, START + 1, 9_000),
  triggered(7),
  suppressed(7, { at: START + DAY_MS }),
  triggered(8, { environment: 'test' }),
  // Another campaign, with a purchase that counts for both.
  triggered(1, { campaignId: 'cmp_2', campaignKey: 'other', interventionId: 'int_9', cause: 'lifecycle:at_risk' }),
];

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
  await write(clickhouse, [FACTS]);
});
afterAll(() => clickhouse.close());

it('every fact is a row with its columns', async () => {
  const rows = await rowsOf(
    clickhouse,
    `SELECT campaign_key, campaign_version, external_id, event, reason, cause, intervention_id, session_id,
            toString(received_at) AS received
     FROM campaign_events
     WHERE campaign_id = 'cmp_1' AND player_id IN ('${playerId(1)}', '${playerId(6)}') ORDER BY facts_index`,
  );
  const campaign = { campaign_key: 'comeback', campaign_version: 2 };
  const first = { ...campaign, external_id: 'ext-1', reason: '', intervention_id: 'int_1' };
  expect(rows).toEqual([
    {
      ...first,
      event: 'triggered',
      cause: 'event:level_failed',
      session_id: null,
      received: '2026-01-20 10:00:00.000',
    },
    { ...first, event: 'offered', cause: '', session_id: 'ses_1', received: '2026-01-20 10:00:00.001' },
    { ...first, event: 'offered', cause: '', session_id: 'ses_1', received: '2026-01-20 11:00:00.000' },
    { ...first, event: 'shown', cause: '', session_id: 'ses_1', received: '2026-01-20 11:00:00.001' },
    { ...first, event: 'clicked', cause: '', session_id: 'ses_1', received: '2026-01-20 11:00:00.002' },
    {
      ...campaign,
      external_id: 'ext-6',
      event: 'suppressed',
      reason: 'cooldown',
      cause: 'event:level_failed',
      intervention_id: null,
      session_id: null,
      received: '2026-01-20 10:00:00.000',
    },
  ]);
});

it('a campaign’s funnel is compared with its holdout', async () => {
  const rows = await rowsOf(
    clickhouse,
    `SELECT campaign_id, campaign_key, arm, toUInt32(players) AS players, toUInt32(players_offered) AS offered,
            toUInt32(players_shown) AS shown, toUInt32(players_clicked) AS clicked,
            toUInt32(players_purchased) AS purchased, round(conversion_rate, 4) AS rate,
            toUInt32(purchases) AS purchases, toString(revenue) AS revenue
     FROM campaign_funnels WHERE game_id = 'demo' ORDER BY campaign_id, arm`,
  );
  expect(rows).toEqual([
    {
      campaign_id: 'cmp_1',
      campaign_key: 'comeback',
      arm: 'holdout',
      players: 2,
      offered: 0,
      shown: 0,
      clicked: 0,
      purchased: 1,
      rate: 0.5,
      purchases: 1,
      revenue: '0.5',
    },
    {
      campaign_id: 'cmp_1',
      campaign_key: 'comeback',
      arm: 'treatment',
      players: 3,
      offered: 2,
      shown: 2,
      clicked: 1,
      purchased: 1,
      rate: 0.3333,
      purchases: 2,
      revenue: '3.5',
    },
    {
      campaign_id: 'cmp_2',
      campaign_key: 'other',
      arm: 'treatment',
      players: 1,
      offered: 0,
      shown: 0,
      clicked: 0,
      purchased: 1,
      rate: 1,
      purchases: 2,
      revenue: '3.5',
    },
  ]);
});

it('the view by day counts what happened, live players only', async () => {
  const rows = await rowsOf(
    clickhouse,
    `SELECT event, reason, toUInt32(events) AS events, toUInt32(players) AS players FROM campaign_events_daily
     WHERE campaign_id = 'cmp_1' AND day = '2026-01-20' ORDER BY event, reason`,
  );
  expect(rows).toEqual([
    { event: 'clicked', reason: '', events: 1, players: 1 },
    { event: 'offered', reason: '', events: 3, players: 2 },
    { event: 'shown', reason: '', events: 2, players: 2 },
    { event: 'suppressed', reason: 'cooldown', events: 1, players: 1 },
    { event: 'suppressed', reason: 'holdout', events: 2, players: 2 },
    { event: 'triggered', reason: '', events: 5, players: 4 },
  ]);
});

it('a campaign is read out by its id or key, with the conversions and guardrails of its window', async () => {
  const event = (n: number, at: number, name: string) => ({
    game_id: 'demo',
    environment: 'live',
    event_id: `${n}-${at}`,
    player_id: playerId(n),
    event_name: name,
    received_at: at,
    timestamp: at,
  });
  const session = (n: number, at: number, seconds: number, startedAt = at) => ({
    game_id: 'demo',
    environment: 'live',
    player_id: playerId(n),
    duration_seconds: seconds,
    received_at: at,
    start_time: startedAt,
  });
  const stage = (n: number, lifecycle_stage: string) => ({
    game_id: 'demo',
    environment: 'live',
    kind: 'player',
    player_id: playerId(n),
    lifecycle_stage,
    version: 1,
  });
  const rows = {
    events: [
      event(1, START - 1, 'won'),
      event(1, START + 1, 'won'),
      event(1, START + 2, 'won'),
      event(1, START + DAY_MS, 'other'),
      event(2, START + 7 * DAY_MS, 'won'),
      event(3, START + HOUR_MS, 'other'),
      event(4, START + 2 * DAY_MS, 'won'),
    ],
    sessions: [
      session(1, START + HOUR_MS, 100),
      session(3, START + 8 * DAY_MS, 900),
      session(4, START + 1, 30),
      // It began before the message, and ended after it.
      session(1, START + HOUR_MS, 700, START - HOUR_MS),
    ],
    player_snapshots: [stage(1, 'active'), stage(2, 'at_risk'), stage(4, 'churned')],
  };
  for (const [table, values] of Object.entries(rows)) {
    await insertRows(clickhouse, table, values);
  }
  const figures = (campaign: string) =>
    rowsOf(
      clickhouse,
      `SELECT arm, toUInt32(players) AS players, toUInt32(messages) AS messages, toUInt32(sent) AS sent,
        toUInt32(shown) AS shown, toUInt32(clicked) AS clicked, toUInt32(converted) AS converted,
        toUInt32(payers) AS payers, toString(revenue) AS revenue, round(revenue_per_player, 4) AS per_player,
        round(revenue_deviation, 4) AS deviation, round(sessions_per_player, 4) AS sessions,
        round(playtime_per_player, 4) AS playtime, round(active_days_per_player, 4) AS days,
        round(return_rate, 4) AS returned, round(lapsed_rate, 4) AS lapsed
      FROM campaign_readout(game = 'demo', campaign = '${campaign}', conversion_event = 'won', window_hours = 168, variants_since = 0)
      ORDER BY arm`,
    );
  const found = await figures('cmp_1');
  expect(found).toEqual([
    {
      arm: 'holdout',
      players: 2,
      messages: 0,
      sent: 0,
      shown: 0,
      clicked: 0,
      converted: 1,
      payers: 1,
      revenue: '0.5',
      per_player: 0.25,
      deviation: 0.3536,
      sessions: 0.5,
      playtime: 15,
      days: 0.5,
      returned: 0.5,
      lapsed: 0.5,
    },
    {
      arm: 'treatment',
      players: 3,
      messages: 4,
      sent: 2,
      shown: 2,
      clicked: 1,
      converted: 1,
      payers: 1,
      revenue: '3.5',
      per_player: 1.1667,
      deviation: 2.0207,
      sessions: 0.3333,
      playtime: 33.3333,
      days: 1,
      returned: 0.3333,
      lapsed: 0.3333,
    },
  ]);
  expect(await figures('comeback')).toEqual(found);
});
