import { Agent } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { routes } from '../../src/api/routes.ts';
import { API_LIMITS } from '../../src/api/limits.ts';
import { createRandom, type Random } from '../sim/random.ts';
import type { RunningService } from '../support/servers/running-service.ts';
import { until } from '../support/until.ts';
import { fuzzedHeaders } from './header-values.ts';
import { fuzzedBody, type KnownIds } from './json-bodies.ts';
import { fuzzedConnection } from './raw-bytes.ts';
import { sendRequest, type FuzzedRequest } from './send-request.ts';
import { probe } from './service-probe.ts';

export interface FuzzReport {
  requests: number;
  connections: number;
  /** Answers by status, or by the error instead of one. */
  answers: Map<number | string, number>;
  /** Crashes, answers 5xx and stalls, each with the input that led to it. */
  problems: string[];
  /** The longest turn of the service's event loop, in milliseconds, and the request that ran alone at that time. */
  worst: { stallMs: number; input: string };
}

export interface FuzzOptions {
  seed: number;
  /** Rounds of requests and connections; a round takes about half a second. */
  rounds: number;
  /** Ends the run early. */
  isOver?: () => boolean;
  /** The longest allowed turn of the main thread; `STALL_LIMIT_MS` by default. */
  stallLimitMs?: number;
}

/** The longest turn of the main thread that a request may cause on a quiet machine. */
export const STALL_LIMIT_MS = 50;

const ROUND_REQUESTS = 24;
const ROUND_CONNECTIONS = 12;
const ALL = routes({ webhookAllowPrivateHosts: [], sessionTtlSeconds: 1800 });
/** 64 MiB of zeros as 64 KiB. */
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024));

/** Sends seeded invalid input to a running service, as HTTP requests and raw bytes, on both of its HTTP servers. */
export async function fuzzService(service: RunningService, options: FuzzOptions): Promise<FuzzReport> {
  const { seed, rounds, isOver = () => false, stallLimitMs = STALL_LIMIT_MS } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const port = Number(new URL(service.url).port);
  const clickhousePort = Number(new URL(service.supervised.clickhouseUrl).port);
  const known = await makeKnown(service);
  const report: FuzzReport = {
    requests: 0,
    connections: 0,
    answers: new Map(),
    problems: [],
    worst: { stallMs: 0, input: 'none' },
  };
  const started = service.supervised.pids();
  await probe(service.url);

  async function send(wanted: FuzzedRequest): Promise<void> {
    const answer = await sendRequest(agent, port, wanted);
    report.requests += 1;
    report.answers.set(answer, (report.answers.get(answer) ?? 0) + 1);
    const failed = typeof answer === 'number' ? answer >= 500 : answer === 'no answer within 20 s';
    if (failed) report.problems.push(`${answer}: ${describe(wanted)}`);
  }

  /** Repeats each request alone, to find the one that stalled the service. */
  async function findCulprit(sent: readonly FuzzedRequest[]): Promise<void> {
    let culprit = `one of ${sent.length} requests, none of them when repeated alone`;
    let longestMs = 0;
    for (const wanted of sent) {
      // A request is at fault if it is slow every time; once may be the garbage collection of other requests.
      let aloneMs = Infinity;
      for (let repeat = 0; repeat < 3 && aloneMs > longestMs; repeat++) {
        await probe(service.url);
        await send(wanted);
        aloneMs = Math.min(aloneMs, (await probe(service.url)).stallMs);
      }
      if (aloneMs > longestMs) [longestMs, culprit] = [aloneMs, describe(wanted)];
    }
    // If no repeat is slow, several requests shared a turn, or garbage was collected.
    if (longestMs > stallLimitMs) report.problems.push(`a stall of ${longestMs.toFixed(0)} ms: ${culprit}`);
    if (longestMs > report.worst.stallMs) report.worst = { stallMs: longestMs, input: culprit };
  }

  for (let round = 0; round < rounds && !isOver(); round++) {
    const random = createRandom(seed, `round ${round}`);
    const requests = Array.from({ length: ROUND_REQUESTS }, () => fuzzedRequest(random, service, known));
    await inTurns(4, requests, send);
    const { stallMs } = await probe(service.url);
    if (stallMs > stallLimitMs) await findCulprit(requests);
    else if (stallMs > report.worst.stallMs) report.worst = { stallMs, input: 'a round of requests together' };

    const paths = ALL.map((route) => route.path);
    const connections = Array.from({ length: ROUND_CONNECTIONS }, (_, index) =>
      index % 3 === 0
        ? { port: clickhousePort, bytes: fuzzedConnection(random, ['/', '/ping', '/?query=SELECT%201'], 'x') }
        : { port, bytes: fuzzedConnection(random, paths, service.keys.test.server) },
    );
    await inTurns(6, connections, async (each) => {
      report.connections += 1;
      const text = await exchangeBytes(each.port, each.bytes);
      const status = /^HTTP\/1\.1 (5\d\d)/m.exec(text)?.[1];
      // 505: the HTTP library refuses an unknown version before the service gets the request.
      if (each.port === port && status !== undefined && status !== '505') {
        report.problems.push(`${status}: raw ${JSON.stringify(each.bytes.toString('latin1').slice(0, 2_000))}`);
      }
    });
    const { startedAt } = await probe(service.url);
    const pids = service.supervised.pids();
    if (JSON.stringify(pids) !== JSON.stringify(started)) {
      report.problems.push(`a process ended in round ${round} (start ${startedAt}): ${JSON.stringify(pids)}`);
      break;
    }
  }
  agent.destroy();
  await until('ClickHouse answers', async () => (await service.sql('SELECT 1 AS one')).length === 1);
  return report;
}

async function makeKnown(service: RunningService): Promise<KnownIds> {
  const { server } = service.keys.test;
  const externalIds = ['fuzz-1', 'fuzz-2', 'fuzz-3'];
  const players: string[] = [];
  const sessions: string[] = [];
  for (const externalId of externalIds) {
    const id = await service.player(server, externalId);
    players.push(id);
    const { body } = await service.call(server, 'POST', '/v1/bff/game/init', { player_id: id });
    sessions.push(String(body.data['session_id']));
  }
  const segment = await service.call(server, 'POST', '/v1/segments/segments', {
    key: 'fuzz',
    name: 'Fuzz',
    conditions: { 'attributes.level': { $gte: 1 } },
  });
  await service.call(server, 'POST', '/v1/flags/flags', {
    key: 'fuzz',
    name: 'Fuzz',
    flag_type: 'boolean',
    enabled: true,
    targeting_rules: [],
  });
  return { players, externalIds, sessions, segments: [String(segment.body.data['segment_id'])], flags: ['fuzz'] };
}

function fuzzedRequest(random: Random, service: RunningService, known: KnownIds): FuzzedRequest {
  const route = random.pick(ALL);
  const { client, server } = service.keys.test;
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(pathValue(random, name, known)),
  );
  const query = random.chance(0.3) ? `?${queryOf(random, Object.keys(route.input.query?.properties ?? {}))}` : '';
  const headers = fuzzedHeaders(random, random.chance(0.2) ? client : server);
  if (route.input.body === undefined) return { method: route.method, path: path + query, headers, body: undefined };
  const text = Buffer.from(fuzzedBody(random, route, known)).subarray(0, API_LIMITS.bodyBytes + 1);
  const bytes = random.chance(0.05) ? (random.chance(0.2) ? BOMB : gzipSync(text)) : text;
  const encoding: Record<string, string> = bytes === text ? {} : { 'Content-Encoding': 'gzip' };
  return { method: route.method, path: path + query, headers: { ...headers, ...encoding }, body: bytes };
}

function pathValue(random: Random, name: string, known: KnownIds): string {
  if (random.chance(0.2)) return random.pick(['x', '..', '\u0000', '%', 'a'.repeat(500), '💥', '-1']);
  if (name === 'external_id') return random.pick(known.externalIds);
  if (name === 'key') return random.pick(known.flags);
  return random.pick([...known.players, ...known.segments]);
}

const QUERY_VALUES = [
  '1',
  '-1',
  '0',
  '1e9',
  'x',
  '',
  '2026-11-22T00:00:00Z',
  '%00',
  '9'.repeat(300),
  'true',
  '[]',
  'a,b',
  '%F0%9F',
];

function queryOf(random: Random, names: readonly string[]): string {
  const parts = Array.from({ length: random.int(1, 4) }, () => {
    const name = names.length > 0 && random.chance(0.8) ? random.pick(names) : random.pick(['x', '__proto__', '%', '']);
    return `${name}=${random.pick(QUERY_VALUES)}`;
  });
  return parts.join('&');
}

/** Sends bytes and waits for the server to close, or half a second. */
function exchangeBytes(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const finish = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(500, finish);
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('error', finish);
    socket.on('close', finish);
    socket.write(bytes);
  });
}

async function inTurns<T>(width: number, items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item);
    }),
  );
}

function describe({ method, path, headers, body }: FuzzedRequest): string {
  const text = body === undefined ? '' : Buffer.from(body).toString('latin1');
  const shown = text.length > 1_500 ? `${text.slice(0, 1_000)} … ${text.slice(-300)} (${text.length} bytes)` : text;
  const names = Object.entries(headers).map(([name, value]) => `${name}: ${value.slice(0, 60)} (${value.length})`);
  return `${method} ${path.slice(0, 300)} {${names.join('; ')}} ${shown}`;
}
