import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aFlag } from '../../../actors/flags/evaluate/testing-flag.ts';
import type { ApiKeyRequest } from '../../../streams/config/api-keys.ts';
import { GATEWAY_LIMITS } from '../../../src/gateway/limits.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';

const CHANGES = '/v1/flags/changes';

let gateway: Gateway;
const sockets: Socket[] = [];
beforeEach(async () => {
  gateway = await startGateway({
    heartbeatMs: 50,
    config: { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.close();
});

/** A raw connection that notes what it receives. */
async function open(key: string, headers: readonly string[] = [], path = CHANGES) {
  const socket = connect(gateway.port, '127.0.0.1');
  const stream = { socket, text: '', ended: false };
  sockets.push(socket);
  socket.on('error', () => {});
  socket.on('close', () => (stream.ended = true));
  socket.on('data', (bytes) => {
    stream.text += bytes.toString('latin1');
    // The last chunk. The connection itself stays open for other requests.
    if (stream.text.endsWith('\r\n0\r\n\r\n')) stream.ended = true;
  });
  socket.write([`GET ${path} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, ...headers, '', ''].join('\r\n'));
  await until('the stream has begun', () => stream.text.includes('event: connected') || stream.ended);
  expect(stream.text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  return stream;
}

const client = (request: Partial<ApiKeyRequest> = {}) => gateway.key({ kind: 'client', ...request });
const change = (game = 'demo') =>
  gateway.config.put({ game, environment: 'live', kind: 'flag', key: 'new-shop' }, aFlag());
const revision = (game = 'demo') => gateway.config.targetingRevision(game, 'live');

describe('the stream of changed flags', () => {
  it('tells clients and servers of a change of their own game, with the revision only', async () => {
    const [first, server, other] = [
      await open(await client()),
      await open(await gateway.key()),
      await open(await client({ game: 'other' })),
    ];
    expect(first.text).toContain('Content-Type: text/event-stream');
    expect(first.text).toContain('Cache-Control: no-cache, no-transform');
    await change();
    await until('both are told', () => [first, server].every(({ text }) => text.includes(`id: ${revision()}\n`)));
    expect(first.text).toContain(
      `id: ${revision()}\nevent: flags_changed\ndata: {"revision":${revision()},"spread_ms":1}\n\n`,
    );
    expect(first.text).not.toContain('definitions_changed');
    expect(first.text).not.toContain('new-shop');
    expect(server.text).toContain(`id: ${revision()}\nevent: definitions_changed\n`);
    await change('other');
    await until('the other game is told', () => other.text.includes(`id: ${revision('other')}\n`));
    expect(other.text.match(/flags_changed/g)).toHaveLength(1);
    expect(first.text.match(/flags_changed/g)).toHaveLength(1);
  });

  it('resumes with Last-Event-ID or last_event_id; the header takes precedence', async () => {
    const key = await client();
    await change();
    const old = revision();
    await change();
    const texts = await Promise.all([
      open(key, [`Last-Event-ID: ${old}`]),
      open(key, [], `${CHANGES}?last_event_id=${old}`),
      open(key, [`Last-Event-ID: ${revision()}`], `${CHANGES}?last_event_id=${old}`),
      open(key, [], `${CHANGES}?last_event_id=`),
    ]);
    await until('who missed the change is told', () =>
      texts.slice(0, 2).every(({ text }) => text.includes(`id: ${revision()}\nevent: flags_changed`)),
    );
    for (const { text } of texts.slice(2)) expect(text).toContain(`id: ${revision()}\nevent: connected`);
    for (const { text } of texts.slice(2)) expect(text).not.toContain('flags_changed');
  });

  it('is refused without a valid key, and without a player token where one is required', async () => {
    for (const key of [undefined, 'pk_live_unknown']) {
      const refused = await gateway.call(key, 'GET', CHANGES);
      expect([refused.status, await refused.json()]).toMatchObject([401, { error: { code: 'UNAUTHORIZED' } }]);
    }
    const key = await client();
    const address = { game: 'demo', environment: '_', kind: 'game', key: 'settings' } as const;
    const { document } = gateway.config.get(address)!;
    await gateway.config.put(address, { ...document, requirePlayerToken: true });
    const refused = await gateway.call(key, 'GET', CHANGES);
    expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }]);
  });

  it('is open to pages of other origins', async () => {
    const preflight = await fetch(gateway.url + CHANGES, {
      method: 'OPTIONS',
      headers: { Origin: 'https://game.example', 'Access-Control-Request-Method': 'GET' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('GET');
  });

  it('ends when its key is revoked; others continue', async () => {
    const key = await client();
    const [revoked, other] = [await open(key), await open(await client())];
    await gateway.revoke(key, { kind: 'client' });
    await until('the stream ended', () => revoked.ended);
    expect(other.ended).toBe(false);
  });

  it('ends in good order when the server closes', async () => {
    const stream = await open(await client());
    await gateway.close();
    await until('the stream ended', () => stream.ended);
    expect(stream.text.endsWith('\r\n0\r\n\r\n')).toBe(true);
  });

  it('is refused to a caller with a tenth of the streams of its key, not to others', async () => {
    const key = await client({ tier: 'growth' });
    const most = GATEWAY_LIMITS.changesReadersOfCaller.growth;
    const from = (address: string) => [`X-Forwarded-For: ${address}`];
    await Promise.all(Array.from({ length: most }, () => open(key, from('192.0.2.1'))));
    const again = (address: string) => gateway.call(key, 'GET', CHANGES, undefined, { 'X-Forwarded-For': address });
    const refused = await again('192.0.2.1');
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: { code: 'RATE_LIMIT_EXCEEDED' } }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await open(key, from('192.0.2.2'));
    sockets[0]?.destroy();
    await until('the caller may open one again', async () => {
      const answer = await again('192.0.2.1');
      await answer.body?.cancel();
      return answer.status === 200;
    });
  });

  it('is left to a caller with fewer when its key has all of its streams', async () => {
    const crowded = await startGateway({
      config: { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
      changesReadersOfKey: { growth: 4, pro: 4, enterprise: 4 },
    });
    await gateway.close();
    gateway = crowded;
    const key = await client();
    const from = (address: string) => open(key, [`X-Forwarded-For: ${address}`]);
    const refused = async (address: string) => {
      const answer = await gateway.call(key, 'GET', CHANGES, undefined, { 'X-Forwarded-For': address });
      await answer.body?.cancel();
      return answer.status === 429;
    };
    const first: Awaited<ReturnType<typeof open>>[] = [];
    for (let n = 0; n < 4; n++) first.push(await from('192.0.2.1'));
    expect(await refused('192.0.2.1')).toBe(true);
    const second = [await from('192.0.2.2'), await from('192.0.2.2')];
    await until('the oldest ended', () => first.filter(({ ended }) => ended).length === 2);
    expect(first.map(({ ended }) => ended)).toEqual([true, true, false, false]);
    expect([await refused('192.0.2.2'), await refused('192.0.2.1')]).toEqual([true, true]);
    expect(second.map(({ ended }) => ended)).toEqual([false, false]);
  });

  it('has heartbeats', async () => {
    const stream = await open(await client());
    await until('two came', () => (stream.text.match(/event: heartbeat\ndata: \{"timestamp":/g) ?? []).length >= 2);
  });
});
