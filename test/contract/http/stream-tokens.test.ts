import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { ACCESS_LIMITS } from '../../../src/access/limits.ts';
import { LOG_LIMITS } from '../../../streams/log/limits.ts';
import { connectJetStream } from '../../../streams/log/jetstream/log-jetstream.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import type { Log } from '../../../streams/log/log.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { startTestNats } from '../../support/servers/nats.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';

const TOKENS = '/v1/events/stream-tokens';
const STREAM = '/v1/events/events/stream';

let here: Gateway;
let there: Gateway;
let key: string;
let lateMs: number;
const lateClock = { ...systemClock, wallMs: () => systemClock.wallMs() + lateMs };

/** Two gateways with the state that gateways share. */
async function startBoth(connect: () => Promise<Log>): Promise<void> {
  lateMs = 0;
  here = await startGateway({ log: await connect(), clock: lateClock });
  there = await startGateway({ log: await connect(), clock: lateClock, configStore: here.config });
  key = await here.key({ kind: 'server' });
}

beforeEach(async () => {
  const broker = createMemoryBroker({ clock: systemClock });
  await startBoth(async () => broker.connect());
});
afterEach(async () => {
  await here.close();
  await there.close();
});

async function makeToken(): Promise<string> {
  const response = await here.call(key, 'POST', TOKENS);
  expect(response.status).toBe(201);
  const { data } = await bodyOf(response);
  expect(Date.parse(String(data['expires_at'])) - lateClock.wallMs()).toBeGreaterThan(
    LOG_LIMITS.streamTokenMs - 10_000,
  );
  return String(data['token']);
}

/** A request like a browser's EventSource: no own headers but Origin. */
async function open(gateway: Gateway, token: string, more = '') {
  const abort = new AbortController();
  const response = await fetch(`${gateway.url}${STREAM}?token=${token}${more}`, {
    headers: { Origin: 'https://console.example', Accept: 'text/event-stream' },
    signal: abort.signal,
  });
  return { response, status: response.status, close: () => abort.abort() };
}

describe('a stream token', () => {
  it('opens one stream of its key on any gateway, and only one', async () => {
    const token = await makeToken();
    const stream = await open(there, token, '&event_name=a&last_event_id=abc-1-2');
    expect(stream.status).toBe(200);
    expect(stream.response.headers.get('access-control-allow-origin')).toBe('*');
    expect(stream.response.headers.get('x-ignored-fields')).toBeNull();
    expect(there.feed.attached[0]?.request).toMatchObject({
      game: 'demo',
      environment: 'live',
      eventNames: ['a'],
      lastEventId: 'abc-1-2',
    });
    for (const gateway of [here, there]) {
      const again = await open(gateway, token);
      expect(again.status).toBe(401);
      expect((await bodyOf(again.response)).error.message).toContain('unknown, used or expired');
      expect(again.response.headers.get('access-control-allow-origin')).toBe('*');
    }
    stream.close();
  });

  it.each(['nonsense', 'st_', `st_${'0'.repeat(79)}`])('%s: the error says how to get a valid token', async (text) => {
    const { status, response } = await open(here, text);
    expect(status).toBe(401);
    const { message } = (await bodyOf(response)).error;
    expect(message).toContain('The stream token is unknown, used or expired');
    expect(message).toContain('`POST /v1/events/stream-tokens`');
  });

  it('opens no stream once it has expired', async () => {
    const token = await makeToken();
    lateMs = LOG_LIMITS.streamTokenMs + 1;
    expect((await open(there, token)).status).toBe(401);
  });

  it('is not consumed by an invalid request', async () => {
    const token = await makeToken();
    expect((await open(here, token, '&event_name=%00')).status).toBe(400);
    expect((await open(here, token, `&event_name=${'x'.repeat(200)}`)).status).toBe(400);
    const stream = await open(here, token);
    expect(stream.status).toBe(200);
    stream.close();
  });

  it('ends with its key, and so does its stream', async () => {
    const [unused, used] = [await makeToken(), await makeToken()];
    const stream = await open(there, used);
    await here.revoke(key, { kind: 'server' });
    expect((await open(there, unused)).status).toBe(401);
    await until('the stream has ended', () => there.feed.readers === 0);
    stream.close();
  });

  it('is accepted by the stream endpoint only', async () => {
    const token = await makeToken();
    expect((await here.call(undefined, 'GET', `/v1/events/events?token=${token}`)).status).toBe(401);
    expect((await here.call(token, 'GET', STREAM)).status).toBe(401);
    for (const wrong of [
      '',
      'x',
      `${token}x`,
      token.slice(0, -1),
      token.replace(/.$/, token.endsWith('A') ? 'B' : 'A'),
    ]) {
      expect((await open(here, wrong)).status).toBe(401);
    }
  });

  it('is created by server keys only, a bounded number per minute', async () => {
    const client = await here.key({ kind: 'client' });
    expect((await here.call(client, 'POST', TOKENS)).status).toBe(403);
    const statuses = new Set<number>();
    for (let n = 0; n < ACCESS_LIMITS.streamTokensOfKey; n++)
      statuses.add((await here.call(key, 'POST', TOKENS)).status);
    expect([...statuses]).toEqual([201]);
    expect((await here.call(key, 'POST', TOKENS)).status).toBe(429);
  });
});

describe('a stream token on a real broker', () => {
  it('opens one of many streams requested concurrently on two gateways', async () => {
    const nats = await startTestNats();
    const logs: Log[] = [];
    const gateways = [here, there];
    await startBoth(async () => {
      const log = await connectJetStream({ url: nats.url, replicas: 1, logger: silentLogger, clock: systemClock });
      logs.push(log);
      return log;
    });
    for (let round = 0; round < 10; round++) {
      const token = await makeToken();
      const opened = Array.from({ length: 10 }, (_, n) => open(n % 2 === 0 ? here : there, token));
      const streams = await Promise.all(opened);
      expect(streams.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        200,
        ...Array.from({ length: 9 }, () => 401),
      ]);
      for (const stream of streams) stream.close();
    }
    for (const gateway of gateways) await gateway.close();
    await here.close();
    await there.close();
    for (const log of logs) await log.close();
    await nats.stop();
    const broker = createMemoryBroker({ clock: systemClock });
    await startBoth(async () => broker.connect());
  });
});
