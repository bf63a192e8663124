import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { latencyAt } from '../figures/statistics.ts';
import { LIFE_PATHS } from './life-requests.ts';
import { createCleanup } from '../bench.ts';
import { lives, type LivesSpec } from './lives.ts';

/* The generator of lives against a server that holds it to the protocol. */

const PLAYERS = 40;
const KNOWN = 120;
const folder = mkdtempSync(join(tmpdir(), 'player-analytics-bench-test-'));
const idsFile = join(folder, 'ids');
const ids = Array.from({ length: KNOWN }, (_, index) => `00000000-0000-5000-8000-${String(index).padStart(12, '0')}`);
const owner = { cleanup: createCleanup(), signal: new AbortController().signal };
let server: Server;

beforeAll(() => writeFileSync(idsFile, ids.join('')));
afterEach(async () => {
  await owner.cleanup.run();
  server.closeAllConnections();
  server.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Seen {
  counts: Record<string, number>;
  players: Set<string>;
  openSessions: Map<string, string>;
  faults: string[];
}

type Answer = (request: { path: string; turn: number }) => { status: number; afterMs: number };

/** A server of sessions; what breaks the protocol is a fault. */
async function serve(answer: Answer): Promise<{ baseUrl: string; seen: Seen }> {
  const seen: Seen = { counts: {}, players: new Set(), openSessions: new Map(), faults: [] };
  const underWay = new Set<string>();
  let turn = 0;
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const path = request.url ?? '';
      const body: { player_id: string; session_id?: string } = JSON.parse(text);
      const { player_id: playerId, session_id: sessionId } = body;
      if (underWay.has(playerId)) seen.faults.push(`two requests of ${playerId} at once`);
      underWay.add(playerId);
      seen.counts[path] = (seen.counts[path] ?? 0) + 1;
      seen.players.add(playerId);
      const { status, afterMs } = answer({ path, turn: (turn += 1) });
      const said: Record<string, unknown> = {};
      if (path === LIFE_PATHS.init && status === 200) {
        if (seen.openSessions.has(playerId)) seen.faults.push(`${playerId} plays twice`);
        seen.openSessions.set(playerId, `ses_${turn}`);
        said['session_id'] = `ses_${turn}`;
      } else if (path !== LIFE_PATHS.init && seen.openSessions.get(playerId) !== sessionId) {
        seen.faults.push(`${path} of ${playerId} in ${sessionId}`);
      }
      if (path === LIFE_PATHS.end) seen.openSessions.delete(playerId);
      const json = JSON.stringify({ success: true, data: said });
      setTimeout(() => {
        underWay.delete(playerId);
        response.writeHead(status, { 'Content-Length': json.length }).end(json);
      }, afterMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { baseUrl: `http://127.0.0.1:${port}`, seen };
}

const spec = (baseUrl: string, changed: Partial<LivesSpec> = {}): LivesSpec => ({
  baseUrl,
  key: 'a-key',
  idsFile,
  players: PLAYERS,
  known: KNOWN,
  syncsPerLife: 2,
  earlierLives: 0,
  syncsPerSecond: 200,
  seconds: 1,
  settlingSeconds: 0,
  turnSeconds: 0.2,
  connections: 16,
  ...changed,
});

test('players live at the rate asked for, each request in the session its init opened, and nobody is left playing', async () => {
  const { baseUrl, seen } = await serve(() => ({ status: 200, afterMs: 1 }));
  const generator = await lives.start(owner, spec(baseUrl));
  expect(await generator.ask('opened')).toBe(PLAYERS);
  const result = await generator.ask('load');
  const left = await generator.ask('end');

  const { init, sync, end } = result.endpoints;
  expect(sync).toMatchObject({ answered: 200, refused: 0 });
  // Half of the players' syncs are a life's last; the last ends and inits are not due any more.
  expect(end.answered).toBeGreaterThan(80);
  expect(init.answered).toBeGreaterThan(80);
  expect(result.events).toBe(200 * 20 + end.answered);
  expect(result.errors).toEqual({});
  expect(left.endpoints.end.answered + (left.errors['end: no session'] ?? 0)).toBe(PLAYERS);
  expect(seen.faults).toEqual([]);
  expect(seen.openSessions.size).toBe(0);
  expect(seen.players.size).toBe(KNOWN);
  expect(seen.counts).toEqual({
    [LIFE_PATHS.init]: PLAYERS + init.answered,
    [LIFE_PATHS.sync]: 200,
    [LIFE_PATHS.end]: end.answered + left.endpoints.end.answered,
  });
});

test('a player’s next request waits for the last one’s answer, and that waiting is in its latency', async () => {
  let stalled = false;
  const { baseUrl, seen } = await serve(({ path }) => {
    const isFirst = path === LIFE_PATHS.sync && !stalled;
    stalled ||= isFirst;
    return { status: 200, afterMs: isFirst ? 700 : 0 };
  });
  // One player, due every 100 ms, whose first sync takes as long as seven of them.
  const generator = await lives.start(owner, spec(baseUrl, { players: 1, syncsPerLife: 100, syncsPerSecond: 10 }));
  const { endpoints } = await generator.ask('load');
  expect(endpoints.sync.answered).toBe(10);
  expect(seen.faults).toEqual([]);
  expect(latencyAt(endpoints.sync.latency, 0.5)).toBeGreaterThan(150);
});

test('refusals and lost sessions are in the figures', async () => {
  const { baseUrl } = await serve(({ path, turn }) => ({
    status: path === LIFE_PATHS.init && turn % 2 === 0 ? 503 : 200,
    afterMs: 0,
  }));
  const generator = await lives.start(owner, spec(baseUrl, { syncsPerLife: 100 }));
  const result = await generator.ask('load');
  expect(await generator.ask('opened')).toBe(PLAYERS / 2);
  expect(result.endpoints.sync.answered).toBe(100);
  expect(result.errors).toEqual({ 'sync: no session': 100 });
});

test('without a rate, every connection is kept busy', async () => {
  const { baseUrl, seen } = await serve(() => ({ status: 200, afterMs: 100 }));
  const generator = await lives.start(owner, spec(baseUrl, { syncsPerSecond: undefined, seconds: 0.5 }));
  const { endpoints, errors } = await generator.ask('load');
  expect(errors).toEqual({});
  expect(seen.faults).toEqual([]);
  // One connection gets 5 answers in that time, and 16 get 80; other work on the machine costs some of them.
  expect(endpoints.sync.answered).toBeGreaterThan(32);
});
