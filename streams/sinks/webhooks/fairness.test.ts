import { describe, expect, it } from 'vitest';
import { createWebhooksWorld, levelOf, MINUTE_MS } from '../../../test/support/in-memory/webhooks-world.ts';
import { decodeJson } from '../../../core/codec/codec.ts';
import type { MemoryFaults } from '../../log/memory/log-memory.ts';
import { aTrackedEvent, commit } from '../testing-commits.ts';
import { aWebhook, answered, type SeenAttempt } from './testing-webhooks.ts';

/** How the deliveries of one game affect those of another, with the sizes of attacks that once succeeded. */

const BATCH_EVENTS = 100;
const WEBHOOKS = 90;
/** Concurrent batches, and webhooks, that make a game lag. */
const BATCHES = 14;
const HOOKS = 3;
const LATENCY_MS = 1;

type World = ReturnType<typeof createWebhooksWorld>;

function setUp(options: Parameters<typeof createWebhooksWorld>[0] = {}) {
  const world = createWebhooksWorld({ faults: { latencyMs: () => LATENCY_MS }, ...options });
  for (let i = 0; i < WEBHOOKS; i++) {
    world.config.set(aWebhook({ id: `wh_a${i}`, url: `http://a${i}.test/`, events: ['*'] }), 'live', 'attacker');
  }
  world.config.set(aWebhook({ id: 'wh_b', url: 'http://b.test/', events: ['*'] }), 'live', 'other');
  return world;
}

/** Commits a batch of events of the attacking game, as large as a request body may be. */
async function batch(
  { writer, config }: World,
  number: number,
  events = BATCH_EVENTS,
  bytes = 10 * 1024,
): Promise<void> {
  const text = 'x'.repeat(bytes);
  const facts = Array.from({ length: events }, (_, i) =>
    aTrackedEvent({ game: 'attacker', properties: `{"level":${number * events + i},"text":"${text}"}` }),
  );
  await commit(writer, facts, { configRevision: config.revision });
}

/** Commits an event of the other game and returns the delay of its delivery, in milliseconds of the clock. */
async function delayOfOther({ clock, writer, config }: World, attempts: SeenAttempt[], level: number): Promise<number> {
  const fromMs = clock.monotonicMs();
  void commit(writer, [aTrackedEvent({ game: 'other', properties: `{"level":${level}}` })], {
    configRevision: config.revision,
  });
  const isThere = () => attempts.some(({ url, body }) => url.includes('b.test') && levelOf(body.data) === level);
  await clock.advanceUntil(isThere, 10 * MINUTE_MS, 1);
  expect(isThere()).toBe(true);
  return clock.monotonicMs() - fromMs;
}

describe('a flood of one game’s deliveries', () => {
  it('two batches of 100 events for 90 webhooks delay a delivery of another game by a few of their own', async () => {
    const world = setUp();
    const { sender } = world.process('sink');
    await world.clock.advance(1_000);
    const alone = await delayOfOther(world, sender.attempts, 1);
    sender.attempts.length = 0;
    await Promise.all([batch(world, 0), batch(world, 1), world.clock.advance(3 * LATENCY_MS)]);
    const beside = await delayOfOther(world, sender.attempts, 2);
    const before = sender.attempts.filter(({ url }) => !url.includes('b.test')).length;
    expect(before).toBeLessThan(1_500);
    expect(beside).toBeLessThanOrEqual(alone + 60);
  }, 120_000);

  it('a game with too many deliveries gets its own reader, and loses and repeats nothing, also across a crash', async () => {
    const world = setUp();
    const { clock, config, broker } = world;
    for (let i = HOOKS; i < WEBHOOKS; i++) config.remove(`wh_a${i}`);
    const first = world.process('first');
    await clock.advance(1_000);
    for (let number = 0; number < BATCHES; number++) void batch(world, number);
    await clock.advance(10 * LATENCY_MS);
    expect(await delayOfOther(world, first.sender.attempts, 10_000)).toBeLessThanOrEqual(60);
    const position = (): unknown => {
      const { value } = broker.bucket('POSITIONS').get('webhooks') ?? {};
      return value === undefined ? undefined : decodeJson(value);
    };
    const isBehind = () => (JSON.stringify(position()) ?? '').includes('attacker');
    await clock.advanceUntil(isBehind, 1_000, 1);
    first.kill();
    const second = world.process('second');
    await clock.advance(5_000);
    expect(await delayOfOther(world, second.sender.attempts, 20_000)).toBeLessThanOrEqual(60);
    const total = BATCHES * BATCH_EVENTS * HOOKS;
    const idsOf = () => {
      const all = [...first.sender.attempts, ...second.sender.attempts].filter(({ url }) => !url.includes('b.test'));
      return new Set(all.map(({ body }) => body.id));
    };
    await clock.advanceUntil(() => idsOf().size >= total, 10 * MINUTE_MS, 1_000);
    await clock.advance(MINUTE_MS);
    expect(idsOf().size).toBe(total);
    const { created, lastSequence } = broker.stream('FACTS').bounds();
    expect(position()).toEqual({ stream: created, sequence: lastSequence });
  }, 120_000);

  it('a game that lags does not keep records whose room FACTS needs: they overflow, and other games miss nothing', async () => {
    // DELIVERIES answers nothing for three seconds, so the game falls behind.
    let silent = false;
    const faults: MemoryFaults = {
      latencyMs: () => LATENCY_MS,
      onAppend: ({ stream }) => (silent && stream === 'DELIVERIES' ? 'lose_request' : 'deliver'),
    };
    const world = setUp({ faults });
    const { clock, config, broker } = world;
    for (let i = HOOKS; i < WEBHOOKS; i++) config.remove(`wh_a${i}`);
    const { sender } = world.process('sink');
    await clock.advance(1_000);
    for (let number = 0; number < 2 * BATCHES; number++) void batch(world, number);
    silent = true;
    await clock.advance(10 * LATENCY_MS);
    const { sizeBytes } = broker.stream('FACTS').bounds();
    Object.assign(broker.stream('FACTS').definition, { maxBytes: 1.1 * sizeBytes });
    await clock.advance(3_000);
    silent = false;
    await clock.advance(3_000);
    expect(await delayOfOther(world, sender.attempts, 10_000)).toBeLessThanOrEqual(60);
    await clock.advance(10 * MINUTE_MS);
    const ofAttacker = new Set(sender.attempts.filter(({ url }) => !url.includes('b.test')).map(({ body }) => body.id));
    expect(ofAttacker.size).toBeLessThan(2 * BATCHES * BATCH_EVENTS * HOOKS);
    expect(ofAttacker.size).toBeGreaterThan(0);
    const { value } = broker.bucket('POSITIONS').get('webhooks') ?? {};
    const { created, lastSequence } = broker.stream('FACTS').bounds();
    expect(value === undefined ? undefined : decodeJson(value)).toEqual({ stream: created, sequence: lastSequence });
  }, 120_000);

  it('thirty batches to unreachable receivers delay no other game and do not fill DELIVERIES', async () => {
    const deliveriesBytes = 20 * 1024 * 1024;
    const world = setUp({ deliveriesBytes });
    const { sender } = world.process('sink');
    sender.answer = ({ url }) => answered(url.includes('b.test') ? 200 : 500);
    for (let number = 0; number < 30; number++) {
      await Promise.all([batch(world, number, 10, 10 * 1024), world.clock.advance(3 * LATENCY_MS)]);
      await world.clock.advance(200);
      if (number % 10 === 9) expect(await delayOfOther(world, sender.attempts, number)).toBeLessThanOrEqual(100);
    }
    await world.clock.advance(5_000);
    expect(world.broker.stream('DELIVERIES').bounds().sizeBytes).toBeLessThan(0.75 * deliveriesBytes);
  }, 120_000);
});
