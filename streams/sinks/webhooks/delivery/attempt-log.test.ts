import { describe, expect, it } from 'vitest';
import { DELIVERY_LIMITS } from './limits.ts';
import { LOG_LIMITS } from '../../../log/limits.ts';
import { RECORD_LIMITS } from '../../../records/limits.ts';
import { createWebhooksWorld, HOUR_MS, MINUTE_MS } from '../../../../test/support/in-memory/webhooks-world.ts';
import { aTrackedEvent, commit } from '../../testing-commits.ts';
import { aWebhook, answered } from '../testing-webhooks.ts';

describe('the attempt log', () => {
  it('records every attempt with its time, duration, response and the time of the next attempt', async () => {
    const { clock, broker, writer, config, process, logged } = createWebhooksWorld();
    config.set(aWebhook({ url: 'https://receiver.test:8443/hook', retryPolicy: { maxRetries: 2, backoff: 'linear' } }));
    const { sender } = process('sink');
    sender.answer = async ({ body }) => {
      const { delivery_attempt: attempt } = body.metadata;
      await new Promise<void>((resolve) => void clock.timer(40 * attempt, resolve));
      if (attempt === 1) return { kind: 'answered', status: 503, responseStart: 'busy\t"é"' };
      return attempt === 2 ? { kind: 'connection_failed', reason: 'ECONNREFUSED' } : answered(204);
    };
    const sequence = await commit(writer, [aTrackedEvent({ eventId: 'a' })], { configRevision: 1 });
    const startMs = clock.wallMs();
    await clock.advance(11 * MINUTE_MS);
    const [first, second, third, ...more] = logged();
    expect(more).toEqual([]);
    expect(first).toEqual({
      deliveryId: sender.attempts[0]?.body.id,
      webhook: 'wh_1',
      game: 'demo',
      environment: 'live',
      type: 'event.level_up',
      player: aTrackedEvent().entityId,
      place: { created: broker.stream('FACTS').bounds().created, sequence, index: 0 },
      attempt: 1,
      attemptedAt: startMs,
      durationMs: 40,
      outcome: 'failed',
      status: 503,
      error: '',
      responseStart: 'busy\t"é"',
      urlHost: 'receiver.test:8443',
      nextAttemptAt: startMs + 40 + 5 * MINUTE_MS,
    });
    expect(second).toMatchObject({
      attempt: 2,
      durationMs: 80,
      outcome: 'failed',
      status: null,
      error: 'the connection failed: ECONNREFUSED',
      responseStart: '',
    });
    expect(third).toMatchObject({ attempt: 3, outcome: 'delivered', status: 204, nextAttemptAt: null });
  });

  it('records exhausted and dropped deliveries', async () => {
    const { clock, writer, config, process, logged } = createWebhooksWorld();
    config.set(aWebhook({ id: 'spent', retryPolicy: { maxRetries: 0, backoff: 'none' } }));
    config.set(aWebhook({ id: 'disabled' }));
    const { sender } = process('sink');
    sender.answer = () => ({ kind: 'timed_out' });
    await commit(writer, [aTrackedEvent()], { configRevision: 2 });
    await clock.advance(1_000);
    config.set(aWebhook({ id: 'disabled', enabled: false }));
    await clock.advance(11 * MINUTE_MS);
    const outcomes = logged().map(({ webhook, attempt, outcome, error }) => [webhook, attempt, outcome, error]);
    expect(outcomes).toHaveLength(3);
    expect(outcomes).toContainEqual(['spent', 1, 'exhausted', 'no response in time']);
    expect(outcomes.filter(([webhook]) => webhook === 'disabled')).toEqual([
      ['disabled', 1, 'failed', 'no response in time'],
      ['disabled', 0, 'dropped', 'the webhook is disabled or deleted'],
    ]);
  });

  it('records the first characters of a response, without half a character', async () => {
    const { clock, writer, config, process, logged } = createWebhooksWorld();
    config.set(aWebhook());
    const { sender } = process('sink');
    const responseStart = `x${'🎮'.repeat(2_000)}`;
    sender.answer = () => ({ kind: 'answered', status: 200, responseStart });
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(1_000);
    const [record] = logged();
    expect(record?.responseStart).toBe(`x${'🎮'.repeat((DELIVERY_LIMITS.attemptResponseLength - 2) / 2)}`);
  });

  it.each(['unavailable', 'full'])('never delays a delivery: RECORDS is %s', async (how) => {
    const { clock, writer, config, process, metrics, logged } = createWebhooksWorld(
      how === 'full'
        ? { streams: { RECORDS: { maxBytes: 50 } } }
        : { faults: { onAppend: ({ stream }) => (stream === 'RECORDS' ? 'lose_request' : 'deliver') } },
    );
    config.set(aWebhook());
    const { sender } = process('sink');
    for (let i = 0; i < 20; i++) {
      await commit(writer, [aTrackedEvent({ eventId: `e${i}` })], { configRevision: 1 });
      await clock.advance(100);
      expect(sender.attempts).toHaveLength(i + 1);
    }
    await clock.advance(RECORD_LIMITS.recordDeadlineMs + 2 * LOG_LIMITS.logRequestMs);
    expect(logged()).toEqual([]);
    const { values } = await metrics.attemptsUnlogged.get();
    expect(values[0]?.value).toBe(20);
  });

  it('records both attempts when a crash between the response and the acknowledgement repeats one', async () => {
    const { clock, writer, config, process, logged } = createWebhooksWorld({ faults: { latencyMs: () => 20 } });
    config.set(aWebhook());
    const first = process('first');
    first.sender.answer = () => {
      // The acknowledgement is lost with the connection. Before its repeat the attempt is logged and the process dies.
      clock.timer(10, () => first.log.disconnect('lose'));
      clock.timer(50, () => first.log.reconnect());
      clock.timer(500, first.kill);
      return answered(200);
    };
    void commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(1_000);
    const second = process('second');
    await clock.advance(MINUTE_MS);
    expect(second.sender.attempts).toHaveLength(1);
    const seen = [...first.sender.attempts, ...second.sender.attempts];
    expect(new Set(seen.map(({ body }) => body.id)).size).toBe(1);
    const attempts = logged().map(({ deliveryId, attempt, outcome }) => [deliveryId, attempt, outcome]);
    const made = [seen[0]?.body.id, 1, 'delivered'];
    expect(attempts).toEqual([made, made]);
  });

  it('records nothing about a player who was erased during the attempt', async () => {
    const { clock, writer, config, process, logged } = createWebhooksWorld();
    config.set(aWebhook({ events: ['level_up'] }));
    const { sender } = process('sink');
    sender.answer = async () => {
      await new Promise<void>((resolve) => void clock.timer(10_000, resolve));
      return answered(500);
    };
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(1_000);
    const at = clock.wallMs();
    const entityId = aTrackedEvent().entityId;
    await commit(writer, [{ kind: 'PlayerErased', game: 'demo', environment: 'live', entityId, at }], {
      configRevision: 1,
    });
    await clock.advance(11 * MINUTE_MS);
    expect(sender.attempts).toHaveLength(1);
    expect(logged()).toEqual([]);
  });
});

describe('Retry-After', () => {
  it.each([
    ['longer than the schedule counts', 429, '600', 10 * MINUTE_MS],
    ['shorter than the schedule is ignored', 503, '5', MINUTE_MS],
    ['longer than two hours counts as two hours', 503, '86400', 2 * HOUR_MS],
    ['is ignored with another status', 500, '600', MINUTE_MS],
  ])('%s', async (_, status, retryAfter, delayMs) => {
    const { clock, writer, config, process } = createWebhooksWorld();
    config.set(aWebhook());
    const { sender } = process('sink');
    sender.answer = () => ({ kind: 'answered', status, responseStart: '', retryAfter });
    await commit(writer, [aTrackedEvent()], { configRevision: 1 });
    await clock.advance(delayMs + 1_000);
    const times = sender.attempts.map(({ atMs }) => atMs - (sender.attempts[0]?.atMs ?? 0));
    expect(times).toEqual([0, delayMs]);
  });
});

describe('after a rotation, the previous secret', () => {
  it('signs beside the new one until it expires', async () => {
    const { clock, writer, config, process } = createWebhooksWorld();
    const until = clock.wallMs() + 24 * HOUR_MS;
    config.set(aWebhook({ secret: 'new', previousSecret: { secret: 'old', until } }));
    const { sender } = process('sink');
    await commit(writer, [aTrackedEvent({ eventId: 'a' })], { configRevision: 1 });
    await clock.advance(1_000);
    clock.jumpWall(24 * HOUR_MS);
    await commit(writer, [aTrackedEvent({ eventId: 'b' })], { configRevision: 1 });
    await clock.advance(10_000);
    const signatures = sender.attempts.map(({ headers }) => headers['webhook-signature']?.split(' ').length);
    expect(signatures).toEqual([2, 1]);
    const previous = sender.attempts.map(({ headers }) => headers['X-Service-Signature-Previous']);
    expect(previous).toEqual([expect.stringMatching(/^sha256=[0-9a-f]{64}$/), undefined]);
  });
});
