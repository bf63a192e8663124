import { array, assert, asyncProperty, integer } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RECOVERY_LIMITS } from './limits.ts';
import { createWebhooksWorld, levelOf, MINUTE_MS } from '../../../../test/support/in-memory/webhooks-world.ts';
import { aTrackedEvent, commit } from '../../testing-commits.ts';
import { sequenceAt } from './sequence-at.ts';
import { aWebhook, answered, type FakeSender } from '../testing-webhooks.ts';

type World = ReturnType<typeof createWebhooksWorld>;

const event = (level: number, some: Parameters<typeof aTrackedEvent>[0] = {}) =>
  aTrackedEvent({ eventId: `e${level}`, properties: `{"level":${level}}`, ...some });

/** Commits events one by one, a second apart. */
async function track({ writer, clock }: World, from: number, to: number): Promise<void> {
  for (let level = from; level <= to; level++) {
    await commit(writer, [event(level)], { configRevision: 1 });
    await clock.advance(1_000);
  }
}

const levels = (sender: FakeSender) => sender.attempts.map(({ body }) => Number(levelOf(body.data)));
const idsByLevel = (sender: FakeSender) => new Map(sender.attempts.map(({ body }) => [levelOf(body.data), body.id]));
const defined = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the value is undefined');
  return value;
};

describe('a recovery', () => {
  it('delivers the facts since a time again, under their ids, with attempts from 1', async () => {
    const world = createWebhooksWorld();
    const { clock, config, process, operations, entry, resolved } = world;
    config.set(aWebhook({ retryPolicy: { maxRetries: 0, backoff: 'none' } }));
    const { sender } = process('sink');
    await track(world, 1, 5);
    const sinceMs = clock.wallMs();
    sender.answer = () => answered(500);
    await track(world, 6, 9);
    sender.answer = () => answered(200);
    const before = idsByLevel(sender);
    sender.attempts.length = 0;
    const gateway = operations();
    const begun = await resolved(gateway.recover(defined(entry('wh_1')), sinceMs));
    expect(begun).toMatchObject({ kind: 'begun', recovery: { state: 'running', since: sinceMs, total: 4, queued: 0 } });
    await clock.advance(RECOVERY_LIMITS.recoverySeamMs + 2_000);
    expect(levels(sender).toSorted((a, b) => a - b)).toEqual([6, 7, 8, 9]);
    for (const [level, id] of idsByLevel(sender)) expect(id).toBe(before.get(level));
    expect(new Set(sender.attempts.map(({ body }) => body.metadata.delivery_attempt))).toEqual(new Set([1]));
    const ended = await resolved(gateway.recovery(defined(entry('wh_1'))));
    expect(ended).toMatchObject({ state: 'done', scanned: 4, total: 4, queued: 4, finishedAt: expect.any(Number) });
  });

  it('queues facts from the time the webhook was disabled, and misses none between recovery and matcher', async () => {
    const world = createWebhooksWorld();
    const { clock, config, process, operations, entry, resolved } = world;
    const { revision: createdRevision } = config.set(aWebhook());
    const { sender } = process('sink');
    const sinceMs = clock.wallMs();
    config.set(aWebhook({ enabled: false, version: 2, createdRevision }));
    await track(world, 1, 4);
    config.set(aWebhook({ enabled: true, version: 3, createdRevision }));
    void resolved(operations().recover(defined(entry('wh_1')), sinceMs));
    await track(world, 5, 12);
    await clock.advance(30_000);
    expect([...new Set(levels(sender))].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect(idsByLevel(sender).size).toBe(new Set(sender.attempts.map(({ body }) => body.id)).size);
  });

  it('respects the webhook’s kinds, filters and creation, and skips erased players', async () => {
    const world = createWebhooksWorld();
    const { clock, config, writer, process, operations, entry, resolved } = world;
    config.set(aWebhook({ id: 'other' }));
    await commit(writer, [event(1)], { configRevision: 1 });
    config.set(aWebhook({ events: ['level_up'], filters: { 'properties.level': { lt: 10 } } }));
    const { sender } = process('sink');
    const erased = '00000000-0000-5000-8000-00000000000e';
    const at = clock.wallMs();
    await commit(
      writer,
      [
        event(2),
        event(11),
        event(3, { eventName: 'login' }),
        event(4, { entityId: erased }),
        { kind: 'PlayerErased', game: 'demo', environment: 'live', entityId: erased, at },
        event(5, { entityId: erased }),
        event(6, { environment: 'test' }),
      ],
      { configRevision: 2 },
    );
    await clock.advance(1_000);
    sender.attempts.length = 0;
    await resolved(operations().recover(defined(entry('wh_1')), 0));
    await clock.advance(20_000);
    expect(levels(sender).toSorted((a, b) => a - b)).toEqual([2, 5]);
    expect(sender.attempts.every(({ body }) => body.metadata.webhook_id === 'wh_1')).toBe(true);
  });

  it('runs once at a time for a webhook; another one may follow', async () => {
    const world = createWebhooksWorld();
    const { clock, config, process, operations, entry, resolved } = world;
    config.set(aWebhook());
    process('sink');
    await track(world, 1, 2);
    const [a, b] = [operations(), operations()];
    const requests = [a.recover(defined(entry('wh_1')), 0), b.recover(defined(entry('wh_1')), 0)];
    const outcomes = await resolved(Promise.all(requests));
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['begun', 'running']);
    const ids = outcomes.map((outcome) => (outcome.kind === 'unavailable' ? '' : outcome.recovery.id));
    expect(new Set(ids).size).toBe(1);
    await clock.advance(20_000);
    const next = await resolved(a.recover(defined(entry('wh_1')), 0));
    expect(next.kind).toBe('begun');
  });

  it('continues after the death of its process, and queues nothing under another id', async () => {
    const world = createWebhooksWorld();
    const { clock, config, writer, process, operations, entry, resolved } = world;
    config.set(aWebhook());
    const first = process('first');
    const total = 3 * RECOVERY_LIMITS.recoveryPerSecond;
    for (let record = 0; record < 30; record++) {
      const facts = Array.from({ length: total / 30 }, (_, i) => event((record * total) / 30 + i));
      await commit(writer, facts, { configRevision: 1 });
    }
    await clock.advance(5_000);
    const ids = idsByLevel(first.sender);
    expect(ids.size).toBe(total);
    first.sender.attempts.length = 0;
    await resolved(operations().recover(defined(entry('wh_1')), 0));
    await clock.advanceUntil(() => first.sender.attempts.length > total / 3, 60_000, 100);
    first.kill();
    const second = process('second');
    await clock.advance(40_000);
    // Only the deliveries past the document's position are queued again.
    expect(second.sender.attempts.length).toBeGreaterThan(0);
    expect(second.sender.attempts.length).toBeLessThan(total);
    const again = new Map([...idsByLevel(first.sender), ...idsByLevel(second.sender)]);
    expect(again).toEqual(ids);
    const ended = await resolved(operations().recovery(defined(entry('wh_1'))));
    expect(ended).toMatchObject({ state: 'done' });
  });

  it('says from when the log still has facts, if it was trimmed past `since`', async () => {
    const world = createWebhooksWorld();
    const { clock, broker, config, process, operations, entry, resolved } = world;
    config.set(aWebhook());
    const { sender } = process('sink');
    const sinceMs = clock.wallMs();
    await track(world, 1, 6);
    sender.attempts.length = 0;
    broker.stream('FACTS').purgeBelow(4);
    const availableSince = broker.stream('FACTS').get(4)?.storedAtMs;
    const gateway = operations();
    const begun = await resolved(gateway.recover(defined(entry('wh_1')), sinceMs));
    expect(begun).toMatchObject({ kind: 'begun', recovery: { total: 3, availableSince } });
    await clock.advance(RECOVERY_LIMITS.recoverySeamMs + 2_000);
    expect(levels(sender)).toEqual([4, 5, 6]);
    expect(await resolved(gateway.recovery(defined(entry('wh_1'))))).toMatchObject({ state: 'done', availableSince });
    const later = await resolved(gateway.recover(defined(entry('wh_1')), defined(availableSince) + 1));
    expect(later).toMatchObject({ kind: 'begun', recovery: { total: 2, availableSince: null } });
  });

  it('continues behind records that are trimmed while it runs, and says so', async () => {
    const world = createWebhooksWorld();
    const { clock, broker, config, writer, process, operations, entry, resolved } = world;
    config.set(aWebhook());
    const first = process('first');
    const perRecord = RECOVERY_LIMITS.recoveryPerSecond / 10;
    for (let record = 0; record < 400; record++) {
      const facts = Array.from({ length: perRecord }, (_, i) => event(record * perRecord + i));
      await commit(writer, facts, { configRevision: 1 });
    }
    await clock.advance(10_000);
    first.sender.attempts.length = 0;
    const gateway = operations();
    await resolved(gateway.recover(defined(entry('wh_1')), 0));
    await clock.advance(3_000);
    first.kill();
    broker.stream('FACTS').purgeBelow(301);
    const second = process('second');
    await clock.advance(60_000);
    const ended = await resolved(gateway.recovery(defined(entry('wh_1'))));
    expect(ended).toMatchObject({ state: 'done', availableSince: broker.stream('FACTS').get(301)?.storedAtMs });
    const again = new Set([...levels(first.sender), ...levels(second.sender)]);
    const kept = Array.from({ length: 100 * perRecord }, (_, i) => 300 * perRecord + i);
    expect(kept.filter((level) => !again.has(level))).toEqual([]);
  });

  it('stops when the webhook is disabled, or FACTS was created again', async () => {
    const world = createWebhooksWorld();
    const { clock, broker, config, process, operations, entry, resolved } = world;
    const { revision: createdRevision } = config.set(aWebhook());
    await track(world, 1, 2);
    const gateway = operations();
    await resolved(gateway.recover(defined(entry('wh_1')), 0));
    config.set(aWebhook({ enabled: false, version: 2, createdRevision }));
    process('sink');
    await clock.advance(20_000);
    expect(await resolved(gateway.recovery(defined(entry('wh_1'))))).toMatchObject({ state: 'stopped', queued: 0 });
    config.set(aWebhook({ version: 3, createdRevision }));
    await resolved(gateway.recover(defined(entry('wh_1')), 0));
    broker.wipe('FACTS', 'new');
    await clock.advance(20_000);
    expect(await resolved(gateway.recovery(defined(entry('wh_1'))))).toMatchObject({ state: 'stopped' });
  });

  it('waits at a record that cannot be decoded, and skips nothing', async () => {
    const world = createWebhooksWorld();
    const { clock, config, writer, process, operations, entry, resolved } = world;
    config.set(aWebhook());
    const { sender } = process('sink');
    await track(world, 1, 1);
    await writer.append('facts.0', Buffer.from('no record'));
    await track(world, 2, 2);
    sender.attempts.length = 0;
    const gateway = operations();
    await resolved(gateway.recover(defined(entry('wh_1')), 0));
    await clock.advance(20_000);
    expect(levels(sender)).toContain(1);
    expect(levels(sender)).not.toContain(2);
    expect(await resolved(gateway.recovery(defined(entry('wh_1'))))).toMatchObject({ state: 'running' });
  });

  it('is unavailable while the broker is disconnected', async () => {
    const { config, operations, entry, resolved } = createWebhooksWorld();
    config.set(aWebhook());
    const gateway = operations();
    gateway.log.disconnect();
    expect(await resolved(gateway.recover(defined(entry('wh_1')), 0))).toEqual({ kind: 'unavailable' });
    expect(await resolved(gateway.recovery(defined(entry('wh_1'))))).toBe('unavailable');
  });
});

describe('the first record at or after a time', () => {
  it('is found for random times, also in a trimmed log', async () => {
    const gaps = array(integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 30 });
    await assert(
      asyncProperty(gaps, integer({ min: -1, max: 60 }), integer({ min: 0, max: 20 }), async (delays, at, trimmed) => {
        const { clock, broker, writer, resolved } = createWebhooksWorld();
        const startMs = clock.wallMs();
        const times: number[] = [];
        for (const delayMs of delays) {
          await clock.advance(delayMs);
          times.push(clock.wallMs() - startMs);
          await commit(writer, [aTrackedEvent()]);
        }
        broker.stream('FACTS').purgeBelow(Math.min(trimmed, times.length));
        const bounds = broker.stream('FACTS').bounds();
        const expected = times.findIndex((time, i) => time >= at && i + 1 >= bounds.firstSequence);
        const found = await resolved(sequenceAt(writer, bounds, startMs + at));
        expect(found).toBe(expected === -1 ? times.length + 1 : expected + 1);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a redelivery', () => {
  it('repeats the delivery of one fact under its id; a repeated request queues nothing', async () => {
    const world = createWebhooksWorld();
    const { clock, config, process, operations, entry, resolved, logged } = world;
    config.set(aWebhook({ retryPolicy: { maxRetries: 0, backoff: 'none' } }));
    const { sender } = process('sink');
    sender.answer = () => answered(500);
    await track(world, 1, 2);
    const row = defined(logged().find(({ outcome }) => outcome === 'exhausted'));
    sender.answer = () => answered(200);
    sender.attempts.length = 0;
    const gateway = operations();
    const requests = [1, 2].map(() => gateway.redeliver(defined(entry('wh_1')), row.place, 'request-1'));
    const queued = { kind: 'queued', deliveryId: row.deliveryId };
    expect(await resolved(Promise.all(requests))).toEqual([queued, queued]);
    await clock.advance(1_000);
    expect(sender.attempts.map(({ body }) => [body.id, levelOf(body.data)])).toEqual([[row.deliveryId, 1]]);
    expect(await resolved(gateway.redeliver(defined(entry('wh_1')), row.place, 'request-2'))).toEqual(queued);
    await clock.advance(1_000);
    expect(sender.attempts).toHaveLength(2);
  });

  it('has its own retries, even right after those of the first delivery', async () => {
    const world = createWebhooksWorld();
    const { clock, config, process, operations, entry, resolved, logged, waiting } = world;
    config.set(aWebhook({ retryPolicy: { maxRetries: 3, backoff: 'none' } }));
    const { sender } = process('sink');
    sender.answer = () => answered(500);
    await track(world, 1, 1);
    expect(sender.attempts).toHaveLength(4);
    await resolved(operations().redeliver(defined(entry('wh_1')), defined(logged()[0]).place, 'request-1'));
    await clock.advance(1_000);
    expect(sender.attempts.map(({ body }) => body.metadata.delivery_attempt)).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
    expect(waiting()).toBe(0);
  });

  it('is gone when FACTS no longer holds the fact, and for a fact of another game', async () => {
    const world = createWebhooksWorld();
    const { broker, config, writer, operations, entry, resolved } = world;
    config.set(aWebhook());
    const sequence = await commit(writer, [event(1), event(2, { game: 'other' })], { configRevision: 1 });
    await commit(writer, [event(3)], { configRevision: 1 });
    const { created } = broker.stream('FACTS').bounds();
    const gateway = operations();
    const redeliver = (place: Parameters<typeof gateway.redeliver>[1]) =>
      resolved(gateway.redeliver(defined(entry('wh_1')), place, 'r'));
    expect(await redeliver({ created, sequence, index: 1 })).toEqual({ kind: 'gone' });
    expect(await redeliver({ created, sequence, index: 7 })).toEqual({ kind: 'gone' });
    expect(await redeliver({ created: '2020-01-01T00:00:00Z', sequence, index: 0 })).toEqual({ kind: 'gone' });
    expect(await redeliver({ created, sequence, index: 0 })).toMatchObject({ kind: 'queued' });
    broker.stream('FACTS').purgeBelow(sequence + 1);
    expect(await redeliver({ created, sequence, index: 0 })).toEqual({ kind: 'gone' });
  });

  it('is unavailable while the record is of a newer version', async () => {
    const { broker, config, writer, operations, entry, resolved } = createWebhooksWorld();
    config.set(aWebhook());
    await writer.append('facts.0', Buffer.from([9, 0x90]));
    const place = { created: broker.stream('FACTS').bounds().created, sequence: 1, index: 0 };
    expect(await resolved(operations().redeliver(defined(entry('wh_1')), place, 'r'))).toEqual({ kind: 'unavailable' });
  });

  it('is refused for an erased player', async () => {
    const world = createWebhooksWorld();
    const { clock, broker, config, writer, process, operations, entry, resolved } = world;
    config.set(aWebhook());
    process('sink');
    const sequence = await commit(writer, [event(1)], { configRevision: 1 });
    const { entityId } = event(1);
    const at = clock.wallMs();
    await commit(writer, [{ kind: 'PlayerErased', game: 'demo', environment: 'live', entityId, at }]);
    await clock.advance(11 * MINUTE_MS);
    const { created } = broker.stream('FACTS').bounds();
    const outcome = resolved(operations().redeliver(defined(entry('wh_1')), { created, sequence, index: 0 }, 'r'));
    expect(await outcome).toEqual({ kind: 'erased' });
  });
});

describe('a test', () => {
  it.each<[string, string]>([
    ['*', 'event.sample_event'],
    ['player.*', 'player.created'],
  ])('of %s sends one signed sample of %s', async (pattern, type) => {
    const { config, operations, entry, resolved, waiting } = createWebhooksWorld();
    config.set(aWebhook({ events: [pattern, '*'], enabled: false }));
    const gateway = operations();
    gateway.sender.answer = () => ({ kind: 'answered', status: 418, responseStart: 'teapot' });
    const tested = await resolved(gateway.test(defined(entry('wh_1'))));
    const [attempt, ...more] = gateway.sender.attempts;
    expect(more).toEqual([]);
    expect(tested).toEqual({
      deliveryId: attempt?.body.id,
      type,
      delivered: false,
      status: 418,
      durationMs: 0,
      error: null,
      subscribed: true,
      unmetFilters: [],
      responseStart: 'teapot',
    });
    expect(attempt?.body).toMatchObject({
      type,
      data: { player_id: expect.any(String), external_id: 'sample-player' },
      metadata: { webhook_id: 'wh_1', delivery_attempt: 1 },
    });
    expect(attempt?.headers['webhook-id']).toBe(attempt?.body.id);
    expect(waiting()).toBe(0);
  });

  it('reports why there was no response', async () => {
    const { config, operations, entry, resolved } = createWebhooksWorld();
    config.set(aWebhook());
    const gateway = operations();
    gateway.sender.answer = () => ({ kind: 'refused', reason: 'the address is not public' });
    expect(await resolved(gateway.test(defined(entry('wh_1'))))).toMatchObject({
      delivered: false,
      status: null,
      error: 'not sent: the address is not public',
    });
  });
});
