import { describe, expect, it } from 'vitest';
import { PROCESS_LIMITS } from '../../../src/process/limits.ts';
import { createWebhooksWorld, levelOf, MINUTE_MS } from '../../../test/support/in-memory/webhooks-world.ts';
import { aTrackedEvent, commit } from '../testing-commits.ts';
import type { AttemptOutcome } from './delivery/sender.ts';
import { aWebhook, answered, type FakeSender, type SeenAttempt } from './testing-webhooks.ts';

/* Records of DELIVERIES with several deliveries: what becomes of one of them does not affect the others. */

const COUNT = 20;
const HUNG = 7;

type World = ReturnType<typeof createWebhooksWorld>;

/** A world with one webhook; `commitAll` commits `COUNT` events in one record. */
function setUp(options: Parameters<typeof createWebhooksWorld>[0] = {}) {
  const world = createWebhooksWorld(options);
  world.config.set(aWebhook());
  const commitAll = (from = 0) =>
    commit(
      world.writer,
      Array.from({ length: COUNT }, (_, i) =>
        aTrackedEvent({ eventId: `e${from + i}`, properties: `{"level":${from + i}}` }),
      ),
      { configRevision: world.config.revision },
    );
  return { ...world, commitAll };
}

const isHung = ({ body }: SeenAttempt): boolean => levelOf(body.data) === HUNG;
const levelsOf = (...senders: FakeSender[]): number[] =>
  senders
    .flatMap(({ attempts }) => attempts)
    .map(({ body }) => Number(levelOf(body.data)))
    .toSorted((a, b) => a - b);
const ALL = Array.from({ length: COUNT }, (_, i) => i);

/** An answer that comes after a time. */
const after = ({ clock }: Pick<World, 'clock'>, delayMs: number, outcome: AttemptOutcome): Promise<AttemptOutcome> =>
  new Promise((resolve) => void clock.timer(delayMs, () => resolve(outcome)));

describe('deliveries of one record', () => {
  it('are each delivered once, under ids of their own, with one append and one acknowledgement', async () => {
    const { clock, broker, commitAll, process, waiting } = setUp();
    const { sender } = process('sink');
    await commitAll();
    await clock.advance(5_000);
    expect(levelsOf(sender)).toEqual(ALL);
    expect(new Set(sender.attempts.map(({ body }) => body.id)).size).toBe(COUNT);
    expect(broker.stream('DELIVERIES').bounds().lastSequence).toBe(1);
    expect(waiting()).toBe(0);
  });

  it('a failed one is retried alone, the others are not', async () => {
    const { clock, commitAll, process, waiting, outcomes } = setUp();
    const { sender } = process('sink');
    sender.answer = (attempt) => answered(isHung(attempt) && attempt.body.metadata.delivery_attempt === 1 ? 500 : 200);
    await commitAll();
    await clock.advance(1_000);
    expect(waiting()).toBe(1);
    await clock.advance(2 * MINUTE_MS);
    expect(levelsOf(sender)).toEqual([...ALL, HUNG].toSorted((a, b) => a - b));
    expect(await outcomes()).toEqual({ delivered: COUNT, failed: 1 });
    expect(waiting()).toBe(0);
  });

  it('one that hangs longer than the ack wait holds no other, and nothing is repeated', async () => {
    const world = setUp();
    const { clock, commitAll, process, waiting } = world;
    const { sender } = process('sink');
    sender.answer = (attempt) => (isHung(attempt) ? after(world, 29_000, answered(200)) : answered(200));
    await commitAll();
    await clock.advance(100);
    expect(levelsOf(sender)).toEqual(ALL);
    await clock.advance(5 * MINUTE_MS);
    expect(levelsOf(sender)).toEqual(ALL);
    expect(waiting()).toBe(0);
  });

  it('a process that dies while one hangs repeats only that one', async () => {
    const world = setUp();
    const { clock, commitAll, process, waiting } = world;
    const first = process('first');
    first.sender.answer = (attempt) => (isHung(attempt) ? new Promise(() => {}) : answered(200));
    await commitAll();
    await clock.advance(25_000);
    first.kill();
    const second = process('second');
    await clock.advance(5 * MINUTE_MS);
    expect(levelsOf(second.sender)).toEqual([HUNG]);
    expect(levelsOf(first.sender)).toEqual(ALL);
    const [ofHung] = second.sender.attempts;
    expect(first.sender.attempts.find(isHung)?.body.id).toBe(ofHung?.body.id);
    expect(waiting()).toBe(0);
  });

  it('a process that stops while one hangs leaves only that one to others, at once', async () => {
    const world = setUp();
    const { clock, commitAll, process, waiting } = world;
    const first = process('first');
    first.sender.answer = (attempt) => (isHung(attempt) ? new Promise(() => {}) : answered(200));
    await commitAll();
    await clock.advance(10);
    const stopped = first.webhooks.stop();
    await clock.advance(PROCESS_LIMITS.shutdownMs);
    await stopped;
    const second = process('second');
    await clock.advance(5_000);
    expect(levelsOf(second.sender)).toEqual([HUNG]);
    await clock.advance(MINUTE_MS);
    expect(waiting()).toBe(0);
  });

  it('stay in the queue if the process dies before any answer', async () => {
    const { clock, commitAll, process, waiting } = setUp();
    const first = process('first');
    first.sender.answer = () => new Promise(() => {});
    await commitAll();
    await clock.advance(3_000);
    first.kill();
    const second = process('second');
    await clock.advance(MINUTE_MS);
    expect(levelsOf(second.sender)).toEqual(ALL);
    expect(waiting()).toBe(0);
  });

  it('are dropped, each by itself, once the webhook is disabled or the player erased', async () => {
    const world = setUp();
    const { clock, config, writer, process, waiting, outcomes } = world;
    const first = process('first');
    first.sender.answer = () => new Promise(() => {});
    const players = ['stays', 'erased'].map((entityId) => aTrackedEvent({ entityId, eventId: entityId }));
    await commit(writer, players, { configRevision: config.revision });
    await clock.advance(100);
    first.kill();
    const at = clock.wallMs();
    const erasure = { kind: 'PlayerErased', game: 'demo', environment: 'live', entityId: 'erased', at } as const;
    await commit(writer, [erasure], { configRevision: config.revision });
    const second = process('second');
    await clock.advance(MINUTE_MS);
    expect(second.sender.attempts.map(({ body }) => body.data['player_id'])).toEqual(['stays']);
    expect(await outcomes()).toEqual({ delivered: 1, dropped: 1 });
    expect(waiting()).toBe(0);
  });

  it('are lost by no fault of the broker’s answers, and a remainder that cannot be stored holds nothing', async () => {
    let count = 0;
    const world = setUp({
      faults: {
        onAppend: ({ stream }) => {
          if (stream !== 'DELIVERIES') return 'deliver';
          count += 1;
          return (['lose_ack', 'lose_request', 'deliver'] as const)[count % 3] ?? 'deliver';
        },
      },
    });
    const { clock, commitAll, process, waiting } = world;
    const { sender } = process('sink');
    sender.answer = (attempt) => (isHung(attempt) ? after(world, 10_000, answered(200)) : answered(200));
    await commitAll();
    await clock.advance(5 * MINUTE_MS);
    expect(levelsOf(sender)).toEqual(ALL);
    expect(waiting()).toBe(0);
  });

  it('a process that dies while it delivers to a slow receiver repeats only what was under way', async () => {
    const world = setUp();
    const { clock, commitAll, process, waiting } = world;
    const records = 10;
    const [first, second] = [process('first'), process('second')];
    second.log.disconnect();
    for (const { sender } of [first, second]) sender.answer = () => after(world, 900, answered(200));
    for (let n = 0; n < records; n++) await commitAll(n * COUNT);
    await clock.advance(3_000);
    const { length: made } = first.sender.attempts;
    const underWay = first.sender.inFlight;
    expect(made - underWay).toBeGreaterThan(COUNT);
    first.kill();
    second.log.reconnect();
    await clock.advance(10 * MINUTE_MS);
    const total = records * COUNT;
    expect(new Set(levelsOf(first.sender, second.sender)).size).toBe(total);
    expect(second.sender.attempts).toHaveLength(total - made + underWay);
    expect(waiting()).toBe(0);
  });
});
