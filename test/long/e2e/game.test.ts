import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishedShapes, type PublishedShapes } from '../../support/wire/published-shapes.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

let service: RunningService;
let shapes: PublishedShapes;
beforeAll(async () => {
  service = await startService({ SESSION_TTL_SECONDS: '5' });
  shapes = publishedShapes(JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text()));
});
afterAll(() => service.stop());

/** Calls a game-client endpoint and checks that its answer has exactly the published shape. */
async function game(endpoint: 'init' | 'sync' | 'end-session', body: object, key = service.keys.live.client) {
  const path = `/v1/bff/game/${endpoint}`;
  const answer = await service.call(key, 'POST', path, body);
  expect(shapes.faultsOf('POST', path, answer.status, answer.body)).toEqual([]);
  return { status: answer.status, ...answer.body };
}

async function define(path: string, body: unknown): Promise<Record<string, unknown>> {
  const { status, body: answer } = await service.call(service.keys.live.server, 'POST', path, body);
  expect([status, answer.error]).toEqual([201, undefined]);
  return answer.data;
}

interface SessionRow {
  end_reason: string;
  duration_seconds: number;
  total_events: number;
  achievements_unlocked: string[];
}

const sessionRow = (sessionId: string): Promise<SessionRow> =>
  until(`session ${sessionId} is in ClickHouse`, async () => {
    const columns = 'end_reason, duration_seconds, total_events, achievements_unlocked';
    const rows = await service.sql<SessionRow>(`SELECT ${columns} FROM sessions WHERE session_id = '${sessionId}'`);
    return rows[0];
  });

test('a session from init to end: segments and flags follow its events, and ClickHouse gets its row', async () => {
  const segment = await define('/v1/segments/segments', {
    key: 'ios_winners',
    name: 'Winners on iOS',
    conditions: { platform: 'ios', 'events.level_won.count_7d': { $gte: 2 } },
  });
  const rules = [{ name: 'w', segment_id: segment['segment_id'], value: true, percentage: 100, priority: 1 }];
  await define('/v1/flags/flags', {
    key: 'trophy',
    name: 'T',
    flag_type: 'boolean',
    enabled: true,
    targeting_rules: rules,
  });
  const player = await service.player(service.keys.live.server, 'gamer');

  const init = await game('init', {
    player_id: player,
    device_info: { platform: 'ios', os_version: '18.1', app_version: '2.4.0', device_model: 'iPhone16,2' },
    requested_flags: ['trophy', 'gone'],
  });
  expect(init.data).toMatchObject({
    player: { player_id: player, external_id: 'gamer', properties: {} },
    flags: { trophy: { enabled: false } },
    segments: [],
    unknown_flags: ['gone'],
  });
  const session = { player_id: player, session_id: String(init.data['session_id']) };

  const early = await game('sync', { ...session, events: [{ event_name: 'level_won' }] });
  expect(early.data).toMatchObject({ events_accepted: 1, updated_flags: {} });
  const sync = await game('sync', {
    ...session,
    events: [
      { event_name: 'achievement_unlocked', timestamp: '2026-01-02T00:00:00Z', properties: { achievement_id: 'a1' } },
      { event_name: 'level_won', timestamp: '2026-01-01T00:00:00Z' },
      { event_name: 'shown', properties: { flag_key: 'trophy' } },
      { timestamp: '2026-01-01T00:00:00Z' },
    ],
    state_updates: { level: 9 },
  });
  expect(sync.data).toMatchObject({
    events_accepted: 3,
    updated_flags: { trophy: { enabled: true } },
    rejected: [{ index: 3 }],
  });
  const end = await game('end-session', {
    ...session,
    session_duration_seconds: 0,
    final_events: [{ event_name: 'bye' }],
  });
  expect(end.data['session_summary']).toEqual({
    session_id: session.session_id,
    total_events: 5,
    duration_seconds: 0,
    achievements_unlocked: ['a1'],
    interventions_shown: 0,
    interventions_clicked: 0,
  });
  const again = await game('end-session', { ...session, session_duration_seconds: 0 });
  expect([again.status, again.error.code]).toEqual([404, 'SESSION_NOT_FOUND']);

  const read = await service.call(service.keys.live.client, 'GET', `/v1/players/players/${player}`);
  expect(read.body.data).toMatchObject({ session_count: 1, attributes: { level: 9 } });
  expect((await game('init', { player_id: player })).data['segments']).toEqual(['ios_winners']);
  expect(await sessionRow(session.session_id)).toMatchObject({
    end_reason: 'ended',
    total_events: 5,
    achievements_unlocked: ['a1'],
  });
  const events = await until('its events are rows', async () => {
    const rows = await service.sql<{ event_name: string }>(
      `SELECT event_name FROM events WHERE session_id = '${session.session_id}' ORDER BY facts_sequence, facts_index`,
    );
    return rows.length === 0 ? undefined : rows;
  });
  expect(events.map(({ event_name: name }) => name)).toEqual([
    'level_won',
    'level_won',
    'achievement_unlocked',
    'shown',
    'bye',
  ]);
  const exposed = `SELECT 1 FROM flag_exposures WHERE flag_key = 'trophy' AND player_id = '${player}'`;
  await until('its exposure is a row', async () => (await service.sql(exposed)).length === 1);
});

test('the session of a game that stops calling expires without any request', async () => {
  const player = await service.player(service.keys.live.server, 'quitter');
  const { data } = await game('init', { player_id: player });
  const session = { player_id: player, session_id: String(data['session_id']) };
  await game('sync', { ...session, events: [{ event_name: 'played' }] });
  expect(await sessionRow(session.session_id)).toMatchObject({ end_reason: 'expired', total_events: 1 });
  const late = await game('sync', { ...session, events: [{ event_name: 'late' }] });
  expect([late.status, late.error.details]).toEqual([
    404,
    { session_id: session.session_id, suggestion: expect.stringContaining('init') },
  ]);
});

test('a player has four open sessions on different devices; a fifth replaces the oldest', async () => {
  const { client, server } = service.keys.test;
  const player = await service.player(server, 'many-devices');
  const inits = await Promise.all(Array.from({ length: 4 }, () => game('init', { player_id: player }, client)));
  const sessions = inits.map(({ data }) => String(data['session_id']));
  expect(new Set(sessions).size).toBe(4);
  const sync = (sessionId: string) =>
    game('sync', { player_id: player, session_id: sessionId, events: [{ event_name: 'played' }] }, client);
  const synced = await Promise.all(sessions.map(sync));
  expect(synced.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const fifth = String((await game('init', { player_id: player }, client)).data['session_id']);
  const answers = await Promise.all([...sessions, fifth].map(sync));
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(1);
  expect(answers[4]?.status).toBe(200);
});
