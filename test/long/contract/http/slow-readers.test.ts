import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock, type Clock } from '../../../../core/kernel/clock.ts';
import { HTTP_LIMITS } from '../../../../src/gateway/http/limits.ts';
import { createMetrics, type Metrics } from '../../../../src/parts/metrics.ts';
import type { ServerDeps } from '../../../../src/gateway/server.ts';
import { playerIn, startGateway, type Gateway } from '../../../support/in-memory/http-gateway.ts';
import { until } from '../../../support/until.ts';

const PLAYER = playerIn(0);
const MIB = 1024 * 1024;
const EVALUATE = '/v1/flags/flags/evaluate';

let gateway: Gateway;
let metrics: Metrics;
let key: string;
const sockets: Socket[] = [];

/** Starts a gateway whose flag evaluations have bodies of this size. */
async function start(bodyBytes: number, options: Partial<ServerDeps> = {}): Promise<void> {
  metrics = createMetrics();
  gateway = await startGateway({
    metrics,
    config: { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
    ...options,
  });
  key = await gateway.key({ kind: 'client', tier: 'pro' });
  answerWith(bodyBytes);
}

/** Gives the flag evaluations from now on bodies of this size. */
function answerWith(bodyBytes: number): void {
  const value = JSON.stringify('v'.repeat(bodyBytes));
  const reason = 'percentage_rollout' as const;
  gateway.backend.reply = () => ({
    kind: 'flags',
    evaluations: [{ flagKey: 'big', value, variantKey: null, reason, period: 1 }],
    unknownFlags: [],
    durationUs: 1,
  });
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.close();
});

/** A connection that reads only on demand. `closed` is set while it reads or writes. */
function open(): Socket & { wasClosed: boolean } {
  const socket = Object.assign(connect(gateway.port, '127.0.0.1'), { wasClosed: false });
  socket.pause();
  socket.on('error', () => {});
  socket.on('close', () => (socket.wasClosed = true));
  sockets.push(socket);
  return socket;
}

/** @param from the address that the trusted proxy adds */
function evaluate(from = '192.0.2.1', framing: 'length' | 'chunks' = 'length'): string {
  const body = JSON.stringify({ player_id: PLAYER, flag_keys: ['big'] });
  const [header, sent] =
    framing === 'length'
      ? [`Content-Length: ${body.length}`, body]
      : ['Transfer-Encoding: chunked', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`];
  const head = [`POST ${EVALUATE} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, `X-Forwarded-For: ${from}`];
  return [...head, 'Content-Type: application/json', header, '', sent].join('\r\n');
}

/** Reads a whole response in pieces. @returns the bytes of its body; throws if the connection is closed early */
async function readWhole(socket: Socket & { wasClosed: boolean }, chunkBytes: number, pauseMs: number) {
  let head = '';
  let bodyBytes = -1;
  for (;;) {
    const chunk: unknown = socket.read(Math.min(chunkBytes, socket.readableLength) || undefined);
    if (Buffer.isBuffer(chunk)) {
      if (bodyBytes >= 0) {
        bodyBytes += chunk.length;
      } else {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end >= 0) bodyBytes = head.length - end - 4;
      }
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (bodyBytes === length) return bodyBytes;
    } else if (socket.wasClosed) {
      throw new Error(`cut off after ${bodyBytes} bytes of the body`);
    }
    await delay(pauseMs);
  }
}

const unreadBytes = async () => (await metrics.unreadAnswerBytes.get()).values[0]?.value ?? 0;
const closedFor = async (reason: string) =>
  (await metrics.slowReadersClosed.get()).values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
const answered = async (route: string) =>
  (await metrics.httpRequests.get()).values
    .filter(({ labels }) => labels.route === route && labels.status !== 'aborted')
    .reduce((sum, { value }) => sum + value, 0);

describe('pipelined requests whose responses nobody reads', () => {
  const pipelines: [string, string, string, number][] = [
    ['large answers without a key', 'GET', '/openapi.json', 400],
    ['small answers without a key', 'GET', '/nowhere', 40_000],
    ['preflights', 'OPTIONS', '/v1/events/events', 20_000],
    ['HEAD', 'HEAD', '/openapi.json', 20_000],
  ];
  it.each(pipelines)('%s: the connection is closed before they fill memory', async (_name, method, path, count) => {
    await start(10);
    const socket = open();
    const step = `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count / 100);
    for (let sent = 0; sent < 100 && !socket.wasClosed; sent++) {
      await new Promise((resolve) => socket.write(step, resolve));
    }
    await until('the server has closed', async () => {
      socket.write(step);
      return socket.wasClosed;
    });
    const route = path === '/nowhere' ? 'unknown' : path;
    expect(await answered(route)).toBeLessThan(count / 2);
    expect(await unreadBytes()).toBe(0);
  });

  it('a client that reads gets every preflight answered, over few connections', async () => {
    await start(10);
    for (let round = 0; round < 600; round++) {
      const answer = await fetch(`${gateway.url}/v1/events/events`, {
        method: 'OPTIONS',
        headers: { Origin: 'https://game.example', 'Access-Control-Request-Method': 'POST' },
      });
      expect(answer.status).toBe(204);
      expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
    }
    const head = await fetch(`${gateway.url}/openapi.json`, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toMatch(/^\d{5,}$/);
  });
});

describe('answers that are read slowly', () => {
  it('together they keep to the budget: the caller with the most of them is cut off, others and streams are not', async () => {
    await start(8 * MIB, { unreadAnswerBytes: 24 * MIB });
    const stream = await fetch(`${gateway.url}/v1/events/events/stream`, {
      headers: { 'X-API-Key': await gateway.key() },
    });
    const honest = open();
    honest.write(evaluate('192.0.2.77'));
    await until('it waits for its reader', async () => (await unreadBytes()) > 0);
    let most = 0;
    for (let sent = 0; sent < 40; sent++) {
      open().write(evaluate('192.0.2.1'));
      await delay(20);
      most = Math.max(most, await unreadBytes());
    }
    await until('all are answered', async () => (await answered(EVALUATE)) === 41);
    expect(most).toBeGreaterThan(12 * MIB);
    expect(most).toBeLessThanOrEqual(24 * MIB);
    expect(await closedFor('full')).toBeGreaterThan(5);
    const fast = await gateway.call(key, 'POST', EVALUATE, { player_id: PLAYER, flag_keys: ['big'] });
    expect((await fast.text()).length).toBeGreaterThan(8 * MIB);
    expect(await readWhole(honest, 256 * 1024, 1)).toBeGreaterThan(8 * MIB);
    gateway.feed.attached[0]?.reader.write(Buffer.from('data: still here\n\n'));
    const reader = stream.body?.getReader();
    let text = '';
    while (!text.includes('still here')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    await reader?.cancel();
  });

  it('answers that end their connections keep to the budget, although many are written in one turn', async () => {
    await start(8 * MIB, { unreadAnswerBytes: 24 * MIB });
    const sizes = vi.spyOn(metrics.unreadAnswerBytes, 'set');
    const { reply } = gateway.backend;
    const allArrived = Promise.withResolvers<undefined>();
    gateway.backend.reply = async (call) => {
      if (gateway.backend.calls.length === 12) allArrived.resolve(undefined);
      await allArrived.promise;
      return reply(call);
    };
    for (let sent = 0; sent < 12; sent++) open().write(evaluate('192.0.2.1', 'chunks'));
    await until('all are answered', async () => (await answered(EVALUATE)) === 12);
    const most = Math.max(...sizes.mock.calls.map(([bytes]) => bytes));
    // The response that is being written cannot be closed, so it comes on top.
    expect(most).toBeLessThanOrEqual(24 * MIB + 9 * MIB);
    expect(await closedFor('full')).toBeGreaterThan(5);
    expect(await unreadBytes()).toBeLessThanOrEqual(24 * MIB);
  });

  it('an answer that is not read in time ends its connection', async () => {
    const deadlines: (() => void)[] = [];
    const clock: Clock = {
      ...systemClock,
      timer(delayMs, fn) {
        if (delayMs < HTTP_LIMITS.answerReadMs) return systemClock.timer(delayMs, fn);
        deadlines.push(fn);
        return () => {};
      },
    };
    await start(8 * MIB, { clock });
    // Timers of the gateway itself may be as long.
    deadlines.length = 0;
    const socket = open();
    socket.write(evaluate());
    (await until('the answer waits', () => deadlines[0]))();
    await until('the server has closed', () => {
      socket.read();
      return socket.wasClosed;
    });
    expect(await closedFor('slow')).toBe(1);
    expect(await unreadBytes()).toBe(0);
  });

  it('a reader that stops for 14 s gets the rest, and one of 50 kB/s gets 1 MiB', { timeout: 60_000 }, async () => {
    await start(8 * MIB);
    const stopped = open();
    stopped.write(evaluate());
    await until('it is answered', async () => (await answered(EVALUATE)) === 1);
    answerWith(MIB);
    const slow = open();
    slow.write(evaluate('192.0.2.2'));
    const slowBytes = readWhole(slow, 5_000, 100);
    await delay(14_000);
    expect(await readWhole(stopped, 1024 * 1024, 1)).toBeGreaterThan(8 * MIB);
    expect(await slowBytes).toBeGreaterThan(MIB);
    expect(await unreadBytes()).toBe(0);
    expect((await closedFor('slow')) + (await closedFor('full'))).toBe(0);
  });

  it('a large answer to a chunked request arrives whole, and its connection reads nothing after it', async () => {
    await start(8 * MIB);
    const socket = open();
    socket.write(evaluate('192.0.2.1', 'chunks'));
    expect(await readWhole(socket, 1024 * 1024, 1)).toBeGreaterThan(8 * MIB);
    expect(await unreadBytes()).toBe(0);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('the server has closed', () => {
      socket.read();
      return socket.wasClosed;
    });
    expect(await answered('/healthz')).toBe(0);
  });
});
