import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../core/kernel/errors.ts';
import { commit } from '../../../streams/sinks/testing-commits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { rowsOf } from '../../support/servers/clickhouse.ts';
import { startGateway } from '../../support/in-memory/http-gateway.ts';
import { publishedShapes, type PublishedShapes } from '../../support/wire/published-shapes.ts';
import { startStoredGateway, type StoredGateway } from '../../support/in-memory/stored-gateway.ts';
import { until } from '../../support/until.ts';

let stored: StoredGateway;
let clickhouse: StoredGateway['clickhouse'];
let analytics: StoredGateway['analytics'];
let log: StoredGateway['log'];
let backend: StoredGateway['backend'];
let gateway: StoredGateway['gateway'];
let metrics: StoredGateway['metrics'];
let server: string;
let client: string;

beforeAll(async () => {
  stored = await startStoredGateway();
  ({ clickhouse, analytics, log, backend, gateway, metrics } = stored);
  server = await gateway.key();
  client = await gateway.key({ kind: 'client' });
});
afterAll(() => stored.close());

const SCHEMAS = '/v1/events/schemas';
const QUARANTINE = '/v1/events/quarantine';
const LEVELS = { type: 'object', properties: { level: { type: 'integer' } }, required: ['level'] };

async function call(method: string, path: string, body?: unknown, key = server, headers: Record<string, string> = {}) {
  const response = await gateway.call(key, method, path, body, headers);
  const answer = await bodyOf(response);
  shapes ??= publishedShapes(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
  expect(shapes.faultsOf(method, documentedPath(path), response.status, answer)).toEqual([]);
  return { status: response.status, headers: response.headers, body: answer };
}

/** Compares every response with the published OpenAPI document. */
let shapes: PublishedShapes | undefined;

function documentedPath(path: string): string {
  const [plain = ''] = path.split('?');
  return plain
    .replace(/^(\/v1\/events\/schemas)\/.+$/, '$1/{event_name}')
    .replace(/^(\/v1\/players\/players)\/.+$/, '$1/{id}');
}

let named = 0;
/** An event name that no other test uses. */
const newName = () => `level up ${++named} ü/*`;
const define = (event_name: string, mode: string, schema: unknown = LEVELS) =>
  call('POST', SCHEMAS, { event_name, mode, schema });
const redefine = (event_name: string, mode: string, schema: unknown = LEVELS, headers = {}) =>
  call('PUT', `${SCHEMAS}/${encodeURIComponent(event_name)}`, { mode, schema }, server, {
    'If-Match': '*',
    ...headers,
  });

let players = 0;
async function register(key = server): Promise<string> {
  const { body } = await call('POST', '/v1/players/players', { external_id: `player-${++players}` }, key);
  return String(body.data['id']);
}

const track = (player_id: string, event_name: string, properties: unknown, some: Record<string, unknown> = {}) =>
  call('POST', '/v1/events/events', { player_id, event_name, properties, ...some }, client);

describe('the event schemas', () => {
  it('are created, returned, listed, changed and deleted by event name', async () => {
    const name = newName();
    const path = `${SCHEMAS}/${encodeURIComponent(name)}`;
    const created = await define(name, 'warn');
    expect(created.status).toBe(201);
    expect(created.headers.get('etag')).toBe('"1"');
    const labels = { owner: '', tags: [], note: '', managed_by: null };
    const shown = { event_name: name, description: '', schema: LEVELS, mode: 'warn', version: 1, ...labels };
    expect(created.body.data).toEqual({ ...shown, created_at: expect.any(String), updated_at: expect.any(String) });
    expect((await call('GET', path)).body.data).toEqual(created.body.data);
    const listed = (await call('GET', `${SCHEMAS}?limit=500`)).body.data['schemas'];
    expect(listed).toContainEqual(created.body.data);

    expect((await define(name, 'observe')).status).toBe(409);
    expect((await redefine(name, 'enforce', LEVELS, { 'If-Match': '7' })).status).toBe(412);
    const changed = await redefine(name, 'enforce', { type: 'object' }, { 'If-Match': '1' });
    expect(changed.body.data).toMatchObject({ mode: 'enforce', schema: { type: 'object' }, version: 2 });

    expect((await call('DELETE', path)).body.data).toEqual({ event_name: name, deleted: true });
    expect((await call('GET', path)).status).toBe(404);
    expect((await redefine(name, 'warn')).status).toBe(404);
  });

  it('have the mode observe by default, and a repeat with an Idempotency-Key returns the first response', async () => {
    const body = { event_name: newName(), schema: LEVELS };
    const first = await call('POST', SCHEMAS, body, server, { 'Idempotency-Key': `create-${named}` });
    const repeat = await call('POST', SCHEMAS, body, server, { 'Idempotency-Key': `create-${named}` });
    expect(first.body.data).toMatchObject({ mode: 'observe' });
    expect(repeat.status).toBe(201);
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.body.data).toEqual(first.body.data);
  });

  it('are listed page by page, ordered by name', async () => {
    for (const name of ['page b', 'page a', 'page ü']) await define(name, 'observe');
    const names: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await call('GET', `${SCHEMAS}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      const page: { schemas: { event_name: string }[]; next_cursor: string | null } = JSON.parse(
        JSON.stringify(body.data),
      );
      names.push(...page.schemas.map(({ event_name }) => event_name));
      cursor = page.next_cursor;
    }
    expect(names).toEqual([...new Set(names)]);
    expect(names.filter((name) => name.startsWith('page'))).toEqual(['page a', 'page b', 'page ü']);
  });

  it.each([
    [{ schema: { type: 'integr' } }, '/schema/type'],
    [{ schema: { $ref: 'https://example.com/x.json' } }, '/schema/$ref'],
    [{ schema: { pattern: '(a)\\1' } }, '/schema/pattern'],
    [{ schema: { anything: 1 } }, '/schema/anything'],
    [{ schema: true }, '/schema'],
    [{ schema: LEVELS, mode: 'strict' }, '/mode'],
    [{ schema: LEVELS, more: 1 }, '/more'],
    [{ mode: 'warn' }, '/schema'],
    [{ schema: LEVELS, event_name: '' }, '/event_name'],
  ])('refuses %j', async (some, path) => {
    const { status, body } = await call('POST', SCHEMAS, { event_name: newName(), ...some });
    expect(status).toBe(400);
    expect(body.error.details.fields[0]?.path).toBe(path);
  });

  it('are for server keys only and separate per game and environment', async () => {
    const name = newName();
    await define(name, 'enforce');
    const path = `${SCHEMAS}/${encodeURIComponent(name)}`;
    expect((await call('GET', path, undefined, client)).status).toBe(403);
    expect((await call('GET', QUARANTINE, undefined, client)).status).toBe(403);
    for (const other of [{ environment: 'test' as const }, { game: 'other' }]) {
      const key = await gateway.key(other);
      expect((await call('GET', path, undefined, key)).status).toBe(404);
      expect((await call('DELETE', path, undefined, key)).status).toBe(404);
      const player = await register(key);
      const tracked = await call('POST', '/v1/events/events', { player_id: player, event_name: name }, key);
      expect(tracked.body.data).not.toHaveProperty('status');
    }
  });
});

describe('an event that violates its schema', () => {
  const WARNINGS = [{ path: '/level', message: 'must be integer' }];
  const violations = async (mode: string) =>
    Number(new RegExp(`event_schema_violations_total\\{mode="${mode}"\\} (\\d+)`).exec(await metrics.text())?.[1] ?? 0);

  it('is only counted in the mode observe', async () => {
    const [name, player, before] = [newName(), await register(), await violations('observe')];
    await define(name, 'observe');
    const { body } = await track(player, name, { level: 'x' });
    expect(body.data).not.toHaveProperty('warnings');
    expect(body.data).not.toHaveProperty('status');
    expect(await violations('observe')).toBe(before + 1);
  });

  it('is accepted with warnings in the mode warn: alone, in a batch, by sync and by end-session', async () => {
    const [name, player] = [newName(), await register()];
    await define(name, 'warn');
    const broken = { event_name: name, properties: { level: 'x' } };
    const sound = { event_name: name, properties: { level: 1 } };
    const single = await track(player, name, { level: 'x' });
    expect(single.body.data).toMatchObject({ warnings: WARNINGS });
    expect(single.body.data).not.toHaveProperty('status');

    const events = [broken, sound].map((event) => ({ ...event, player_id: player }));
    const batch = (await call('POST', '/v1/events/events/batch', { events })).body.data;
    expect(batch).toMatchObject({ accepted: 2, results: [{ status: 'accepted', warnings: WARNINGS }, {}] });
    expect(JSON.stringify(batch).match(/warnings/g)).toHaveLength(1);

    const init = await call('POST', '/v1/bff/game/init', { player_id: player }, client);
    const session = { player_id: player, session_id: init.body.data['session_id'] };
    const sync = await call('POST', '/v1/bff/game/sync', { ...session, events: [sound, broken] }, client);
    expect(sync.body.data).toMatchObject({
      events_accepted: 2,
      warnings: [{ index: 1, quarantined: false, warnings: WARNINGS }],
    });
    const quiet = await call('POST', '/v1/bff/game/sync', { ...session, events: [sound] }, client);
    expect(quiet.body.data).not.toHaveProperty('warnings');
    const final = { ...session, session_duration_seconds: 1, final_events: [broken] };
    const end = await call('POST', '/v1/bff/game/end-session', final, client);
    expect(end.body.data).toMatchObject({
      session_summary: { total_events: 4 },
      warnings: [{ index: 0, quarantined: false, warnings: WARNINGS }],
    });
  });

  it('is quarantined in the mode enforce, reported as quarantined, also when repeated, and not accepted', async () => {
    const [name, player] = [newName(), await register()];
    await define(name, 'enforce');
    const broken = { event_name: name, properties: { level: 'x' } };
    const first = await track(player, name, { level: 'x' }, { event_id: 'one' });
    expect(first.status).toBe(200);
    expect(first.body.data).toMatchObject({ event_id: 'one', status: 'quarantined', warnings: WARNINGS });
    const repeat = await track(player, name, { level: 'x' }, { event_id: 'one' });
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.body.data).toMatchObject({ status: 'quarantined', received_at: first.body.data['received_at'] });

    const events = [broken, { event_name: name, properties: { level: 1 } }];
    const batch = await call('POST', '/v1/events/events/batch', {
      events: events.map((event) => ({ ...event, player_id: player })),
    });
    expect(batch.body.data).toMatchObject({
      accepted: 1,
      quarantined: 1,
      rejected: 0,
      results: [{ status: 'quarantined', warnings: WARNINGS }, { status: 'accepted' }],
    });
    const all = await call('POST', '/v1/events/events/batch', { events: [{ ...broken, player_id: player }] });
    expect(all.status).toBe(200);

    const init = await call('POST', '/v1/bff/game/init', { player_id: player }, client);
    const session = { player_id: player, session_id: init.body.data['session_id'] };
    const sync = await call('POST', '/v1/bff/game/sync', { ...session, events }, client);
    expect(sync.body.data).toMatchObject({
      events_accepted: 1,
      rejected: [],
      warnings: [{ index: 0, quarantined: true, warnings: WARNINGS }],
    });
    const final = { ...session, session_duration_seconds: 1, final_events: events };
    const end = await call('POST', '/v1/bff/game/end-session', final, client);
    expect(end.body.data).toMatchObject({ session_summary: { total_events: 2 } });
    const facts = backend.facts.filter((fact) => fact.kind === 'EventQuarantined' && fact.eventName === name);
    expect(facts).toHaveLength(5);
  });
});

let written = 0;
/** Appends the facts decided since the last call to FACTS and waits until they are in ClickHouse. */
async function flush(): Promise<void> {
  const facts = backend.facts.slice(written);
  written = backend.facts.length;
  const sequence = await commit(log, facts);
  await until('the record is in ClickHouse', async () => {
    const entry = await log.bucket('POSITIONS').get('clickhouse');
    const position: { sequence: number } = JSON.parse(Buffer.from(entry?.value ?? '{}').toString());
    return position.sequence >= sequence;
  });
}

interface Listed {
  events: Record<string, unknown>[];
  next_cursor: string | null;
}
async function quarantine(query = '', key = server): Promise<Listed> {
  const { status, body } = await call('GET', `${QUARANTINE}?${query}`, undefined, key);
  expect(status).toBe(200);
  const data: Listed = JSON.parse(JSON.stringify(body.data));
  return data;
}
const idsOf = ({ events }: Listed) => events.map((event) => event['event_id']);
const replay = async (body: unknown, headers: Record<string, string> = {}) =>
  (await call('POST', `${QUARANTINE}/replay`, body, server, headers)).body.data;
const eventRows = (name: string) =>
  rowsOf<{ event_id: string; timestamp: string }>(
    clickhouse,
    `SELECT event_id, toString(timestamp) AS timestamp FROM events WHERE event_name = '${name}' ORDER BY event_id`,
  );

describe('the quarantine', () => {
  /** Each test reads only events received after its start. */
  let since = '';
  beforeEach(() => {
    since = `from=${new Date().toISOString()}`;
  });

  it('lists its events with the reason, newest first, page by page', async () => {
    const [name, other, player] = [newName(), newName(), await register()];
    await define(name, 'enforce');
    await define(other, 'enforce');
    for (const id of ['a', 'b', 'c']) {
      await track(player, name, { level: id, __proto__: 1 }, { event_id: id, timestamp: '2026-01-02T03:04:05Z' });
      await flush();
    }
    await track(player, other, {}, { event_id: 'd', session_id: 'ses' });
    await track(await register(), name, {}, { event_id: 'e' });
    await flush();

    const all = await quarantine(since);
    expect(idsOf(all)).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(all.events[2]).toEqual({
      event_id: 'c',
      event_name: name,
      player_id: player,
      session_id: null,
      properties: { level: 'c' },
      timestamp: '2026-01-02T03:04:05.000Z',
      received_at: expect.stringMatching(/Z$/),
      schema_version: 1,
      reason: [{ path: '/level', message: 'must be integer' }],
      released: false,
    });
    expect(idsOf(await quarantine(`event_name=${encodeURIComponent(other)}`))).toEqual(['d']);
    expect(idsOf(await quarantine(`player_id=${player}`))).toEqual(['d', 'c', 'b', 'a']);
    expect(idsOf(await quarantine('from=2200-01-01'))).toEqual([]);

    const pages: unknown[] = [];
    let page = await quarantine(`limit=2&player_id=${player}`);
    pages.push(...idsOf(page));
    const stranger = await call('GET', `${QUARANTINE}?limit=2&cursor=${page.next_cursor}`);
    expect(stranger.status).toBe(400);
    await track(player, name, {}, { event_id: 'later' });
    await flush();
    page = await quarantine(`limit=2&player_id=${player}&cursor=${page.next_cursor}`);
    expect([...pages, ...idsOf(page)]).toEqual(['d', 'c', 'b', 'a']);
    expect(page.next_cursor).toBeNull();
    expect((await quarantine('', await gateway.key({ environment: 'test' }))).events).toEqual([]);
    expect((await quarantine('', await gateway.key({ game: 'other' }))).events).toEqual([]);
  });

  it('tracks a valid event once: replayed twice, concurrently, and before ClickHouse has the first replay', async () => {
    const [name, player, another] = [newName(), await register(), await register()];
    await define(name, 'enforce');
    for (const [place, owner] of [player, another, player].entries()) {
      await track(owner, name, { level: `${place}` }, { event_id: `id-${place}`, timestamp: '2026-01-02T03:04:05Z' });
    }
    await track(player, name, {}, { event_id: 'hopeless' });
    await flush();
    const filter = { event_name: name };
    expect(await replay(filter)).toMatchObject({ replayed: 0, failed: 4, already_replayed: 0, next_cursor: null });

    const mended = { properties: { level: { type: ['integer', 'string'] } }, required: ['level'] };
    await redefine(name, 'enforce', mended);
    const [one, two] = await Promise.all([replay(filter), replay(filter)]);
    expect(Number(one['replayed']) + Number(two['replayed'])).toBe(3);
    expect(one).toMatchObject({
      failed: 1,
      failures: [
        { event_id: 'hopeless', code: 'VALIDATION_ERROR', warnings: [{ path: '/level', message: 'is required' }] },
      ],
    });
    expect(await replay(filter)).toMatchObject({ replayed: 0, failed: 1, already_replayed: 3 });
    await flush();
    expect(await replay(filter)).toMatchObject({ replayed: 0, failed: 1, already_replayed: 0 });
    expect(await replay({ event_ids: ['id-0', 'id-1', 'nobody'] })).toMatchObject({ replayed: 0, already_replayed: 2 });
    await flush();

    expect(await eventRows(name)).toEqual(
      ['id-0', 'id-1', 'id-2'].map((id) => ({ event_id: id, timestamp: '2026-01-02 03:04:05.000' })),
    );
    const released = (await quarantine(since)).events.map((event) => [event['event_id'], event['released']]);
    expect(released).toEqual([
      ['hopeless', false],
      ['id-2', true],
      ['id-1', true],
      ['id-0', true],
    ]);
    const repeat = await track(player, name, { level: 1 }, { event_id: 'id-0' });
    expect(repeat.headers.get('idempotent-replayed')).toBe('true');
    expect(repeat.body.data).not.toHaveProperty('status');
  });

  it('is replayed by id, player and time, also without the schema; unknown fields are refused', async () => {
    const [name, player, another] = [newName(), await register(), await register()];
    await define(name, 'enforce');
    for (const id of ['a', 'b', 'c']) await track(player, name, {}, { event_id: id });
    await track(another, name, {}, { event_id: 'd' });
    await flush();
    await call('DELETE', `${SCHEMAS}/${encodeURIComponent(name)}`);
    expect(await replay({ event_ids: ['b'] })).toMatchObject({ replayed: 1 });
    expect(await replay({ player_id: another })).toMatchObject({ replayed: 1 });
    expect(await replay({ from: '2200-01-01' })).toMatchObject({ replayed: 0 });
    const rest = { event_name: name, to: '2200-01-01' };
    expect(await replay(rest, { 'Idempotency-Key': 'rest' })).toMatchObject({ replayed: 2, already_replayed: 2 });
    expect(await replay(rest, { 'Idempotency-Key': 'rest' })).toMatchObject({ replayed: 0 });
    expect((await call('POST', `${QUARANTINE}/replay`, { event: name })).status).toBe(400);
    expect((await call('POST', `${QUARANTINE}/replay`, { from: '2026-01-02', to: '2026-01-01' })).status).toBe(400);
    expect((await call('POST', `${QUARANTINE}/replay`, { cursor: 'bm8' })).status).toBe(400);
    await flush();
    expect((await eventRows(name)).map(({ event_id }) => event_id)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is replayed call by call, oldest first, each event once, for any number of events', async () => {
    const [name, one, two] = [newName(), await register(), await register()];
    await define(name, 'enforce');
    const sent: string[] = [];
    for (let n = 0; n < 6; n++) {
      const ids = Array.from({ length: 90 }, (_, index) => `${n}-${index}`);
      sent.push(...ids);
      const events = ids.map((event_id, index) => ({
        event_id,
        event_name: name,
        player_id: index % 3 === 0 ? one : two,
      }));
      await call('POST', '/v1/events/events/batch', { events }, client);
    }
    await flush();
    await redefine(name, 'warn');
    const filter = { event_name: name };
    const first = await replay(filter);
    expect(first).toMatchObject({ replayed: 500, failed: 0, already_replayed: 0 });
    const cursor = first['next_cursor'];
    expect((await call('POST', `${QUARANTINE}/replay`, { cursor })).status).toBe(400);
    expect(await replay({ ...filter, cursor })).toMatchObject({ replayed: 40, failed: 0, next_cursor: null });
    expect(await replay({ ...filter, cursor })).toMatchObject({ replayed: 0, already_replayed: 40 });
    const tracked = backend.facts.flatMap((fact) =>
      fact.kind === 'EventTracked' && fact.eventName === name ? [fact] : [],
    );
    expect(tracked.map(({ eventId }) => eventId).toSorted()).toEqual(sent.toSorted());
    expect(tracked.every(({ schemaFault }) => schemaFault === '/level is required')).toBe(true);
    for (const id of [one, two]) {
      const state = backend.state(id);
      const { last, released } = state?.kind === 'player' ? state.quarantine : { last: 0, released: [] };
      expect(released).toEqual([{ from: 1, to: last }]);
    }
  });

  it('does not get events of the modes observe and warn, whose rows state the violation', async () => {
    const [observed, warned, player] = [newName(), newName(), await register()];
    await define(observed, 'observe');
    await define(warned, 'warn');
    await track(player, observed, { level: 'x' });
    await track(player, observed, { level: 1 });
    await track(player, warned, {});
    await flush();
    const rows = await rowsOf(
      clickhouse,
      `SELECT event_name, schema_fault FROM events WHERE player_id = '${player}' ORDER BY facts_sequence, facts_index`,
    );
    expect(rows).toEqual([
      { event_name: observed, schema_fault: '/level must be integer' },
      { event_name: observed, schema_fault: '' },
      { event_name: warned, schema_fault: '/level is required' },
    ]);
    expect((await quarantine(`player_id=${player}`)).events).toEqual([]);
  });

  it('hides and deletes events of an erased player', async () => {
    const [name, player] = [newName(), await register()];
    await define(name, 'enforce');
    await track(player, name, {}, { event_id: 'gone' });
    await track(await register(), name, {}, { event_id: 'stays' });
    await flush();
    const before = await quarantine(since);
    expect(before.events).toHaveLength(2);
    await call('DELETE', `/v1/players/players/${player}`);
    await redefine(name, 'observe');
    expect(await replay({ event_ids: ['gone'] })).toMatchObject({ replayed: 0, failed: 1 });
    await flush();
    expect(idsOf(await quarantine(since))).toEqual(['stays']);
    await until('its rows are deleted', async () => {
      const rows = await rowsOf(clickhouse, `SELECT 1 FROM quarantined_events WHERE player_id = '${player}'`);
      return rows.length === 0;
    });
  });

  it('is 503 while ClickHouse or an owner is unavailable, and loses nothing', async () => {
    const [name, player] = [newName(), await register()];
    await define(name, 'enforce');
    await track(player, name, {}, { event_id: 'a' });
    await flush();
    await redefine(name, 'observe');
    const away = await startGateway({
      backend: { ...backend, send: async () => failure('SERVICE_UNAVAILABLE') },
      analytics,
    });
    const key = await away.key();
    expect((await away.call(key, 'POST', `${QUARANTINE}/replay`, {})).status).toBe(503);
    await away.close();
    const apart = await startGateway({ backend });
    const its = await apart.key();
    expect((await apart.call(its, 'GET', QUARANTINE)).status).toBe(503);
    expect((await apart.call(its, 'POST', `${QUARANTINE}/replay`, {})).status).toBe(503);
    await apart.close();
    expect(await replay({ event_name: name })).toMatchObject({ replayed: 1 });
  });
});
