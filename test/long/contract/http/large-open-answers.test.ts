import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startGateway, type Gateway } from '../../../support/in-memory/http-gateway.ts';
import { until } from '../../../support/until.ts';

/* Answers that need no key: however many ask for them without reading, the main thread has time for others. */

const READERS = 300;
/**
 * The longest turn beside other tests, whose work shows in processor time too. The product's own bound is
 * 50 ms.
 */
const TURN_MS = 250;

let gateway: Gateway;
const sockets: Socket[] = [];

beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.close();
});

/** Measures the processor time of every turn of the event loop until `stop`, which returns the longest, in ms. */
function watchTurns(): () => number {
  let worstUs = 0;
  let watching = true;
  let last = process.cpuUsage();
  const look = (): void => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    worstUs = Math.max(worstUs, user + system);
    if (watching) setImmediate(look);
  };
  setImmediate(look);
  return () => {
    watching = false;
    return worstUs / 1_000;
  };
}

async function unreadRequests(path: string, header = ''): Promise<() => number> {
  const opened = Array.from({ length: READERS }, () => {
    const socket = connect(gateway.port, '127.0.0.1');
    socket.pause();
    socket.on('error', () => {});
    sockets.push(socket);
    return socket;
  });
  await until('all are connected', () => opened.every(({ connecting }) => !connecting));
  for (const socket of opened) socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
  return () => opened.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
}

describe(`${READERS} unread requests`, () => {
  it.each([
    ['/openapi.json', ''],
    ['/openapi.json', 'Accept-Encoding: gzip, br\r\n'],
    ['/metrics', ''],
    ['/readyz?verbose', ''],
  ])('for %s (%j) occupy no turn for long', async (path, header) => {
    await (await fetch(`${gateway.url}${path}`)).arrayBuffer();
    const stop = watchTurns();
    await unreadRequests(path, header);
    const began = performance.now();
    while (performance.now() - began < 1_500) await (await fetch(`${gateway.url}/healthz`)).arrayBuffer();
    expect(stop()).toBeLessThan(TURN_MS);
  });
});

it('the first request for the API description occupies no turn for long', async () => {
  const stop = watchTurns();
  const answers = await Promise.all([1, 2, 3].map(() => fetch(`${gateway.url}/openapi.json`)));
  const worstMs = stop();
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(worstMs).toBeLessThan(TURN_MS);
});
