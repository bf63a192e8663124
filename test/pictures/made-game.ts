import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, linesOfDay, playsOn, USUAL_GAME, writePlayers } from '../../bench/lib/history/game-history.ts';
import type { RunningService } from '../support/servers/running-service.ts';
import { until } from '../support/until.ts';

/* The game that the pictures show: 27 days of history, today's play, and definitions of every kind. */

const PLAYERS = 1_500;
const DAYS = 28;
/** Players who play today over the API; the share of them that meets each step. */
const PLAYING = 320;
const ROWS_MS = 180_000;

export interface MadeGame {
  /** Ids of players who played today. */
  players: readonly string[];
  segment: string;
  campaign: string;
}

/** Sends a request that must succeed; returns its data. */
type Ask = (method: string, path: string, body: object, isClient?: boolean) => Promise<Record<string, unknown>>;

/** @param hookUrl of a receiver that refuses every delivery */
export async function makeGame(service: RunningService, hookUrl: string): Promise<MadeGame> {
  const { server, client } = service.keys.live;
  const ask: Ask = async (method, path, body, isClient = false) => {
    const { status, body: answer } = await service.call(isClient ? client : server, method, path, body);
    if (status !== 200 && status !== 201) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const events = await importHistory(service);
  const beginMs = Date.now();
  const { segment, campaign } = await define(ask, hookUrl);
  const players = await playToday(service, ask);
  await score(ask);
  await until(
    'the history is counted',
    async () => {
      const [row] = await service.sql<{ n: string | number }>('SELECT sum(events) AS n FROM player_days FINAL');
      return Number(row?.n) >= events;
    },
    ROWS_MS,
  );
  await until(
    'lists have the players of today',
    async () => {
      const [row] = await service.sql<{ n: string | number }>(
        `SELECT count() AS n FROM player_snapshots FINAL WHERE toUnixTimestamp64Milli(last_seen_at) > ${beginMs}`,
      );
      return Number(row?.n) >= PLAYING;
    },
    ROWS_MS,
  );
  const rows: readonly (readonly [table: string, condition: string])[] = [
    ['campaign_events', "event = 'clicked'"],
    ['flag_exposures', "flag_key = 'new_shop'"],
    ['flag_exposures', "experiment = 'shop_music'"],
    ['scores', '1'],
    ['webhook_deliveries', '1'],
    ['quarantined_events', '1'],
  ];
  for (const [table, condition] of rows) {
    await until(`rows of ${table}`, async () => {
      return (await service.sql(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`)).length > 0;
    });
  }
  return { players, segment, campaign };
}

/** Imports players and events of the days until now. @returns the number of events */
async function importHistory(service: RunningService): Promise<number> {
  const nowMs = Date.now();
  const startMs = (Math.floor(nowMs / DAY_MS) - DAYS + 1) * DAY_MS;
  const rules = { ...USUAL_GAME, players: PLAYERS, days: DAYS, seed: 7, startMs, isDetailed: true };
  const lines = Array.from({ length: DAYS }, (_, day) => day).flatMap((day) =>
    Array.from({ length: PLAYERS }, (_, player) => player)
      .filter((player) => playsOn(rules, player, day))
      .flatMap((player) => linesOfDay(rules, player, day))
      .filter(({ at }) => at < nowMs)
      .toSorted((one, other) => one.at - other.at),
  );
  const folder = service.supervised.dataDir;
  const [players, events] = [join(folder, 'players.csv'), join(folder, 'history.ndjson')];
  writePlayers(players, rules);
  writeFileSync(events, lines.map(({ text }) => text).join(''));
  await service.cli('import', 'players', players, '--game', 'demo');
  await service.cli('import', 'events', events, '--game', 'demo');
  return lines.length;
}

async function define(ask: Ask, hookUrl: string): Promise<{ segment: string; campaign: string }> {
  const segments: string[] = [];
  for (const [key, name, conditions] of [
    ['regulars', 'Regulars', { session_count: { $gte: 5 }, days_since_last_seen: { $lt: 7 } }],
    ['payers', 'Payers', { is_payer: true }],
    ['north', 'Northern Europe', { 'attributes.country': { $in: ['SE', 'DE'] } }],
    ['stuck', 'Stuck in a level', { 'events.level_failed.count_7d': { $gte: 3 } }],
    ['lapsing', 'Lapsing payers', { is_payer: true, days_since_last_seen: { $gte: 7 } }],
  ] as const) {
    const made = await ask('POST', '/v1/segments/segments', { key, name, conditions });
    segments.push(String(made['segment_id']));
  }
  const [regulars = '', payers = '', , stuck = ''] = segments;
  const rule = (segment: string | null, percentage: number) => ({
    name: segment === null ? 'everybody' : 'segment',
    segment_id: segment,
    value: true,
    percentage,
    priority: 1,
  });
  const variants = [
    { key: 'a', value: 'grid', weight: 1 },
    { key: 'b', value: 'carousel', weight: 1 },
  ];
  const split = { flag_type: 'multivariate', variants, enabled: true };
  for (const flag of [
    {
      key: 'new_shop',
      name: 'New shop',
      description: 'The new layout of the shop',
      ...split,
      rules: [rule(null, 100)],
    },
    { key: 'boss_rush', name: 'Boss rush', description: 'A new mode', enabled: true, rules: [rule(regulars, 25)] },
    {
      key: 'double_xp',
      name: 'Double experience',
      description: 'At weekends',
      enabled: false,
      rules: [rule(null, 100)],
    },
    { key: 'vip_chat', name: 'Chat for payers', description: '', enabled: true, rules: [rule(payers, 100)] },
    {
      key: 'easy_levels',
      name: 'Easier levels',
      description: 'For players who fail',
      ...split,
      rules: [rule(stuck, 50)],
    },
  ]) {
    const { rules: targeting_rules, ...rest } = flag;
    await ask('POST', '/v1/flags/flags', { flag_type: 'boolean', ...rest, targeting_rules });
  }
  await defineExperiments(ask, regulars);
  const campaigns: string[] = [];
  const nextWeek = new Date(Date.now() + 5 * DAY_MS).toISOString();
  for (const campaign of [
    {
      key: 'hint',
      name: 'Hint for the stuck',
      trigger: { event: 'level_failed' },
      content: { title: 'Stuck?', body: 'Tap a tile twice to see what it does.', cta: 'Show me' },
      caps: { per_day: 1 },
      holdout_percentage: 10,
    },
    {
      key: 'gift',
      name: 'Gift for regulars',
      trigger: { segment_entered: regulars },
      audience: regulars,
      content: { title: 'Thank you', body: 'A chest waits for you.', cta: 'Open' },
      caps: { total: 1 },
    },
    {
      key: 'sale',
      name: 'Weekend sale',
      trigger: { schedule: { at: nextWeek } },
      content: { title: 'Sale', body: 'Everything at half of its price, until Sunday.', cta: 'Open the shop' },
      holdout_percentage: 5,
    },
    {
      key: 'back',
      name: 'Welcome back',
      trigger: { lifecycle: 'reactivated' },
      content: { title: 'Welcome back', body: 'See what is new.', cta: 'Show me' },
      enabled: false,
    },
  ]) {
    const made = await ask('POST', '/v1/campaigns/campaigns', campaign);
    campaigns.push(String(made['campaign_id']));
  }
  const hooks = [
    { name: 'CRM', url: hookUrl, events: ['player.segment_entered', 'shop_opened'] },
    { name: 'Push messages', url: 'https://push.example.com/hooks', events: ['campaign.triggered'] },
  ];
  for (const hook of hooks) await ask('POST', '/v1/integrations/webhooks', hook);
  const level = { type: 'object', properties: { level: { type: 'integer', minimum: 1 } }, required: ['level'] };
  const item = { type: 'object', properties: { item: { type: 'string' }, price: { type: 'number' } } };
  for (const schema of [
    { event_name: 'level_failed', mode: 'observe', description: 'A level ended without success', schema: level },
    { event_name: 'item_bought', mode: 'enforce', description: 'An item of the shop', schema: item },
    { event_name: 'shop_opened', mode: 'warn', description: 'The shop was opened', schema: { type: 'object' } },
  ])
    await ask('POST', '/v1/events/schemas', schema);
  return { segment: regulars, campaign: campaigns[0] ?? '' };
}

/** One experiment that runs, one that shipped, and a draft. */
async function defineExperiments(ask: Ask, regulars: string): Promise<void> {
  const variants = [
    { key: 'calm', value: 'calm.ogg', weight: 1 },
    { key: 'lively', value: 'lively.ogg', weight: 1 },
  ];
  const shares = variants.map(({ key, weight }) => ({ key, weight }));
  for (const key of ['shop_music', 'map_music', 'boss_music']) {
    await ask('POST', '/v1/flags/flags', {
      key,
      flag_type: 'string',
      default_value: 'calm.ogg',
      variants,
      enabled: true,
    });
    const about = { owner: 'audio', tags: ['music'], hypothesis: 'Lively music keeps players in the shop for longer.' };
    await ask('POST', '/v1/experiments/experiments', {
      key,
      flag_key: key,
      name: key.charAt(0).toUpperCase() + key.slice(1).replace('_', ' '),
      ...about,
      audience: { segment_id: key === 'boss_music' ? regulars : null },
      variants: shares,
      primary: { aggregate: 'conversion', metric: 'shop_opened' },
      guardrails: [{ metric: { aggregate: 'revenue' }, worse: 'lower', margin: 0.05, action: 'roll_back' }],
      plan: { mde: 0.2, ends_at: new Date(Date.now() + 14 * DAY_MS).toISOString() },
    });
  }
  for (const key of ['shop_music', 'map_music']) await ask('POST', `/v1/experiments/experiments/${key}/start`, {});
  await ask('POST', '/v1/experiments/experiments/map_music/ship', { variant: 'lively' });
}

/** Sessions over the API: flags, events, messages of campaigns, purchases. */
async function playToday(service: RunningService, ask: Ask): Promise<string[]> {
  const players: string[] = [];
  for (let n = 0; n < PLAYING; n++) {
    const player = await service.player(service.keys.live.server, `player-${n * 4}`);
    players.push(player);
    const device = { platform: n % 3 === 0 ? 'android' : 'ios', app_version: '1.1', device_model: 'Phone 12' };
    const opened = await ask('POST', '/v1/bff/game/init', { player_id: player, device_info: device }, true);
    const session = { player_id: player, session_id: opened['session_id'] };
    const shop = await ask('POST', '/v1/flags/flags/new_shop/evaluate', { player_id: player }, true);
    const music = await ask('POST', '/v1/flags/flags/shop_music/evaluate', { player_id: player }, true);
    const isTempted = n % 10 < (shop['variant_key'] === 'b' ? 5 : 3) + (music['variant_key'] === 'lively' ? 2 : 0);
    const play = [
      { event_name: 'level_started', properties: { level: 1 + (n % 25) } },
      { event_name: 'level_failed', properties: { level: n % 40 === 0 ? 'twelve' : 1 + (n % 25) } },
      ...(isTempted ? [{ event_name: 'shop_opened', properties: { from: 'menu' } }] : []),
      ...(n % 16 === 0 ? [{ event_name: 'item_bought', properties: { item: 'shield', price: 'cheap' } }] : []),
    ];
    const synced = await ask('POST', '/v1/bff/game/sync', { ...session, events: play }, true);
    const { interventions = [] }: { interventions?: { intervention_id: string }[] } = Object(synced);
    const reports = interventions.flatMap(({ intervention_id }) =>
      ['intervention_shown', ...(n % 3 === 0 ? ['intervention_clicked'] : [])].map((event_name) => ({
        event_name,
        properties: { intervention_id },
      })),
    );
    if (reports.length > 0) await ask('POST', '/v1/bff/game/sync', { ...session, events: reports }, true);
    if (n % 24 === 0) {
      await ask('POST', `/v1/players/players/${player}/purchase?amount=4.99&currency=EUR`, {});
    }
  }
  return players;
}

async function score(ask: Ask): Promise<void> {
  for (let n = 0; n < 200; n++) {
    const device = {
      device_id: `device-${n}`,
      match_wins: n % 7,
      vpay_count: n % 3,
      sess_duration_total: 60 * (n % 50),
    };
    await ask('POST', '/v1/scoring/first-user-conversion', device, true);
  }
}
