import assert from 'node:assert/strict';
import type { Exchange } from './server.ts';
import type { World } from './world.ts';

/* What holds in every scenario, read from the record of the service. */

/** Events as a request carries them. */
interface SentEvent {
  event_id: unknown;
  properties?: { n?: unknown };
}

/** As docs/sdk.md says: of one request. */
const MOST_EVENTS = 50;
const MOST_BODY_BYTES = 64 * 1024;
/** The longest wait that a Retry-After may cause. */
const LONGEST_WAIT_MS = 3_600_000;

/** Lets the client send what it has, without faults, and checks everything. */
export async function finish(world: World, missing: ReadonlySet<number> = new Set()): Promise<void> {
  const { server } = world;
  server.tricks = [];
  server.always = () => 'ok';
  server.release();
  const expected = world.tracked.filter((n) => !missing.has(n));
  await world.passUntil('every event arrives', () => storedNumbers(world).length >= expected.length);
  // Whatever would be sent twice is sent by then.
  await world.pass(120_000);
  check(world, expected);
}

function check(world: World, expected: readonly number[]): void {
  assert.deepEqual(storedNumbers(world), expected, 'each event once, in the order in which they were tracked');
  const ids = new Map<unknown, unknown>();
  for (const event of world.server.exchanges.flatMap(sentEvents)) {
    const n = event.properties?.n;
    assert(typeof event.event_id === 'string' && event.event_id !== '', 'an event without an id');
    assert.equal(ids.get(n) ?? event.event_id, event.event_id, `event ${String(n)} changed its id`);
    ids.set(n, event.event_id);
  }
  assert.equal(new Set(ids.values()).size, ids.size, 'two events have one id');
  checkRequests(world.server.exchanges);
}

function checkRequests(exchanges: readonly Exchange[]): void {
  const byKey = new Map<string, string>();
  for (const exchange of exchanges) {
    const { key, path, text } = exchange;
    assert(!exchange.overlaps, `two requests at the same time: ${path}`);
    assert(sentEvents(exchange).length <= MOST_EVENTS, `${sentEvents(exchange).length} events in one request`);
    assert(Buffer.byteLength(text) <= MOST_BODY_BYTES || sentEvents(exchange).length <= 1, 'a body above 64 KiB');
    if (key === undefined) continue;
    assert.equal(byKey.get(key) ?? path + text, path + text, 'a repeat under the same Idempotency-Key differs');
    byKey.set(key, path + text);
  }
  for (const [index, { life, atMs, trick }] of exchanges.entries()) {
    const waitMs = retryAfterMs(trick);
    const next = exchanges[index + 1];
    if (waitMs === undefined || next === undefined || next.life !== life) continue;
    assert(next.atMs - atMs >= waitMs, `a request ${next.atMs - atMs} ms after a Retry-After of ${waitMs} ms`);
  }
}

function retryAfterMs(trick: Exchange['trick']): number | undefined {
  if (typeof trick !== 'object' || !('headers' in trick)) return undefined;
  const seconds = Number(trick.headers?.['Retry-After']);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, LONGEST_WAIT_MS) : undefined;
}

export function sentEvents({ body }: Exchange): SentEvent[] {
  const events = body['events'] ?? body['final_events'];
  return Array.isArray(events) ? events : [];
}

/** Numbers of the stored events, in the order of the service. */
export function storedNumbers({ server }: World): unknown[] {
  return server.service.events.map(({ properties }) => Object(properties).n);
}

/** When requests to this path came, on the world's clock. */
export function timesOf({ server }: World, path: string): number[] {
  return server.exchanges.filter((each) => each.path.endsWith(path)).map(({ atMs }) => atMs);
}
