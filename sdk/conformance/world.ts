import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, ClientKind, ClientOptions, Command, Look, StartCommand } from './client.ts';
import { type ConformanceServer, startServer } from './server.ts';

/*
 * A device whose time the scenario moves, with one client of one player, and the service.
 *
 * Owns the clock: the client's timers, the device's clock and the service's time follow it. So hours pass in
 * milliseconds, and when a request was sent is exact.
 */
export interface World {
  readonly server: ConformanceServer;
  readonly folder: string;
  /** Since the scenario began. */
  readonly nowMs: number;
  /** What the client reported, of all its runs. */
  readonly dropped: Look['dropped'];
  readonly problems: string[];
  readonly changes: string[];
  readonly messages: string[];
  readonly log: string[];
  /** Numbers of the events that `track` took, in order. */
  readonly tracked: number[];
  /** Starts the client as the game does; waits until it is idle. */
  start(options?: ClientOptions, player?: string): Promise<void>;
  /** Starts another client with faulty options, and ends it. @returns what it says of them */
  refusal(faulty: Partial<StartCommand>): Promise<unknown>;
  /** Tracks this many events, numbered on, and waits until they are stored. @returns the answers of `track` */
  track(count: number, name?: string, properties?: Record<string, unknown>): Promise<unknown[]>;
  run(command: Command): Promise<Look>;
  /** @param isWhole asks for a whole number where the language tells it from others */
  flag(key: string, fallback: unknown, isWhole?: boolean): Promise<unknown>;
  /** Moves the clock, and runs what comes due on the way. */
  pass(ms: number): Promise<void>;
  /** Moves the clock from timer to timer until the condition is true. */
  passUntil(what: string, isTrue: () => boolean, mostMs?: number): Promise<void>;
  kill(): Promise<void>;
  /** Time passes while no client runs. */
  sleep(ms: number): void;
  /** Shuts the client down, and waits until its process has ended. */
  quit(): Promise<void>;
  /** Sets the device's clock against the service's. */
  setDeviceClock(differenceMs: number): Promise<void>;
  close(): Promise<void>;
}

export const START_MS = Date.parse('2026-01-15T10:00:00Z');
/** In real time: a client that takes longer hangs. */
const REST_MS = 20_000;
const HOUR_MS = 3_600_000;
/** From the end of a run to the next: no game starts in the millisecond in which it ended. */
const LAUNCH_MS = 1000;

export async function createWorld(kind: ClientKind): Promise<World> {
  let nowMs = 0;
  let differenceMs = 0;
  let number = 0;
  let seed = 0;
  let client: Client | undefined;
  const folder = await mkdtemp(join(tmpdir(), 'player-analytics-conformance-'));
  const server = await startServer(() => START_MS + nowMs);

  async function run(command: Command): Promise<Look> {
    assert(client !== undefined, 'the client is not running');
    const look = await client.send(command);
    world.dropped.push(...look.dropped);
    world.problems.push(...look.problems);
    world.changes.push(...look.changes);
    world.messages.push(...look.messages);
    world.log.push(...look.log);
    return look;
  }

  /** Waits until the client has nothing to do but to wait for time, or for an answer that is held back. */
  async function rest(): Promise<Look> {
    const sinceMs = performance.now();
    for (;;) {
      const look = await run({ do: 'look' });
      const own = server.exchanges.filter(({ life, state }) => life === server.life && state !== 'over');
      const isHeld = own.length > 0 && own.every(({ state }) => state === 'held');
      if (!look.saving && (look.sending ? isHeld : true)) {
        if (look.dueMs !== 0) return look;
        await run({ do: 'advance', ms: 0 });
      }
      assert(performance.now() - sinceMs < REST_MS, `the client does not come to rest: ${JSON.stringify(look)}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function advance(ms: number): Promise<void> {
    nowMs += ms;
    await run({ do: 'advance', ms });
    await rest();
  }

  const world: World = {
    server,
    folder,
    dropped: [],
    problems: [],
    changes: [],
    messages: [],
    log: [],
    tracked: [],
    get nowMs() {
      return nowMs;
    },
    run: async (command) => {
      const look = await run(command);
      await rest();
      return look;
    },
    async start(options = {}, player = 'ann') {
      client = await kind.launch();
      nowMs += LAUNCH_MS;
      server.life += 1;
      seed += 1;
      const wallMs = START_MS + nowMs + differenceMs;
      const { url: baseUrl } = server;
      await run({ do: 'start', folder, baseUrl, key: 'pk_test_1', player, wallMs, seed, options });
      await rest();
    },
    async refusal(faulty) {
      const other = await kind.launch();
      const start = {
        folder,
        baseUrl: server.url,
        key: 'pk_test_1',
        player: 'ann',
        wallMs: START_MS,
        seed: 1,
        options: {},
      };
      const { result } = await other.send({ do: 'start', ...start, ...faulty });
      await other.kill();
      return result;
    },
    async track(count, name = 'step', properties = {}) {
      const results: unknown[] = [];
      for (let index = 0; index < count; index += 1) {
        number += 1;
        const { result } = await run({ do: 'track', name, properties: { n: number, ...properties } });
        if (result === true) world.tracked.push(number);
        results.push(result);
      }
      await rest();
      return results;
    },
    flag: async (key, fallback, isWhole = false) => (await run({ do: 'flag', key, fallback, isWhole })).result,
    async pass(ms) {
      const untilMs = nowMs + ms;
      for (let look = await rest(); look.dueMs !== null && nowMs + look.dueMs <= untilMs; look = await rest()) {
        await advance(look.dueMs);
      }
      await advance(untilMs - nowMs);
    },
    async passUntil(what, isTrue, mostMs = 2 * HOUR_MS) {
      const untilMs = nowMs + mostMs;
      while (!isTrue()) {
        const { dueMs } = await rest();
        if (isTrue()) return;
        assert(dueMs !== null && nowMs + dueMs <= untilMs, `${what}: not within ${mostMs / 1000} s`);
        await advance(dueMs);
      }
    },
    async kill() {
      await client?.kill();
      client = undefined;
    },
    sleep(ms) {
      nowMs += ms;
    },
    async quit() {
      await run({ do: 'quit' });
      await rest();
      await world.kill();
    },
    async setDeviceClock(difference) {
      const ms = difference - differenceMs;
      differenceMs = difference;
      if (client !== undefined) await run({ do: 'skew', ms });
    },
    async close() {
      await world.kill();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return world;
}
