import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLiveDefinitions } from '../../../actors/runtime/definitions/live-definitions.ts';
import type { Backend } from '../../../src/api/route/backend.ts';
import { playerIdOf } from '../../../src/api/players/player-id.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { createListLoader } from '../../../src/api/segments/lists/list-loader.ts';
import type { NameBatch } from '../../../src/api/segments/lists/list-port.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { LIST_LIMITS } from '../../../actors/segments/limits.ts';
import { LIST_LOAD_LIMITS } from '../../../src/api/segments/lists/limits.ts';
import { SEGMENT_API_LIMITS } from '../../../src/api/segments/limits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';

let owners: DecidingBackend;
let gateway: Gateway;
let key: string;
/** Answers a command in place of the owners while it is set. */
let intercept: ((playerIds: readonly string[]) => Promise<Reply | undefined>) | undefined;

/** Numbers of players in the commands that were sent. */
let sizes: number[];

beforeEach(async () => {
  intercept = undefined;
  sizes = [];
  const backend: Backend = {
    async send(origin, entityId, body) {
      if (body.kind !== 'ListPlayers') return owners.send(origin, entityId, body);
      sizes.push(body.playerIds.length);
      return (await intercept?.(body.playerIds)) ?? owners.send(origin, entityId, body);
    },
    query: (origin, entityId, body) => owners.query(origin, entityId, body),
    partitionOf: (entityId) => owners.partitionOf(entityId),
  };
  gateway = await startGateway({ backend });
  owners = createDecidingBackend(systemClock, createLiveDefinitions(gateway.config, silentLogger));
  key = await gateway.key();
});
afterEach(() => gateway.close());

const PATH = '/v1/segments/segments';
const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
  const response = await gateway.call(key, method, path, body, headers);
  return { status: response.status, body: await bodyOf(response) };
};
const idOf = (externalId: string): string =>
  playerIdOf({ namespace: gateway.namespace('demo'), environment: 'live' }, externalId);
const register = async (...externalIds: string[]): Promise<void> => {
  for (const externalId of externalIds) await call('POST', '/v1/players/players', { external_id: externalId });
};
const made = async (some: object = {}): Promise<string> => {
  const { status, body } = await call('POST', PATH, { key: 'vip', kind: 'static', ...some });
  expect(body).toMatchObject({ success: true });
  expect(status).toBe(201);
  return String(body.data['segment_id']);
};
const put = (id: string, text: string, type = 'text/csv', query = '') =>
  call('PUT', `${PATH}/${id}/members${query}`, text, { 'Content-Type': type });
/** External ids of the players that the segment's list has, by the owners' states and the segment in force. */
const members = (externalIds: readonly string[]): string[] => {
  const load = gateway.config.list('segment')[0]?.document.list?.load ?? '';
  return externalIds.filter((externalId) => {
    const state = owners.state(idOf(externalId));
    return state?.kind === 'player' && state.lists?.[0]?.loads.includes(load) === true;
  });
};
const isMember = (externalId: string): boolean => {
  const state = owners.state(idOf(externalId));
  return state?.kind === 'player' && state.segments.length > 0;
};

describe('a static segment', () => {
  it('has a list instead of conditions', async () => {
    const id = await made();
    const { body } = await call('GET', `${PATH}/${id}`);
    expect(body.data).toMatchObject({
      kind: 'static',
      list: { players: 0, loaded_at: null },
      includes: [],
      excludes: [],
    });
    expect(body.data).not.toHaveProperty('conditions');
    const again = await call('PUT', `${PATH}/${id}`, { ...body.data, name: 'Best players' });
    expect(again).toMatchObject({ status: 200, body: { data: { name: 'Best players', kind: 'static', version: 2 } } });
  });

  it.each([
    [{ key: 'k', kind: 'static', conditions: {} }, '/conditions'],
    [{ key: 'k', kind: 'dynamic' }, '/conditions'],
    [{ key: 'k' }, '/conditions'],
    [{ key: 'k', kind: 'frozen', conditions: {} }, '/kind'],
    [{ key: 'k', kind: 'static', includes: ['x'] }, '/includes/0'],
    [{ key: 'k', kind: 'static', includes: [UUID_UPPER(), UUID_UPPER()] }, '/includes'],
    [{ key: 'k', kind: 'static', includes: [UUID_UPPER()], excludes: [UUID_UPPER().toLowerCase()] }, '/includes'],
  ])('refuses %j', async (body, path) => {
    const { status, body: answered } = await call('POST', PATH, body);
    expect(status).toBe(400);
    expect(answered.error.details.fields[0]?.path).toBe(path);
    expect(gateway.config.list('segment')).toEqual([]);
  });

  it('takes no list from the definition: only an upload fills it', async () => {
    const list = { players: 5, loaded_at: '2026-01-01T00:00:00Z' };
    const id = await made({ list });
    const { body } = await call('GET', `${PATH}/${id}`);
    expect(body.data['list']).toEqual({ players: 0, loaded_at: null });
    const ruled = await call('POST', PATH, { key: 'k', conditions: {}, list });
    expect(ruled.status).toBe(201);
    expect(ruled.body.data).not.toHaveProperty('list');
  });

  it('keeps its kind', async () => {
    const id = await made();
    const changed = await call('PUT', `${PATH}/${id}`, { kind: 'dynamic', conditions: {}, version: 1 });
    expect(changed.body.error.details.fields.map(({ path }) => path)).toContain('/kind');
  });
});

function UUID_UPPER(): string {
  return '6F0F5A3E-8D7B-5C39-9A43-0D6F0E9C2B11';
}

/** Sends a request, its body, and the next request once there is an answer. Returns all that was answered. */
async function rawExchange(head: string, body: string, next: string): Promise<string> {
  const socket = connect(gateway.port, '127.0.0.1');
  let answers = '';
  let hasEnded = false;
  socket.on('data', (data) => (answers += data.toString()));
  socket.on('close', () => (hasEnded = true));
  socket.write(head);
  socket.write(body);
  await until('there is an answer', () => answers !== '');
  socket.write(next);
  await until('the connection has ended', () => hasEnded);
  return answers;
}

describe('loading a list', () => {
  const ALL = ['ann', 'ben', 'cleo'];

  it('replaces the list, and counts what it did not take', async () => {
    await register(...ALL);
    const id = await made();
    const first = await put(id, 'external_id\nann\nben\nann\nnobody\n');
    expect(first).toMatchObject({
      status: 200,
      body: {
        data: {
          segment_id: id,
          version: 2,
          received: 4,
          members: 2,
          duplicates: 1,
          unknown: 1,
          unknown_ids: ['nobody'],
        },
      },
    });
    expect(members(ALL)).toEqual(['ann', 'ben']);
    const second = await put(id, `${JSON.stringify({ player_id: idOf('cleo') })}\n"ben"\n`, 'application/x-ndjson');
    expect(second.body.data).toMatchObject({ version: 3, members: 2 });
    expect(members(ALL)).toEqual(['ben', 'cleo']);
    const third = await put(id, '{"external_ids":["ann"]}', 'application/json');
    expect(third.body.data).toMatchObject({ version: 4, members: 1 });
    expect(members(ALL)).toEqual(['ann']);
    expect(await put(id, '')).toMatchObject({ status: 200, body: { data: { members: 0 } } });
    expect(members(ALL)).toEqual([]);
    expect((await call('GET', `${PATH}/${id}`)).body.data['list']).toMatchObject({ players: 0 });
  });

  it('takes many players in commands of bounded size', async () => {
    const many = Array.from({ length: 2 * LIST_LOAD_LIMITS.listCommandPlayers + 7 }, (_, n) => `p-${n}`);
    const id = await made();
    const { body } = await put(id, many.join('\n'));
    expect(body.data).toMatchObject({ received: many.length, members: 0, unknown: many.length });
    expect(body.data['unknown_ids']).toHaveLength(SEGMENT_API_LIMITS.listUnknownShown);
    expect(Math.max(...sizes)).toBe(LIST_LOAD_LIMITS.listCommandPlayers);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(many.length);
  });

  it.each([
    ['a faulty line', 'external_id\nann\n\n"\n', 'text/csv', 400],
    ['another separator', 'external_id;rank\nann;1\n', 'text/csv', 400],
    ['another type', 'ann\n', 'image/png', 415],
    ['a broken document', '{"external_ids":', 'application/json', 400],
  ])('changes nothing with %s', async (_name, text, type, status) => {
    await register('ann');
    const id = await made();
    const before = gateway.config.list('segment');
    expect(await put(id, text, type)).toMatchObject({ status });
    expect(gateway.config.list('segment')).toEqual(before);
    expect(members(['ann'])).toEqual([]);
  });

  it('changes nothing with a compressed body, and says so', async () => {
    await register('ann');
    const headers = { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' };
    const answer = await gateway.call(key, 'PUT', `${PATH}/${await made()}/members`, 'ann\n', headers);
    expect([answer.status, await answer.json()]).toMatchObject([415, { error: { message: /no Content-Encoding/ } }]);
    expect(members(['ann'])).toEqual([]);
  });

  it('changes nothing when the sender disconnects, however the rest looks', async () => {
    await register('ann', 'ben');
    const id = await made();
    const socket = connect(gateway.port, '127.0.0.1');
    const head = `PUT ${PATH}/${id}/members HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: text/csv\r\n`;
    const lines = Array.from({ length: LIST_LOAD_LIMITS.listCommandPlayers }, (_, n) => `p-${n}\n`).join('');
    socket.write(`${head}Content-Length: 100000\r\n\r\nann\n${lines}`);
    await until('a command was sent', () => sizes.length > 0);
    socket.destroy();
    // The next list of the segment is accepted once the first has ended.
    let next = await put(id, 'ben\n');
    await until('the first list has ended', async () => {
      if (next.status === 409) next = await put(id, 'ben\n');
      return next.status === 200;
    });
    expect(next.body.data).toMatchObject({ version: 2, members: 1 });
    expect(members(['ann', 'ben'])).toEqual(['ben']);
  });

  it('answers why it refuses a list of which most is still to come, and serves the connection further', async () => {
    const id = await made();
    const some = Buffer.from('p\n'.repeat(32 * 1024));
    async function* faulty() {
      yield Buffer.from(`${'x'.repeat(300)}\n`);
      for (let sent = 0; sent < 50 * 1024 * 1024; sent += some.length) yield some;
    }
    const headers = { 'X-API-Key': key, 'Content-Type': 'text/csv' };
    const address = `${gateway.url}${PATH}/${id}/members`;
    for (let n = 0; n < 5; n++) {
      const response = await fetch(address, { method: 'PUT', headers, body: faulty(), duplex: 'half' });
      const body = await bodyOf(response);
      expect([response.status, body.error.message]).toEqual([400, expect.stringContaining('Line 1 must be')]);
    }
    const unknown = `${gateway.url}${PATH}/seg_unknown/members`;
    const response = await fetch(unknown, { method: 'PUT', headers, body: faulty(), duplex: 'half' });
    expect(response.status).toBe(404);
    await response.text();
    // A client that sends the whole body, whatever is answered, gets the next answer on the same connection.
    const answers = await rawExchange(
      `PUT ${PATH}/${id}/members HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: 1000301\r\n\r\n`,
      `${'x'.repeat(300)}\n${'p\n'.repeat(500_000)}`,
      `GET ${PATH}/${id} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 200']);
  });

  it('repeats commands that were not answered, and fails as a whole when an owner refuses one', async () => {
    await register('ann');
    const id = await made();
    let attempts = 0;
    intercept = async () => (++attempts < 3 ? failure('SERVICE_UNAVAILABLE') : undefined);
    expect(await put(id, 'ann\n')).toMatchObject({ status: 200, body: { data: { members: 1 } } });
    expect(attempts).toBe(3);
    intercept = async () => failure('CONFLICT', 'no');
    expect(await put(id, 'ann\nben\n')).toMatchObject({ status: 409 });
    expect(gateway.config.list('segment')[0]?.document.version).toBe(2);
    expect(members(['ann'])).toEqual(['ann']);
  });

  it('is one at a time in a process', async () => {
    await register('ann', 'ben');
    const id = await made();
    let other: Awaited<ReturnType<typeof put>> | undefined;
    intercept = async () => {
      other ??= await put(id, 'ben\n');
      return undefined;
    };
    expect(await put(id, 'ann\n')).toMatchObject({ status: 200 });
    expect(other).toMatchObject({ status: 409 });
    expect(members(['ann', 'ben'])).toEqual(['ann']);
  });

  it('takes the place of one whose sender is gone', async () => {
    await register('ann', 'ben');
    const id = await made();
    const ann = idOf('ann');
    intercept = async ([playerId]) => (playerId === ann ? failure('SERVICE_UNAVAILABLE') : undefined);
    const sender = connect(gateway.port, '127.0.0.1');
    const head = `PUT ${PATH}/${id}/members HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nContent-Type: text/csv\r\n`;
    sender.write(`${head}Content-Length: 4\r\n\r\nann\n`);
    await until('the first one is loaded', () => sizes.length > 0);
    expect(await put(id, 'ben\n')).toMatchObject({ status: 409 });
    sender.destroy();
    let next = await put(id, 'ben\n');
    await until('the next one is loaded', async () => {
      if (next.status === 409) next = await put(id, 'ben\n');
      return next.status === 200;
    });
    expect(members(['ann', 'ben'])).toEqual(['ben']);
  });

  it('is the first of two that began with the same list in two processes', async () => {
    await register('ann', 'ben');
    const id = await made();
    let other: Promise<object> | undefined;
    intercept = async () => {
      if (other !== undefined) return undefined;
      const elsewhere = createListLoader({
        backend: owners,
        config: gateway.config,
        clock: systemClock,
        ids: systemIds,
      });
      async function* names(): AsyncGenerator<NameBatch> {
        yield { kind: 'names', names: [{ kind: 'external_id', text: 'ben' }] };
      }
      const address = { game: 'demo', environment: 'live', kind: 'segment', key: id } as const;
      await (other = elsewhere.load({ address, idOf: ({ text }) => idOf(text) }, names()));
      return undefined;
    };
    expect(await put(id, 'ann\n')).toMatchObject({ status: 409 });
    expect(await other).toMatchObject({ kind: 'loaded' });
    expect(members(['ann', 'ben'])).toEqual(['ben']);
  });

  it('ends when it takes too long, without the rest of the list', async () => {
    await register('ann');
    const id = await made();
    let afterMs = 0;
    const clock = { ...systemClock, wallMs: () => systemClock.wallMs() + afterMs };
    const loader = createListLoader({ backend: owners, config: gateway.config, clock, ids: systemIds });
    let read = 0;
    async function* names(): AsyncGenerator<NameBatch> {
      for (; read < 3; read += 1) {
        yield { kind: 'names', names: [{ kind: 'external_id', text: 'ann' }] };
        afterMs = LIST_LIMITS.listLoadMs + 1;
      }
    }
    const address = { game: 'demo', environment: 'live', kind: 'segment', key: id } as const;
    const loaded = await loader.load({ address, idOf: ({ text }) => idOf(text) }, names());
    expect(loaded).toMatchObject({ code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('30 minutes') });
    expect(read).toBe(1);
    expect(members(['ann'])).toEqual([]);
  });

  it('needs a static segment', async () => {
    const { body } = await call('POST', PATH, { key: 'k', conditions: {} });
    expect(await put(String(body.data['segment_id']), 'ann\n')).toMatchObject({ status: 409 });
    const unknown = await put('seg_none', 'ann\n');
    expect([unknown.status, unknown.body.error.message]).toEqual([404, expect.stringContaining('`seg_…`')]);
    const client = await gateway.key({ kind: 'client' });
    const refused = await gateway.call(client, 'PUT', `${PATH}/seg_none/members`, 'ann\n', {
      'Content-Type': 'text/csv',
    });
    expect(refused.status).toBe(403);
  });
});

describe('single players of a list', () => {
  it('enter and leave with the request', async () => {
    await register('ann', 'ben');
    const id = await made();
    const added = await call('POST', `${PATH}/${id}/members`, {
      external_ids: ['ann', 'nobody'],
      player_ids: [idOf('ben')],
    });
    expect(added).toMatchObject({ status: 200, body: { data: { segment_id: id, added: 2, unknown_ids: ['nobody'] } } });
    expect([isMember('ann'), isMember('ben')]).toEqual([true, true]);
    const removed = await call('DELETE', `${PATH}/${id}/members/${idOf('ann')}`);
    expect(removed.body.data).toEqual({ segment_id: id, player_id: idOf('ann'), removed: true });
    expect((await call('DELETE', `${PATH}/${id}/members/${idOf('ann')}`)).body.data['removed']).toBe(false);
    expect([isMember('ann'), isMember('ben')]).toEqual([false, true]);
    expect(await call('DELETE', `${PATH}/${id}/members/${idOf('nobody')}`)).toMatchObject({ status: 404 });
  });
});

describe('players that a segment names', () => {
  it('are in it, or not, until they are erased', async () => {
    await register('ann', 'ben');
    const ids = { includes: [idOf('ann').toUpperCase()], excludes: [idOf('ben')] };
    const { body } = await call('POST', PATH, { key: 'k', conditions: { lifecycle_stage: 'new' }, ...ids });
    expect(body.data).toMatchObject({ kind: 'dynamic', includes: [idOf('ann')], excludes: [idOf('ben')] });
    await call('PATCH', `/v1/players/players/${idOf('ben')}`, { attributes: { x: 1 } });
    await call('PATCH', `/v1/players/players/${idOf('ann')}`, { attributes: { x: 1 } });
    expect([isMember('ann'), isMember('ben')]).toEqual([true, false]);
    gateway.config.down = true;
    expect(await call('DELETE', `/v1/players/players/${idOf('ann')}`)).toMatchObject({ status: 503 });
    gateway.config.down = false;
    for (const name of ['ann', 'ben']) {
      expect(await call('DELETE', `/v1/players/players/${idOf(name)}`)).toMatchObject({ status: 200 });
    }
    const stored = JSON.stringify(gateway.config.list('segment'));
    expect(['ann', 'ben'].filter((name) => stored.includes(idOf(name)))).toEqual([]);
  });

  it('are left out of a body that names none', async () => {
    const { body } = await call('POST', PATH, { key: 'k', conditions: {}, includes: [UUID_UPPER()] });
    const path = `${PATH}/${String(body.data['segment_id'])}`;
    const { body: next } = await call('PUT', path, { conditions: {}, version: 1 });
    expect(next.data).toMatchObject({ includes: [], excludes: [], version: 2 });
  });
});
