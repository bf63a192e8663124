import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishedShapes, type PublishedShapes } from '../support/wire/published-shapes.ts';
import { startService, type RunningService } from '../support/servers/running-service.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/wire/webhook-receiver.ts';
import { startOfToday } from '../support/whole-day.ts';

// Campaigns have caps for a day.
await startOfToday();

let service: RunningService;
let shapes: PublishedShapes;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  service = await startService({ WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
  shapes = publishedShapes(JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text()));
});
afterAll(async () => {
  await service?.stop();
  await receiver?.stop();
});

/** Sends a JSON request and checks that its answer has exactly the published shape. */
async function callApi(method: 'POST' | 'PATCH' | 'GET', path: string, body?: object, key = service.keys.live.server) {
  const answer = await service.call(key, method, path, body);
  const published = path.replace(/\?.*/, '').replace(/(cmp_)?[0-9a-f-]{36}/, '{id}');
  expect(shapes.faultsOf(method, published, answer.status, answer.body)).toEqual([]);
  return { status: answer.status, data: answer.body.data };
}

const content = { title: 'Stuck?', body: 'Here is a hint.', cta: 'Show me' };
const wholeContent = { ...content, image: null, deep_link: null, buttons: [], data: null };
const displayRules = { priority: 'high', dismiss_after_seconds: 30 };
const defined = async (body: object): Promise<string> => {
  const campaign = { content, display_rules: displayRules, ...body };
  const { status, data } = await callApi('POST', '/v1/campaigns/campaigns', campaign);
  expect(status).toBe(201);
  return String(data['campaign_id']);
};
interface Intervention {
  intervention_id: string;
}
const opened = async (player: string, device: object = {}) => {
  const init = { player_id: player, device_info: device };
  const { data } = await callApi('POST', '/v1/bff/game/init', init, service.keys.live.client);
  const session = { player_id: player, session_id: String(data['session_id']) };
  return {
    id: session.session_id,
    async sync(...events: (string | object)[]): Promise<Intervention[]> {
      const items = events.map((event) => (typeof event === 'string' ? { event_name: event } : event));
      const body = { ...session, events: items };
      const answer = await callApi('POST', '/v1/bff/game/sync', body, service.keys.live.client);
      const { interventions }: { interventions?: Intervention[] } = Object(answer.data);
      return interventions ?? [];
    },
    async end() {
      const body = { ...session, session_duration_seconds: 0 };
      const answer = await callApi('POST', '/v1/bff/game/end-session', body, service.keys.live.client);
      return answer.data['session_summary'];
    },
  };
};
const happened = (campaignId: string, count: number) =>
  until(`${count} rows of ${campaignId} are in ClickHouse`, async () => {
    const rows = await service.sql<{ event: string; reason: string }>(
      `SELECT event, reason FROM campaign_events WHERE campaign_id = '${campaignId}' ORDER BY facts_sequence, facts_index`,
    );
    return rows.length >= count ? rows.map(({ event, reason }) => [event, reason].join(' ').trim()) : undefined;
  });

test('a sync triggers and delivers an intervention once; ClickHouse and the webhook get what happened', async () => {
  const webhook = { name: 'campaigns', url: receiver.url, enabled: true, events: ['campaign.triggered'] };
  await callApi('POST', '/v1/integrations/webhooks', webhook);
  const campaignId = await defined({
    key: 'stuck',
    trigger: { event: 'level_failed', conditions: { 'properties.level': { $gte: 10 } } },
    caps: { total: 1 },
  });
  const player = await service.player(service.keys.live.server, 'stuck-player');
  const session = await opened(player);
  expect(await session.sync({ event_name: 'level_failed', properties: { level: 9 } })).toEqual([]);
  const delivered = await session.sync(
    { event_name: 'level_failed', properties: { level: 10 } },
    { event_name: 'level_failed', properties: { level: 11 } },
  );
  expect(delivered).toEqual([
    {
      intervention_id: expect.stringMatching(/^int_/),
      type: 'in_app_message',
      campaign: { key: 'stuck', version: 1 },
      variant: null,
      locale: null,
      content: wholeContent,
      display_rules: displayRules,
    },
  ]);
  expect(await session.sync()).toEqual([]);
  const properties = { intervention_id: delivered[0]?.intervention_id };
  await session.sync({ event_name: 'intervention_shown', properties });
  await session.sync({ event_name: 'intervention_clicked', properties });
  expect(await session.end()).toMatchObject({ interventions_shown: 1, interventions_clicked: 1 });

  expect(await happened(campaignId, 5)).toEqual(['triggered', 'suppressed cap_total', 'offered', 'shown', 'clicked']);
  const [request] = await until('the webhook heard of it', () =>
    receiver.requests.length === 0 ? undefined : receiver.requests,
  );
  const told: { type?: unknown; data?: unknown } = JSON.parse(request?.body ?? '');
  expect([told.type, told.data]).toEqual([
    'campaign.triggered',
    {
      player_id: player,
      external_id: 'stuck-player',
      campaign_id: campaignId,
      campaign_key: 'stuck',
      campaign_version: 1,
      ...properties,
      cause: 'event:level_failed',
      variant: null,
      locale: null,
      held_until: null,
      expires_at: expect.stringMatching(/Z$/),
      content: wholeContent,
    },
  ]);
});

test('a message comes in the language of the device, in the variant of the player, and its button is reported', async () => {
  const german = { title: 'Hallo {{attributes.name|du}}', button_labels: { take: 'Nehmen' } };
  const gift = {
    title: 'Hi {{attributes.name|player}}',
    body: 'A gift, {{external_id}}',
    deep_link: 'game://shop?for={{attributes.name|all}}',
    data: { coins: 5 },
    buttons: [{ id: 'take', label: 'Take', action: 'game://gifts' }],
    locales: { de: german },
  };
  const variants = [
    { key: 'plain', weight: 0 },
    { key: 'gift', weight: 1, content: gift },
  ];
  const campaignId = await defined({ key: 'gift', trigger: { event: 'boss_won' }, variants });
  const player = await service.player(service.keys.live.server, 'gifted');
  await callApi('PATCH', `/v1/players/players/${player}`, { attributes: { name: '{{external_id}} & co' } });
  const session = await opened(player, { locale: 'de_AT' });
  const [message] = await session.sync('boss_won');
  expect(message).toMatchObject({
    campaign: { key: 'gift', version: 1 },
    variant: 'gift',
    locale: 'de',
    content: {
      title: 'Hallo {{external_id}} & co',
      body: 'A gift, gifted',
      deep_link: 'game://shop?for=%7B%7Bexternal_id%7D%7D%20%26%20co',
      data: { coins: 5 },
      buttons: [{ id: 'take', label: 'Nehmen', action: 'game://gifts' }],
    },
  });
  const properties = { intervention_id: message?.intervention_id, button_id: 'take' };
  await session.sync({ event_name: 'intervention_clicked', properties });
  const rows = await until('the click is in ClickHouse', async () => {
    const found = await service.sql<{ event: string; variant: string; button: string }>(
      `SELECT event, variant, button FROM campaign_events WHERE campaign_id = '${campaignId}'
       ORDER BY facts_sequence, facts_index`,
    );
    return found.length < 4 ? undefined : found;
  });
  expect(rows.map(({ event, variant, button }) => [event, variant, button].join(' ').trim())).toEqual([
    'triggered gift',
    'offered gift',
    'shown gift',
    'clicked gift take',
  ]);
  const [dismissed] = await session.sync('boss_won');
  const closed = { intervention_id: dismissed?.intervention_id };
  await session.sync({ event_name: 'intervention_dismissed', properties: closed });
  expect(await (await opened(player)).sync()).toEqual([]);
});

test('a later session delivers an intervention that no client showed, until the campaign is disabled', async () => {
  const campaignId = await defined({ key: 'waits', trigger: { event: 'server_event' } });
  const player = await service.player(service.keys.live.server, 'waiting-player');
  await callApi('POST', '/v1/events/events', { player_id: player, event_name: 'server_event' });
  const first = await opened(player);
  const [delivered] = await first.sync();
  expect(await first.sync()).toEqual([]);
  await first.end();
  const second = await opened(player);
  expect(await second.sync()).toMatchObject([{ intervention_id: delivered?.intervention_id }]);
  await callApi('PATCH', `/v1/campaigns/campaigns/${campaignId}`, { enabled: false });
  const third = await opened(player);
  expect(await third.sync('server_event')).toEqual([]);
  await callApi('PATCH', `/v1/campaigns/campaigns/${campaignId}`, { enabled: true });
  expect(await third.sync()).toMatchObject([{ intervention_id: delivered?.intervention_id }]);
});

test('players in the holdout get nothing, and the funnel compares them with the others', async () => {
  const campaignId = await defined({ key: 'half', trigger: { event: 'joined' }, holdout_percentage: 50 });
  const players = await Promise.all(
    Array.from({ length: 24 }, (_, n) => service.player(service.keys.live.server, `arm-${n}`)),
  );
  const delivered = await Promise.all(players.map(async (player) => (await opened(player)).sync('joined')));
  const treated = players.filter((_, n) => delivered[n]?.length === 1);
  expect(treated.length).toBeGreaterThan(0);
  expect(treated.length).toBeLessThan(players.length);
  const path = (player: string) => `/v1/players/players/${player}/purchase?amount=4.99`;
  for (const player of treated) await callApi('POST', path(player));
  await happened(campaignId, 2 * treated.length + (players.length - treated.length));
  const arms = await until('the purchases are in the funnel', async () => {
    const rows = await service.sql<{ arm: string; players: number; offered: number; rate: number }>(
      `SELECT arm, toUInt32(players) AS players, toUInt32(players_offered) AS offered, conversion_rate AS rate
       FROM campaign_funnels WHERE campaign_id = '${campaignId}' ORDER BY arm`,
    );
    return rows[1]?.rate === 1 ? rows : undefined;
  });
  expect(arms).toEqual([
    { arm: 'holdout', players: players.length - treated.length, offered: 0, rate: 0 },
    { arm: 'treatment', players: treated.length, offered: treated.length, rate: 1 },
  ]);
});

test('caps hold under many concurrent calls', async () => {
  await defined({ key: 'capped', trigger: { event: 'storm' }, caps: { total: 3, per_day: 2 } });
  const player = await service.player(service.keys.live.server, 'stormy');
  const session = await opened(player);
  const answers = await Promise.all(Array.from({ length: 40 }, () => session.sync('storm', 'storm', 'storm')));
  expect(answers.flat()).toHaveLength(2);
});

test('a message is withdrawn from a player who does not qualify any more, and counted', async () => {
  const conditions = { is_payer: false };
  const segment = await callApi('POST', '/v1/segments/segments', { key: 'non-payers', conditions });
  const offer = await defined({
    key: 'first-offer',
    trigger: { event: 'shop_opened' },
    audience: segment.data['segment_id'],
  });
  const update = await defined({
    key: 'update-now',
    trigger: { event: 'shop_opened', conditions: { app_version: { $vlt: '2.0.0' } } },
  });
  const player = await service.player(service.keys.live.server, 'buyer');
  const start = (version: string) =>
    callApi(
      'POST',
      '/v1/bff/game/init',
      { player_id: player, device_info: { app_version: version } },
      service.keys.live.client,
    );
  await start('1.9.0');
  await callApi('POST', '/v1/events/events', { player_id: player, event_name: 'shop_opened' });
  await callApi('POST', `/v1/players/players/${player}/purchase?amount=4.99`);
  await start('2.0.0');
  const session = await opened(player);
  expect(await session.sync()).toEqual([]);
  for (const campaignId of [offer, update]) {
    expect(await happened(campaignId, 2)).toEqual(['triggered', 'suppressed not_eligible']);
    const { data } = await callApi('GET', `/v1/campaigns/campaigns/${campaignId}/results`);
    expect(data).toMatchObject({
      steps: { triggered: { times: 1 }, sent: { times: 0 } },
      suppressed: [{ reason: 'not_eligible', players: 1, times: 1 }],
    });
  }
  // Nothing waits, so a message that fits again is a new one.
  expect(await session.sync('shop_opened')).toEqual([]);
});

test('a segment that flaps, or is edited, sends one message to a player', async () => {
  const conditions = { 'attributes.vip': true };
  const segment = await callApi('POST', '/v1/segments/segments', { key: 'vips', conditions });
  const segmentId = String(segment.data['segment_id']);
  const campaignId = await defined({ key: 'welcome-vip', trigger: { segment_entered: segmentId } });
  const player = await service.player(service.keys.live.server, 'flapping');
  const isVip = (vip: boolean) => callApi('PATCH', `/v1/players/players/${player}`, { attributes: { vip } });
  for (let n = 0; n < 20; n++) await isVip(n % 2 === 0);
  await isVip(true);
  const session = await opened(player);
  const [message, ...more] = await session.sync();
  expect([typeof message, more]).toEqual(['object', []]);
  const properties = { intervention_id: message?.intervention_id };
  await session.sync({ event_name: 'intervention_shown', properties });
  // A segment in use cannot be switched off, but everybody may leave and enter it by an edit of its condition.
  for (const [version, isMember] of [false, true].entries()) {
    const change = {
      name: 'vips',
      conditions: isMember ? conditions : { 'attributes.vip': 'no' },
      version: version + 1,
    };
    const put = await service.call(service.keys.live.server, 'PUT', `/v1/segments/segments/${segmentId}`, change);
    expect(put.status).toBe(200);
    await until(`the segment is evaluated, a member: ${isMember}`, async () => {
      const { data } = await callApi('GET', `/v1/players/players/${player}/segments`);
      const { segments }: { segments?: { segment_key: string }[] } = Object(data);
      return segments?.some(({ segment_key: key }) => key === 'vips') === isMember || undefined;
    });
  }
  expect(await session.sync()).toEqual([]);
  expect(await happened(campaignId, 4)).toEqual(['triggered', 'suppressed cap_total', 'offered', 'shown']);
});

test('a schedule in the quiet hours of a player is delivered after them', async () => {
  const clockTime = (offsetMinutes: number) =>
    new Date(Date.now() + offsetMinutes * 60_000).toISOString().slice(11, 16);
  const night = { from: clockTime(-60), to: clockTime(60) };
  const player = await service.player(service.keys.live.server, 'sleeper');
  await callApi('PATCH', `/v1/players/players/${player}`, { attributes: { sleeper: true } });
  const conditions = { 'attributes.sleeper': true };
  const segment = await callApi('POST', '/v1/segments/segments', { key: 'sleepers', conditions });
  const at = new Date(Date.now() + 3_000).toISOString();
  const campaignId = await defined({
    key: 'news',
    trigger: { schedule: { at } },
    audience: segment.data['segment_id'],
    quiet_hours: night,
  });
  expect(await happened(campaignId, 1)).toEqual(['triggered']);
  const session = await opened(player);
  expect(await session.sync()).toEqual([]);
  // Three hours further east the night is over.
  const zone = { attributes: { timezone: 'UTC+3' } };
  const answer = await service.call(service.keys.live.server, 'PATCH', `/v1/players/players/${player}`, zone);
  expect(answer.headers.get('x-ignored-fields')).toBeNull();
  expect(await session.sync()).toHaveLength(1);
});
