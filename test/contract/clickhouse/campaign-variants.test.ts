import { afterAll, beforeAll, expect, it } from 'vitest';
import { aCampaign } from '../../../actors/campaigns/testing-campaign.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { write } from '../../support/wire/decided-game.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { publishedShapes } from '../../support/wire/published-shapes.ts';

/* Variants and buttons of messages, from facts through the real sink to views and results. */

const ID = 'cmp_019bc0de-1234-7abc-8def-0123456789ab';
const AT = Date.now() - 3_600_000;
const playerId = (n: number): string => `7d6f3f5e-6f0b-5f8e-9d2c-${String(n).padStart(12, '0')}`;
const about = (n: number, variant: string, campaignVersion = 4) =>
  ({
    game: 'demo',
    environment: 'live',
    entityId: playerId(n),
    externalId: `ext-${n}`,
    campaignId: ID,
    campaignKey: 'gift',
    campaignVersion,
    variant,
    interventionId: `int_${n}`,
  }) as const;
const triggered = (n: number, variant: string, version?: number): Fact => ({
  ...about(n, variant, version),
  kind: 'InterventionTriggered',
  at: AT,
  expiresAt: AT + 1,
  cause: 'event:won',
});
const end = (
  kind: 'InterventionClicked' | 'InterventionDismissed',
  n: number,
  variant: string,
  button?: string,
): Fact => ({
  ...about(n, variant),
  kind,
  at: AT + 1,
  sessionId: null,
  ...(kind === 'InterventionClicked' && button !== undefined ? { button } : {}),
});

const PLAYERS = Array.from({ length: 400 }, (_, n) => n);
const variantOf = (n: number): string => (n % 2 === 0 ? 'a' : 'b');
const FACTS: Fact[] = [
  ...PLAYERS.map((n) => triggered(n, variantOf(n))),
  // Half of those of b click, and one in ten of a, half of them on no button.
  ...PLAYERS.filter((n) => n % 4 === 1).map((n) => end('InterventionClicked', n, 'b', 'take')),
  ...PLAYERS.filter((n) => n % 20 === 0).map((n) =>
    end('InterventionClicked', n, 'a', n % 40 === 0 ? 'take' : undefined),
  ),
  ...[2, 3, 6].map((n) => end('InterventionDismissed', n, variantOf(n))),
  // Of an earlier test, and of both variants.
  triggered(900, 'b', 3),
  triggered(901, 'a'),
  triggered(901, 'b'),
];

let clickhouse: TestClickhouse;
let analytics: Analytics;
let gateway: Gateway;
beforeAll(async () => {
  clickhouse = await startWithTables();
  await write(clickhouse, [FACTS]);
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({ analytics });
  const variants = ['a', 'b', 'c'].map((name) => ({ key: name, weight: name === 'c' ? 0 : 1 }));
  const document = aCampaign({ id: ID, key: 'gift', variants, tested: { since: 4, variants }, version: 5 });
  await gateway.config.put({ game: 'demo', environment: 'live', kind: 'campaign', key: ID }, document);
});
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await clickhouse.close();
});

it('every row names its variant, and the button of a click', async () => {
  const rows = await rowsOf(
    clickhouse,
    `SELECT event, variant, button FROM campaign_events WHERE player_id IN ('${playerId(1)}', '${playerId(2)}')
     ORDER BY player_id, received_at`,
  );
  expect(rows).toEqual([
    { event: 'triggered', variant: 'b', button: '' },
    { event: 'clicked', variant: 'b', button: 'take' },
    { event: 'triggered', variant: 'a', button: '' },
    { event: 'dismissed', variant: 'a', button: '' },
  ]);
});

it('campaign_buttons counts clicks by variant and button', async () => {
  const rows = await rowsOf(
    clickhouse,
    'SELECT campaign_key, variant, button, clicks, players FROM campaign_buttons ORDER BY variant, button',
  );
  expect(rows.map((row) => Object.values(Object(row)).map(String))).toEqual([
    ['gift', 'a', '', '10', '10'],
    ['gift', 'a', 'take', '10', '10'],
    ['gift', 'b', 'take', '100', '100'],
  ]);
});

it('campaign_readout has an arm for each variant, by messages since a version, of players with one variant', async () => {
  const arms = async (since: number) =>
    rowsOf(
      clickhouse,
      `SELECT arm, toUInt32(players) AS players, toUInt32(clicked) AS clicked
       FROM campaign_readout(game = 'demo', campaign = 'gift', conversion_event = '', window_hours = 24,
         variants_since = ${since})
       ORDER BY arm`,
    );
  expect(await arms(0)).toEqual([{ arm: 'treatment', players: 402, clicked: 120 }]);
  expect(await arms(4)).toEqual([
    { arm: 'a', players: 200, clicked: 20 },
    { arm: 'b', players: 200, clicked: 100 },
  ]);
  expect(await arms(3)).toMatchObject([{ players: 200 }, { arm: 'b', players: 201 }]);
});

it('results compare the variants with the first one', async () => {
  const path = '/v1/campaigns/campaigns/{id}/results';
  const shapes = publishedShapes(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
  const response = await gateway.call(await gateway.key(), 'GET', `${path.replace('{id}', ID)}?window_hours=24`);
  const body = await bodyOf(response);
  expect(shapes.faultsOf('GET', path, response.status, body)).toEqual([]);
  const control = { variant: 'a', weight: 1, players: 200, clicked: 20 };
  expect(body.data).toMatchObject({
    steps: { clicked: { players: 120, times: 120 }, dismissed: { players: 3, times: 3 } },
    buttons: [
      { button: 'take', variant: 'b', players: 100, times: 100 },
      { button: null, variant: 'a', players: 10, times: 10 },
      { button: 'take', variant: 'a', players: 10, times: 10 },
    ],
    arms: { treatment: { players: 402 } },
    variants: {
      control: 'a',
      since: 4,
      sample_ratio: { mismatch: false },
      variants: [
        { ...control, figures: { click_rate: { value: 0.1, lift: null, p_value: null, decision: null } } },
        {
          variant: 'b',
          players: 200,
          clicked: 100,
          figures: {
            click_rate: { value: 0.5, lift: 4, decision: 'higher', too_small: null },
            payer_rate: { value: 0, too_small: 'values' },
            conversion_rate: { value: null },
          },
        },
        { variant: 'c', players: 0, figures: { click_rate: { value: null } } },
      ],
    },
  });
});

it('results of a campaign that never had variants have none', async () => {
  const id = ID.replace('cmp_019', 'cmp_01a');
  await gateway.config.put({ game: 'demo', environment: 'live', kind: 'campaign', key: id }, aCampaign({ id }));
  const path = `/v1/campaigns/campaigns/${id}/results`;
  const { data } = await bodyOf(await gateway.call(await gateway.key(), 'GET', path));
  expect(data).toMatchObject({ buttons: [], variants: null, arms: null });
});

it('the timeline of a player has the button of a click', async () => {
  const path = `/v1/players/players/${playerId(1)}/timeline?kind=campaign`;
  const { data } = await bodyOf(await gateway.call(await gateway.key(), 'GET', path));
  expect(data['entries']).toMatchObject([
    { name: 'gift', what: 'clicked', why: 'take' },
    { name: 'gift', what: 'triggered' },
  ]);
});
