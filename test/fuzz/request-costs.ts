import { Agent } from 'node:http';
import { gzipSync } from 'node:zlib';
import { routes } from '../../src/api/routes.ts';
import type { Route } from '../../src/api/route/route.ts';
import type { RunningService } from '../support/servers/running-service.ts';
import { sendRequest } from './send-request.ts';
import { probe } from './service-probe.ts';
import { largestGoodBodies, worstBodies, type WorstBody } from './worst-bodies.ts';

/*
 * Measures what single requests cost the main thread of a running service, in processor time that the service itself
 * reports, so that other work on the machine does not count.
 */

/** The most expensive known input of an endpoint. */
export interface RequestCost {
  endpoint: string;
  ms: number;
  input: string;
}

export interface CostOptions {
  /**
   * Repeats a request until one measurement is below this, because a larger one may include garbage collection of
   * others.
   */
  enoughMs: number;
  /** Uses the smallest of this many measurements. */
  repeats: number;
  /**
   * Whether to send all bodies of an endpoint, not only the first two, which are the most expensive on most endpoints.
   */
  allBodies: boolean;
}

interface SentBody {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

/** Sends the most expensive valid bodies to every endpoint. Returns the most expensive endpoint first. */
export async function requestCosts(service: RunningService, options: CostOptions): Promise<RequestCost[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { server } = service.keys.test;
  const playerId = await service.player(server, 'cost');
  const init = await service.call(server, 'POST', '/v1/bff/game/init', { player_id: playerId });
  const baselineMs = await probeCostMs(service);
  const worst = new Map<string, RequestCost>();

  async function measure(method: string, shown: string, path: string, body: WorstBody, gzip = false): Promise<void> {
    const headers: Record<string, string> = { 'X-API-Key': server, 'Content-Type': 'application/json' };
    if (gzip) headers['Content-Encoding'] = 'gzip';
    const bytes = gzip ? gzipSync(body.text) : Buffer.from(body.text);
    const ms = await leastCostMs(service, agent, { method, path, headers, body: bytes }, options, baselineMs);
    const endpoint = `${method} ${shown}`;
    const input = gzip ? `${body.name}, gzip` : body.name;
    if (ms > (worst.get(endpoint)?.ms ?? -Infinity)) worst.set(endpoint, { endpoint, ms, input });
  }

  try {
    for (const route of routes({ webhookAllowPrivateHosts: [], sessionTtlSeconds: 1800 })) {
      const bodies = worstBodies(route).map(({ name, text }) => ({
        name,
        // The players of the examples do not exist here.
        text: text.replaceAll(/"player_id":"[^"]*"/g, `"player_id":"${playerId}"`),
      }));
      const path = pathOf(route, playerId);
      const [first] = bodies;
      for (const body of options.allBodies ? bodies : bodies.slice(0, 2))
        await measure(route.method, route.path, path, body);
      if (first !== undefined) await measure(route.method, route.path, path, first, true);
    }
    const sessionId = String(init.body.data['session_id']);
    for (const { method, path, body } of largestGoodBodies(playerId, sessionId))
      await measure(method, path, path, body);
  } finally {
    agent.destroy();
  }
  return [...worst.values()].toSorted((a, b) => b.ms - a.ms);
}

/** The cost of the two metrics requests themselves. */
async function probeCostMs(service: RunningService): Promise<number> {
  for (let i = 0; i < 20; i++) await probe(service.url);
  const costs: number[] = [];
  for (let i = 0; i < 11; i++) costs.push(await between(service, async () => {}));
  return costs.toSorted((a, b) => a - b)[5] ?? 0;
}

async function between(service: RunningService, run: () => Promise<void>): Promise<number> {
  const before = await probe(service.url);
  await run();
  return (await probe(service.url)).cpuMs - before.cpuMs;
}

async function leastCostMs(
  service: RunningService,
  agent: Agent,
  request: SentBody,
  { enoughMs, repeats }: CostOptions,
  baselineMs: number,
): Promise<number> {
  const port = Number(new URL(service.url).port);
  let leastMs = Infinity;
  for (let repeat = 0; repeat < repeats && leastMs > enoughMs; repeat++) {
    const ms = await between(service, async () => {
      const answer = await sendRequest(agent, port, request);
      if (typeof answer === 'string' || answer >= 500)
        throw new Error(`${request.method} ${request.path} was answered with ${answer}`);
    });
    leastMs = Math.min(leastMs, ms - baselineMs);
  }
  return leastMs;
}

function pathOf(route: Route, playerId: string): string {
  return route.path
    .replace('{player_id}', playerId)
    .replace(/\{\w+\}/, route.path.startsWith('/v1/players/') ? playerId : 'cost')
    .replaceAll(/\{\w+\}/g, 'cost');
}

/** Formats costs as the lines of a table. */
export function costTable(costs: readonly RequestCost[]): string {
  return costs.map(({ endpoint, ms, input }) => `${ms.toFixed(1).padStart(6)} ms  ${endpoint}  (${input})`).join('\n');
}
