import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { latencyAt } from '../figures/statistics.ts';
import { openLoop, type OpenLoopSpec } from './open-loop.ts';
import { until } from '../../../test/support/until.ts';
import { runWrk, wrkMissing } from './wrk.ts';

/* Both load generators against a server whose behaviour is known. */

const folder = mkdtempSync(join(tmpdir(), 'player-analytics-bench-test-'));
const bodiesFile = join(folder, 'bodies.jsonl');
const bodies = ['{"n":1}', '{"n":2}', '{"n":3}'];
let server: Server;

beforeAll(() => writeFileSync(bodiesFile, bodies.join('\n')));
afterEach(() => {
  server.closeAllConnections();
  server.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Serves what `answer` says: a status, and after how long. Remembers what came. */
async function serve(answer: (turn: number) => { status: number; afterMs: number }) {
  const seen: { body: string; key: string | undefined }[] = [];
  const answered = { count: 0 };
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { status, afterMs } = answer(seen.length);
      seen.push({ body, key: request.headers['x-api-key']?.toString() });
      response.on('finish', () => (answered.count += 1));
      setTimeout(() => response.writeHead(status, { 'Content-Length': 2 }).end('{}'), afterMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/events`, seen, answered };
}

const signal = new AbortController().signal;
const onPid = () => {};
const runOpenLoop = (spec: OpenLoopSpec) => openLoop.use(signal, spec, (generator) => generator.ask('run'));

test('the open loop sends at its rate, every body in turn, and counts every answer', async () => {
  const { url, seen } = await serve((turn) => ({ status: turn % 10 === 9 ? 503 : 200, afterMs: 0 }));
  const result = await runOpenLoop({
    url,
    key: 'a-key',
    bodiesFile,
    requestsPerSecond: 400,
    seconds: 1,
    settlingSeconds: 0,
    connections: 8,
  });
  expect(result).toMatchObject({ sent: 400, answered: 400, refused: 40, errors: {} });
  expect(result.statuses).toEqual({ '200': 360, '503': 40 });
  expect(seen.length).toBe(400);
  expect(new Set(seen.map(({ body }) => body))).toEqual(new Set(bodies));
  expect(new Set(seen.map(({ key }) => key))).toEqual(new Set(['a-key']));
});

test('the open loop sees a stall in every request that was due meanwhile, not only in those on the wire', async () => {
  // One connection, and its first answer takes half of the run: no other request can go out meanwhile.
  const { url } = await serve((turn) => ({ status: 200, afterMs: turn === 0 ? 500 : 0 }));
  const result = await runOpenLoop({
    url,
    key: 'a-key',
    bodiesFile,
    requestsPerSecond: 200,
    seconds: 1,
    settlingSeconds: 0,
    connections: 1,
  });
  expect(result.answered).toBe(200);
  // Half of the requests were due during the stall and waited a quarter of a second on average.
  expect(latencyAt(result.latency, 0.7)).toBeGreaterThan(100);
  expect(latencyAt(result.lateness, 0.7)).toBeGreaterThan(100);
  expect(result.latency.maxMs).toBeGreaterThanOrEqual(500);
});

test('requests due while it settles are answered and counted, but their latency is left out', async () => {
  const { url } = await serve((turn) => ({ status: 200, afterMs: turn === 0 ? 900 : 0 }));
  const result = await runOpenLoop({
    url,
    key: 'a-key',
    bodiesFile,
    requestsPerSecond: 100,
    seconds: 2,
    settlingSeconds: 1,
    connections: 8,
  });
  expect(result.answered).toBe(200);
  expect(result.latency.maxMs).toBeLessThan(900);
});

test('what is never answered is in the figures', async () => {
  const { url, answered } = await serve((turn) => ({ status: 200, afterMs: turn < 5 ? 3_600_000 : 0 }));
  const running = runOpenLoop({
    url,
    key: 'a-key',
    bodiesFile,
    requestsPerSecond: 100,
    seconds: 1,
    settlingSeconds: 0,
    connections: 10,
  });
  await until('the others have been served', () => answered.count === 95);
  server.closeAllConnections();
  const result = await running;
  expect(result.answered).toBe(95);
  expect(Object.values(result.errors).reduce((sum, count) => sum + count, 0)).toBe(5);
  expect(result.latency.maxMs).toBeGreaterThan(500);
});

test.skipIf(wrkMissing() !== undefined)(
  'with wrk, every request that was sent is counted with its answer',
  async () => {
    const { url, seen } = await serve(() => ({ status: 200, afterMs: 20 }));
    const result = await runWrk({
      url,
      key: 'a-key',
      bodiesFile,
      connections: 8,
      seconds: 1,
      threads: 2,
      signal,
      onPid,
    });
    expect(result.answered).toBe(seen.length);
    expect(result).toMatchObject({ sent: seen.length, refused: 0, errors: {} });
    expect(latencyAt(result.latency, 0.5)).toBeGreaterThan(15);
    expect(result.bins.reduce((sum, count) => sum + count, 0)).toBe(seen.length);
    expect(new Set(seen.map(({ body }) => body))).toEqual(new Set(bodies));
  },
);
