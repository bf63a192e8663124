import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../core/kernel/text/json.ts';
import type { Answered, Call, Caller } from './caller.ts';
import { isObject, mergePatch, type ClientLog, type JsonObject, type PlayerLog } from './client-log.ts';
import type { Random } from '../random.ts';

export interface LoadClientOptions {
  /** Unique in the run. */
  name: string;
  players: number;
  caller: Caller;
  random: Random;
  /** Ends the load after the requests in progress. */
  stop: AbortSignal;
  /** Longest pause between two requests. */
  pauseMs: number;
  /** Milliseconds since the run began. */
  nowMs: () => number;
}

/** A client with its own players. It sends one request after another, each until it is acknowledged. */
export interface LoadClient {
  readonly log: ClientLog;
  /** Resolves when the load has stopped and the last request has ended. */
  readonly done: Promise<void>;
}

const OPERATIONS = { event: 55, batch: 15, patch: 10, register: 8, read: 12 } as const;
const EVENT_NAMES = ['level_up', 'match_end', 'coins_spent', 'item_bought'] as const;
/** Items of one batch, in order; several of them for one player. */
const BATCH_ITEMS = 12;

export function startLoadClient(options: LoadClientOptions): LoadClient {
  const { name, caller, random, stop, nowMs } = options;
  const log: ClientLog = {
    players: Array.from({ length: options.players }, (_, place) => ({
      externalId: `${name}-${place}`,
      id: '',
      attributes: {},
      email: null,
      events: [],
    })),
    violations: [],
  };
  let calls = 0;

  function violated(what: string, call: Call, answered: Answered): void {
    log.violations.push(
      `${Math.round(nowMs())} ms: ${what}: ${call.method} ${call.path} ${JSON.stringify(call.body)} ` +
        `(key ${call.idempotencyKey}, attempt ${answered.attempts}) → ${answered.status} ${answered.text.slice(0, 400)}`,
    );
  }

  /** Sends until answered. An answer with another status than these is a violation. */
  async function must(call: Call, statuses: readonly number[]): Promise<Answered | undefined> {
    const answered = await caller.call(call);
    if (answered === undefined) {
      log.violations.push(`${Math.round(nowMs())} ms: never answered: ${call.method} ${call.path}`);
      return undefined;
    }
    if (statuses.includes(answered.status)) return answered;
    violated('unexpected answer', call, answered);
    return undefined;
  }

  const freshKey = (): string => `${name}-key-${(calls += 1)}`;

  /** The player in an answer must equal the result of this client's acknowledged changes. */
  function compare(player: PlayerLog, call: Call, answered: Answered): void {
    const { attributes, email, external_id: externalId } = answered.data;
    const expected = { attributes: player.attributes, email: player.email, externalId: player.externalId };
    if (isDeepStrictEqual({ attributes, email, externalId }, expected)) return;
    violated(`the player should be ${JSON.stringify(expected)}`, call, answered);
  }

  async function register(player: PlayerLog): Promise<void> {
    const patch = somePatch(random);
    const call: Call = {
      method: 'POST',
      path: '/v1/players/players',
      key: 'server',
      body: { external_id: player.externalId, attributes: patch },
      idempotencyKey: freshKey(),
    };
    const answered = await must(call, player.id === '' ? [201] : [200]);
    if (answered === undefined) return;
    player.id = String(answered.data['id']);
    change(player, patch);
    compare(player, call, answered);
  }

  async function patch(player: PlayerLog): Promise<void> {
    const attributes = somePatch(random);
    const email = random.chance(0.3) ? `${player.externalId}.${calls}@example.com` : undefined;
    const call: Call = {
      method: 'PATCH',
      path: `/v1/players/players/${player.id}`,
      key: 'server',
      body: { attributes, ...(email === undefined ? {} : { email }) },
      idempotencyKey: freshKey(),
    };
    const answered = await must(call, [200]);
    if (answered === undefined) return;
    change(player, attributes);
    if (email !== undefined) player.email = email;
    compare(player, call, answered);
  }

  async function read(player: PlayerLog): Promise<void> {
    const call: Call = { method: 'GET', path: `/v1/players/players/${player.id}`, key: 'server' };
    const answered = await must(call, [200]);
    if (answered !== undefined) compare(player, call, answered);
  }

  /** Half of all events have an id, the others an Idempotency-Key: both are safe to retry. */
  async function event(player: PlayerLog): Promise<void> {
    const n = player.events.length;
    const own = random.chance(0.5);
    const call: Call = {
      method: 'POST',
      path: '/v1/events/events',
      key: 'client',
      body: eventBody(player, n, own),
      ...(own ? {} : { idempotencyKey: freshKey() }),
    };
    const answered = await must(call, [200]);
    if (answered === undefined) return;
    player.events.push({ eventId: String(answered.data['event_id']), n, ackedMs: nowMs() });
  }

  async function batch(): Promise<void> {
    const own = random.chance(0.5);
    const counters = new Map(log.players.map((player) => [player, player.events.length]));
    const items = Array.from({ length: random.between(2, BATCH_ITEMS) }, () => {
      const player = random.pick(log.players);
      const n = counters.get(player) ?? 0;
      counters.set(player, n + 1);
      return { player, n };
    });
    const call: Call = {
      method: 'POST',
      path: '/v1/events/events/batch',
      key: 'client',
      body: { events: items.map(({ player, n }) => eventBody(player, n, own)) },
      ...(own ? {} : { idempotencyKey: freshKey() }),
    };
    for (;;) {
      const answered = await must(call, [200]);
      if (answered === undefined) return;
      const results = resultsOf(answered);
      // A part whose partition had no owner is worth a retry; the other parts then count as repeats.
      if (results.some(({ status }) => status === 'unavailable')) continue;
      const taken = results.every(({ status }) => status === 'accepted' || status === 'duplicate');
      if (!taken || results.length !== items.length) violated('a batch was not taken whole', call, answered);
      for (const [index, { player, n }] of items.entries()) {
        player.events.push({ eventId: results[index]?.event_id ?? '', n, ackedMs: nowMs() });
      }
      return;
    }
  }

  function eventBody(player: PlayerLog, n: number, own: boolean) {
    return {
      player_id: player.id,
      event_name: random.pick(EVENT_NAMES),
      properties: { n, client: name },
      ...(own ? { event_id: `${player.externalId}-${n}` } : {}),
    };
  }

  async function run(): Promise<void> {
    for (const player of log.players) await register(player);
    while (!stop.aborted && log.violations.length === 0) {
      const player = random.pick(log.players);
      const operation = random.weighted(OPERATIONS);
      switch (operation) {
        case 'event':
          await event(player);
          break;
        case 'batch':
          await batch();
          break;
        case 'patch':
          await patch(player);
          break;
        case 'register':
          await register(player);
          break;
        case 'read':
          await read(player);
          break;
      }
      await delay(random.between(0, options.pauseMs));
    }
  }

  return { log, done: run() };
}

function change(player: PlayerLog, patch: JsonObject): void {
  const merged = mergePatch(player.attributes, patch);
  player.attributes = isObject(merged) ? merged : {};
}

/** A merge patch over a few names: numbers, strings, nested objects, and deletions. */
function somePatch(random: Random): JsonObject {
  const value = (): Json => {
    switch (random.between(0, 4)) {
      case 0:
        return random.between(0, 1_000_000);
      case 1:
        return random.pick(['SE', 'DE', 'JP', 'grüße']);
      case 2:
        return null;
      case 3:
        return [random.between(0, 9), { deep: true }];
      default:
        return { won: random.between(0, 99), [random.pick(['a', 'b'])]: random.chance(0.5) ? null : true };
    }
  };
  const names = ['level', 'country', 'stats', 'inventory', 'vip'] as const;
  return Object.fromEntries(Array.from({ length: random.between(1, 3) }, () => [random.pick(names), value()]));
}

function resultsOf(answered: Answered): { event_id: string; status: string }[] {
  const { results } = answered.data;
  return Array.isArray(results) ? results : [];
}
