import { Agent } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { sendRequest } from '../fuzz/send-request.ts';
import { probe } from '../fuzz/service-probe.ts';
import { largestGoodBodies, worstBodies, type WorstBody } from '../fuzz/worst-bodies.ts';
import { startService, type RunningService } from '../support/running-service.ts';

/*
 * What one request may cost the main thread of the service: processor time, as the service measures it itself, so other work on the
 * machine does not count. One measurement that is small is enough; a large one is repeated, as it may hold a collection of garbage
 * that other requests made.
 */

const LIMIT_MS = 50;
const REPEATS = 9;

let service: RunningService;
let agent: Agent;
/** What reading the metrics twice costs by itself. */
let baselineMs = 0;
beforeAll(async () => {
  service = await startService({ LOG_LEVEL: 'error' });
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; i < 20; i++) await probe(service.url);
  const pairs: number[] = [];
  for (let i = 0; i < 11; i++) pairs.push(await between(async () => {}));
  baselineMs = pairs.toSorted((a, b) => a - b)[5] ?? 0;
});
afterAll(async () => {
  agent.destroy();
  await service.stop();
});

async function between(run: () => Promise<void>): Promise<number> {
  const before = await probe(service.url);
  await run();
  return (await probe(service.url)).cpuMs - before.cpuMs;
}

async function costMs(method: string, path: string, bytes: Uint8Array, gzip: boolean): Promise<number> {
  const headers: Record<string, string> = {
    'X-API-Key': service.keys.test.server,
    'Content-Type': 'application/json',
    ...(gzip ? { 'Content-Encoding': 'gzip' } : {}),
  };
  let leastMs = Infinity;
  for (let repeat = 0; repeat < REPEATS && leastMs > LIMIT_MS / 2; repeat++) {
    const ms = await between(async () => {
      const port = Number(new URL(service.url).port);
      const answer = await sendRequest(agent, port, { method, path, headers, body: bytes });
      expect(answer, `${method} ${path}`).toSatisfy((status: unknown) => typeof status === 'number' && status < 500);
    });
    leastMs = Math.min(leastMs, ms - baselineMs);
  }
  return leastMs;
}

test('no body within the limits occupies the main thread for 50 ms, on any endpoint', async () => {
  const { server } = service.keys.test;
  const playerId = await service.player(server, 'cost');
  const init = await service.call(server, 'POST', '/v1/bff/game/init', { player_id: playerId });
  const sessionId = String(init.body.data['session_id']);
  const worst = new Map<string, { ms: number; name: string }>();

  async function measure(
    method: string,
    shown: string,
    path: string,
    { name, text }: WorstBody,
    gzip = false,
  ): Promise<void> {
    const ms = await costMs(method, path, gzip ? gzipSync(text) : Buffer.from(text), gzip);
    const before = worst.get(`${method} ${shown}`);
    if (before === undefined || ms > before.ms)
      worst.set(`${method} ${shown}`, { ms, name: gzip ? `${name}, gzip` : name });
  }

  for (const route of routes({ webhookAllowPrivateHosts: [], sessionTtlSeconds: 1800 })) {
    const path = route.path
      .replace('{player_id}', playerId)
      .replace(/\{\w+\}/, route.path.startsWith('/v1/players/') ? playerId : 'cost')
      .replaceAll(/\{\w+\}/g, 'cost');
    const bodies = worstBodies(route).map(({ name, text }) => ({
      name,
      // Examples name players that do not exist here.
      text: text.replaceAll(/"player_id":"[^"]*"/g, `"player_id":"${playerId}"`),
    }));
    for (const body of bodies) await measure(route.method, route.path, path, body);
    const [first] = bodies;
    if (first !== undefined) await measure(route.method, route.path, path, first, true);
  }
  for (const { method, path, body } of largestGoodBodies(playerId, sessionId)) await measure(method, path, path, body);

  const table = [...worst].map(([endpoint, { ms, name }]) => ({ endpoint, ms, name })).toSorted((a, b) => b.ms - a.ms);
  const lines = table.map(({ endpoint, ms, name }) => `${ms.toFixed(1).padStart(6)} ms  ${endpoint}  (${name})`);
  process.stdout.write(`Worst main-thread time of a request, by endpoint:\n${lines.join('\n')}\n`);
  expect(table.length).toBeGreaterThan(20);
  expect(table.filter(({ ms }) => ms >= LIMIT_MS)).toEqual([]);
}, 300_000);

test('no batch of events holds up the main thread while schemas check them, nor while it compiles the schemas', async () => {
  const { server } = service.keys.test;
  const playerId = await service.player(server, 'judged');
  const define = async (name: string, schema: unknown): Promise<void> => {
    const body = { event_name: name, schema, mode: 'enforce' };
    expect((await service.call(server, 'POST', '/v1/events/schemas', body)).status).toBe(201);
  };
  const stallOf = async (events: readonly { event_name: string; properties: unknown }[]): Promise<number> => {
    await probe(service.url);
    const body = { events: events.map((event) => ({ player_id: playerId, ...event })) };
    expect((await service.call(server, 'POST', '/v1/events/events/batch', body)).status).toBe(200);
    return (await probe(service.url)).stallMs;
  };
  const oneOf = Array.from({ length: 200 }, (_, i) => ({ minimum: i, maximum: i }));
  await define('branches', { additionalProperties: { items: { oneOf } } });
  const integers = Object.fromEntries(Array.from({ length: 490 }, (_, i) => [`p${i}`, { type: 'integer' }]));
  const names = Array.from({ length: 10 }, (_, i) => `integers_${i}`);
  for (const name of names) await define(name, { properties: integers });

  const numbers = Array.from({ length: 160 }, (_, i) => i % 10);
  const ofCheck = await stallOf(
    Array.from({ length: 100 }, () => ({ event_name: 'branches', properties: { numbers } })),
  );
  const ofCompiling = await stallOf(names.map((name) => ({ event_name: name, properties: { p1: 'x' } })));
  process.stdout.write(`Longest turns: checks ${ofCheck.toFixed(1)} ms, compiling ${ofCompiling.toFixed(1)} ms\n`);
  // One event and the turn before it, or one schema compiled twice; ten of them in a row took 300 ms, the checks 1,900 ms.
  expect(ofCheck).toBeLessThan(100);
  expect(ofCompiling).toBeLessThan(150);
}, 60_000);
