import { describe, expect, it } from 'vitest';
import { MATCHING_LIMITS } from './matching/limits.ts';
import { PROCESS_LIMITS } from '../../../src/process/limits.ts';
import { createWebhooksWorld, levelOf, MINUTE_MS } from '../../../test/support/in-memory/webhooks-world.ts';
import { aTrackedEvent, commit } from '../testing-commits.ts';
import type { AttemptOutcome } from './delivery/sender.ts';
import { aWebhook, answered } from './testing-webhooks.ts';

describe('a fact becomes a delivery', () => {
  it('with the documented payload', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook({ events: ['level_up'] }));
    const { sender } = process('sink');
    await commit(writer, [aTrackedEvent({ properties: '{"level":5,"__proto__":{"a":1}}' })], { configRevision: 1 });
    await clock.advance(1_000);
    expect(sender.attempts).toHaveLength(1);
    const [attempt] = sender.attempts;
    expect(attempt?.url).toBe('http://receiver.test/hook');
    expect(attempt?.headers['Content-Type']).toBe('application/json');
    expect(attempt?.headers['webhook-id']).toBe(attempt?.body.id);
    const { id, ...rest } = attempt?.body ?? {};
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.stringify(rest)).toBe(
      '{"type":"event.level_up","timestamp":"2026-01-01T11:59:00.000Z","data":{"player_id":"7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c",' +
        '"external_id":"ext-1","event_name":"level_up","properties":{"level":5,"__proto__":{"a":1}}},' +
        '"metadata":{"webhook_id":"wh_1","delivery_attempt":1}}',
    );
  });

  it('for a new and a changed player: with the Player as on the wire, and the changed properties', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook({ events: ['player.*'] }));
    const { sender } = process('sink');
    const player = {
      id: 'p1',
      externalId: 'ext-1',
      deviceId: null,
      email: 'a@example.com',
      lifecycleStage: 'new' as const,
      sessionCount: 2,
      totalRevenue: 99_900,
      isTestPlayer: false,
      isPayer: true,
      firstSeenAt: Date.UTC(2026, 0, 1),
      lastSeenAt: Date.UTC(2026, 0, 2),
      attributes: '{"level":25}',
    };
    const base = { game: 'demo', environment: 'live' as const, entityId: 'p1', at: Date.UTC(2026, 0, 3) };
    await commit(
      writer,
      [
        { ...base, kind: 'PlayerRegistered', player },
        { ...base, kind: 'PlayerUpdated', player, changed: ['attributes', 'email'] },
        aTrackedEvent(),
      ],
      { configRevision: 1 },
    );
    await clock.advance(1_000);
    const bodies = sender.attempts.map(({ body }) => body).toSorted((a, b) => (a.type < b.type ? -1 : 1));
    expect(bodies.map(({ type }) => type)).toEqual(['player.created', 'player.updated']);
    expect(bodies[1]?.timestamp).toBe('2026-01-03T00:00:00.000Z');
    expect(bodies[1]?.data).toEqual({
      player_id: 'p1',
      id: 'p1',
      external_id: 'ext-1',
      device_id: null,
      email: 'a@example.com',
      lifecycle_stage: 'new',
      session_count: 2,
      total_revenue: 9.99,
      is_payer: true,
      is_test_player: false,
      first_seen_at: '2026-01-01T00:00:00.000Z',
      last_seen_at: '2026-01-02T00:00:00.000Z',
      attributes: { level: 25 },
      changed: ['attributes', 'email'],
    });
  });

  it.each<[string[], string[]]>([
    [['level_up'], ['event.level_up']],
    [['event.level_up'], ['event.level_up']],
    [
      ['level_up', 'event.level_up', 'event.*'],
      ['event.login', 'event.level_up'],
    ],
    [
      ['*', 'event.*'],
      ['event.login', 'event.level_up'],
    ],
    [['player.*', 'login'], ['event.login']],
    [['player.updated'], []],
    [['level'], []],
  ])('events %j subscribe to %j, each delivered once', async (events, expected) => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook({ events }));
    const { sender } = process('sink');
    await commit(writer, [aTrackedEvent({ eventName: 'login' }), aTrackedEvent()], { configRevision: 1 });
    await clock.advance(1_000);
    expect(sender.attempts.map(({ body }) => body.type).toSorted()).toEqual(expected.toSorted());
  });

  it('only in its game and environment, while the webhook is enabled and its filters hold', async () => {
    const { clock, broker, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook({ id: 'live' }));
    config.set(aWebhook({ id: 'test' }), 'test');
    config.set(aWebhook({ id: 'other' }), 'live', 'other');
    config.set(aWebhook({ id: 'disabled', enabled: false }));
    config.set(aWebhook({ id: 'filtered', filters: { 'properties.level': { gte: 10 } } }));
    const { sender } = process('sink');
    await commit(writer, [aTrackedEvent(), aTrackedEvent({ properties: '{"level":12}' })], { configRevision: 5 });
    await clock.advance(1_000);
    const seen = sender.attempts.map(({ body }) => `${body.metadata.webhook_id} ${String(levelOf(body.data))}`);
    expect(seen.toSorted()).toEqual(['filtered 12', 'live 12', 'live 5']);
    // Both deliveries to one webhook in one record.
    expect(broker.stream('DELIVERIES').bounds().lastSequence).toBe(2);
  });

  it('not if it was decided before the webhook’s creation, also after a change of the webhook', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook({ id: 'other', events: ['nothing'] }));
    const { revision } = config.set(aWebhook());
    config.set(aWebhook({ version: 2, createdRevision: revision }));
    await commit(writer, [aTrackedEvent({ properties: '{"level":1}' })], { configRevision: revision - 1 });
    await commit(writer, [aTrackedEvent({ properties: '{"level":2}' })], { configRevision: revision });
    const { sender } = process('sink');
    await clock.advance(1_000);
    expect(sender.attempts.map(({ body }) => levelOf(body.data))).toEqual([2]);
  });

  it('even if the webhook’s definition reaches the process after the fact', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    const { sender } = process('sink');
    await clock.advance(100);
    config.lag();
    const { revision } = config.set(aWebhook());
    await commit(writer, [aTrackedEvent()], { configRevision: revision });
    await clock.advance(10_000);
    expect(sender.attempts).toHaveLength(0);
    config.catchUp();
    await clock.advance(1_000);
    expect(sender.attempts).toHaveLength(1);
  });

  it('without its definitions, with an error in the log, if these never arrive', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook());
    const { sender } = process('sink');
    await commit(writer, [aTrackedEvent()], { configRevision: 1_000 });
    await clock.advance(MATCHING_LIMITS.matcherConfigWaitMs + 10_000);
    expect(sender.attempts).toHaveLength(1);
  });
});

describe('retries', () => {
  it('follow the documented schedule with one id and a counted attempt, then end', async () => {
    const { clock, writer, config, process, outcomes, waiting } = createWebhooksWorld();
    config.set(aWebhook());
    const { sender } = process('sink');
    sender.answer = () => answered(500);
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(3 * 3600_000);
    const [first] = sender.attempts;
    expect(sender.attempts.map(({ body }) => body.metadata.delivery_attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(sender.attempts.map(({ atMs }) => atMs - (first?.atMs ?? 0))).toEqual(
      [0, 1, 6, 36, 156].map((minutes) => minutes * MINUTE_MS),
    );
    expect(new Set(sender.attempts.map(({ body }) => body.id)).size).toBe(1);
    expect(new Set(sender.attempts.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(5);
    expect(await outcomes()).toEqual({ failed: 4, exhausted: 1 });
    expect(waiting()).toBe(0);
  });

  it('end with the first success', async () => {
    const { clock, writer, config, process, outcomes } = createWebhooksWorld();
    config.set(aWebhook());
    const { sender } = process('sink');
    sender.answer = ({ body }) => answered(body.metadata.delivery_attempt < 3 ? 404 : 204);
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(3 * 3600_000);
    expect(sender.attempts).toHaveLength(3);
    expect(await outcomes()).toEqual({ failed: 2, delivered: 1 });
  });

  it.each([301, 400, 429, 503])('follow the status %i', async (status) => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook());
    const { sender } = process('sink');
    sender.answer = () => answered(status);
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(2 * MINUTE_MS);
    expect(sender.attempts).toHaveLength(2);
  });

  it('follow the webhook’s retry policy', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook({ id: 'never', retryPolicy: { maxRetries: 0, backoff: 'exponential' } }));
    config.set(aWebhook({ id: 'linear', retryPolicy: { maxRetries: 2, backoff: 'linear' } }));
    config.set(aWebhook({ id: 'none', retryPolicy: { maxRetries: 3, backoff: 'none' } }));
    const { sender } = process('sink');
    sender.answer = () => answered(500);
    await commit(writer, [aTrackedEvent()], { configRevision: 3 });
    await clock.advance(3600_000);
    const times = (id: string) => {
      const own = sender.attempts.filter(({ body }) => body.metadata.webhook_id === id);
      return own.map(({ atMs }) => (atMs - (own[0]?.atMs ?? 0)) / MINUTE_MS);
    };
    expect(times('never')).toEqual([0]);
    expect(times('linear')).toEqual([0, 5, 10]);
    expect(times('none')).toEqual([0, 0, 0, 0]);
  });

  it('are dropped when due if the webhook is disabled or deleted', async () => {
    const { clock, writer, config, process, outcomes, waiting } = createWebhooksWorld();
    config.set(aWebhook({ id: 'disabled' }));
    config.set(aWebhook({ id: 'deleted' }));
    const { sender } = process('sink');
    sender.answer = () => answered(500);
    await commit(writer, [aTrackedEvent()], { configRevision: 2 });
    await clock.advance(1_000);
    config.set(aWebhook({ id: 'disabled', enabled: false }));
    config.remove('deleted');
    await clock.advance(3600_000);
    expect(sender.attempts).toHaveLength(2);
    expect(await outcomes()).toEqual({ failed: 2, dropped: 2 });
    expect(waiting()).toBe(0);
  });
});

describe('crashes and outages', () => {
  it('the death of a worker between response and acknowledgement repeats the attempt under the same id', async () => {
    const { clock, writer, config, process, waiting } = createWebhooksWorld();
    config.set(aWebhook());
    const first = process('first');
    first.sender.answer = () => {
      first.kill();
      return answered(200);
    };
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(1_000);
    const second = process('second');
    await clock.advance(MINUTE_MS);
    const attempts = [...first.sender.attempts, ...second.sender.attempts];
    expect(attempts.map(({ body }) => body.metadata.delivery_attempt)).toEqual([1, 1]);
    expect(new Set(attempts.map(({ body }) => body.id)).size).toBe(1);
    expect(waiting()).toBe(0);
  });

  it('the matcher’s position waits for stored deliveries: the next matcher stores the missing ones', async () => {
    const { clock, writer, config, process } = createWebhooksWorld({
      faults: {
        onAppend: ({ client, stream }) => (client === 'first' && stream === 'DELIVERIES' ? 'lose_request' : 'deliver'),
      },
    });
    config.set(aWebhook());
    const first = process('first');
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(5_000);
    first.kill();
    const second = process('second');
    await clock.advance(10_000);
    expect(first.sender.attempts).toHaveLength(0);
    expect(second.sender.attempts).toHaveLength(1);
  });

  it.each(['killed', 'stopped'])(
    'a failed attempt leaves the queue only after the next one is stored, with the worker %s',
    async (how) => {
      const { clock, writer, config, process } = createWebhooksWorld({
        faults: {
          onAppend: ({ client, subject }) =>
            client === 'first' && subject.startsWith('deliveries.at.') ? 'lose_request' : 'deliver',
        },
      });
      config.set(aWebhook());
      const first = process('first');
      first.sender.answer = () => answered(500);
      await commit(writer, [aTrackedEvent()], { configRevision: 1 });
      await clock.advance(5_000);
      if (how === 'killed') first.kill();
      else void first.webhooks.stop();
      await clock.advance(PROCESS_LIMITS.shutdownMs);
      const second = process('second');
      await clock.advance(MINUTE_MS);
      expect(first.sender.attempts).toHaveLength(1);
      expect(second.sender.attempts.map(({ body }) => body.metadata.delivery_attempt)).toEqual([1]);
    },
  );

  it('a slow attempt is not made twice', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook());
    const { sender } = process('sink');
    sender.answer = async () => {
      await new Promise<void>((resolve) => void clock.timer(29_000, resolve));
      return answered(200);
    };
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(5 * MINUTE_MS);
    expect(sender.attempts).toHaveLength(1);
  });

  it('an acknowledgement lost with the connection is sent again', async () => {
    const { clock, writer, config, process } = createWebhooksWorld({ faults: { latencyMs: () => 20 } });
    config.set(aWebhook());
    const { sender, log } = process('sink');
    sender.answer = () => {
      clock.timer(10, () => log.disconnect('lose'));
      clock.timer(500, () => log.reconnect());
      return answered(200);
    };
    void commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(5 * MINUTE_MS);
    expect(sender.attempts).toHaveLength(1);
  });

  it('another process replaces a dead matcher, and every fact is delivered under one id', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook());
    const processes = [process('p0')];
    let number = 0;
    for (let round = 0; round < 8; round++) {
      for (let i = 0; i < 5; i++) {
        await commit(writer, [aTrackedEvent({ properties: `{"level":${number++}}` })], { configRevision: 1 });
        if (i === round % 5) {
          processes.at(-1)?.kill();
          processes.push(process(`p${round + 1}`));
        }
        await clock.advance(7 * round);
      }
      await clock.advance(5_000);
    }
    await clock.advance(MINUTE_MS);
    const attempts = processes.flatMap(({ sender }) => sender.attempts);
    const levels = new Set(attempts.map(({ body }) => levelOf(body.data)));
    expect([...levels].toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: number }, (_, i) => i));
    // One id for each fact, however often a crash repeated its delivery.
    expect(new Set(attempts.map(({ body }) => body.id)).size).toBe(number);
  });

  it('only one process matches, and another takes over when it stops', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook());
    const a = process('a');
    const b = process('b');
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(5_000);
    expect(a.sender.attempts.length + b.sender.attempts.length).toBe(1);
    const stopped = a.webhooks.stop();
    await clock.advance(10_000);
    await stopped;
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(1_000);
    expect(b.sender.attempts.length).toBeGreaterThan(0);
    expect(a.sender.attempts.length + b.sender.attempts.length).toBe(2);
  });

  it('unanswered appends and broken connections lose and duplicate no delivery', async () => {
    let count = 0;
    let moves = 0;
    const { clock, writer, config, process } = createWebhooksWorld({
      faults: {
        onAppend: ({ client, stream }) => {
          if (client !== 'sink' || stream !== 'DELIVERIES') return 'deliver';
          count += 1;
          return (['lose_ack', 'lose_request', 'deliver', 'duplicate'] as const)[count % 4] ?? 'deliver';
        },
        onBucketWrite: ({ client, bucket }) => {
          if (client !== 'sink' || bucket !== 'POSITIONS') return 'deliver';
          moves += 1;
          return (['lose_ack', 'deliver', 'lose_request', 'duplicate'] as const)[moves % 4] ?? 'deliver';
        },
      },
    });
    config.set(aWebhook());
    const { sender, log } = process('sink');
    for (let i = 0; i < 40; i++) {
      await commit(writer, [aTrackedEvent({ properties: `{"level":${i}}` })], { configRevision: 1 });
      await clock.advance(500);
      if (i === 20) {
        log.disconnect('deliver');
        await clock.advance(2_000);
        log.reconnect();
      }
    }
    await clock.advance(5 * MINUTE_MS);
    const levels = sender.attempts.map(({ body }) => Number(levelOf(body.data))).toSorted((a, b) => a - b);
    expect(levels).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });

  it('matching waits while DELIVERIES is full, and skips nothing', async () => {
    const { clock, broker, writer, config, process } = createWebhooksWorld({ deliveriesBytes: 4_000 });
    config.set(aWebhook());
    const { sender } = process('sink');
    let open = false;
    sender.answer = () => (open ? answered(200) : new Promise(() => {}));
    for (let i = 0; i < 30; i++) {
      await commit(writer, [aTrackedEvent({ properties: `{"level":${i}}` })], { configRevision: 1 });
    }
    await clock.advance(10_000);
    const { sizeBytes, lastSequence } = broker.stream('DELIVERIES').bounds();
    expect(sizeBytes).toBeLessThan(5_000);
    expect(lastSequence).toBeGreaterThan(4);
    open = true;
    sender.close();
    await clock.advance(5 * MINUTE_MS);
    expect(new Set(sender.attempts.map(({ body }) => levelOf(body.data))).size).toBe(30);
  });

  it('a stop hands attempts that do not finish in time back to the broker at once', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook());
    const first = process('first');
    first.sender.answer = () => new Promise(() => {});
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(1_000);
    expect(first.sender.inFlight).toBe(1);
    const stopped = first.webhooks.stop();
    await clock.advance(PROCESS_LIMITS.shutdownMs);
    await stopped;
    const second = process('second');
    await clock.advance(2_000);
    expect(second.sender.attempts).toHaveLength(1);
    expect(second.sender.attempts[0]?.body.metadata.delivery_attempt).toBe(1);
  });
});

describe('an unresponsive receiver', () => {
  it('delays no other receiver, and gets all of its deliveries in the end', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook({ id: 'unresponsive', url: 'http://unresponsive.test/' }));
    config.set(aWebhook({ id: 'healthy', url: 'http://healthy.test/' }));
    const { sender } = process('sink');
    let isUnresponsive = true;
    const delay = (delayMs: number) => new Promise<void>((resolve) => void clock.timer(delayMs, resolve));
    sender.answer = async ({ url }) => {
      if (url.includes('healthy') || !isUnresponsive) return answered(200);
      await delay(30_000);
      return { kind: 'timed_out' };
    };
    const lateMs: number[] = [];
    for (let i = 0; i < 200; i++) {
      await commit(writer, [aTrackedEvent({ properties: `{"level":${i}}` })], { configRevision: 2 });
      await clock.advance(100);
      const ofHealthy = sender.attempts.filter(({ url }) => url.includes('healthy')).length;
      lateMs.push(i + 1 - ofHealthy);
    }
    expect(Math.max(...lateMs)).toBe(0);
    isUnresponsive = false;
    await clock.advance(10 * MINUTE_MS);
    const ofUnresponsive = sender.attempts.filter(({ url }) => url.includes('unresponsive'));
    expect(new Set(ofUnresponsive.map(({ body }) => levelOf(body.data))).size).toBe(200);
  });
});

it('after a time-out the first retry comes 60 s after the end of the attempt', async () => {
  const { clock, writer, config, process } = createWebhooksWorld();
  config.set(aWebhook());
  const { sender } = process('sink');
  const outcomes = [
    () => new Promise<AttemptOutcome>((resolve) => void clock.timer(30_000, () => resolve({ kind: 'timed_out' }))),
    () => answered(200),
  ];
  sender.answer = () => outcomes.shift()?.() ?? answered(200);
  await commit(writer, [aTrackedEvent()], { configRevision: 1 });
  await clock.advance(2 * MINUTE_MS);
  const [first, second] = sender.attempts;
  expect(Math.round(((second?.atMs ?? 0) - (first?.atMs ?? 0)) / 1_000)).toBe(90);
});
