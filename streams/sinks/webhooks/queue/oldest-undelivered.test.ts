import { describe, expect, it } from 'vitest';
import { QUEUE_LIMITS } from './limits.ts';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { createWebhooksWorld, MINUTE_MS } from '../../../../test/support/in-memory/webhooks-world.ts';
import { aTrackedEvent, commit } from '../../testing-commits.ts';
import type { Delivery } from '../record/delivery.ts';
import { createOldestUndelivered } from './oldest-undelivered.ts';
import { answered, aWebhook } from '../testing-webhooks.ts';

const aDelivery = (webhook: string, id: string, owedSince: number): Delivery => ({
  id,
  game: 'demo',
  environment: 'live',
  webhook,
  configRevision: 1,
  type: 'event.level_up',
  timestamp: 0,
  data: '{}',
  player: 'p',
  place: { created: '', sequence: 1, index: 0 },
  attempt: 1,
  deferrals: 0,
  owedSince,
});

describe('the oldest undelivered', () => {
  it('is the one that has waited longest, until it ends; then the next one that waits', () => {
    const clock = createFakeClock();
    const oldest = createOldestUndelivered(clock);
    const nowMs = clock.wallMs();
    oldest.waits(aDelivery('a', '1', nowMs - 5_000), nowMs);
    oldest.waits(aDelivery('a', '2', nowMs - 9_000), nowMs);
    oldest.waits(aDelivery('a', '3', nowMs - 7_000), nowMs);
    oldest.waits(aDelivery('b', '4', nowMs - 1_000), nowMs);
    expect(oldest.ageMs()).toBe(9_000);
    oldest.ended(aDelivery('a', '3', 0));
    expect(oldest.ageMs()).toBe(9_000);
    oldest.ended(aDelivery('a', '2', 0));
    expect(oldest.ageMs()).toBe(1_000);
    oldest.waits(aDelivery('a', '3', nowMs - 7_000), nowMs);
    expect(oldest.ageMs()).toBe(7_000);
  });

  it('is forgotten when it does not return in time: another process has handled it', async () => {
    const clock = createFakeClock();
    const oldest = createOldestUndelivered(clock);
    oldest.waits(aDelivery('a', '1', clock.wallMs() - 1), clock.wallMs() + MINUTE_MS);
    await clock.advance(MINUTE_MS + QUEUE_LIMITS.deliveryOverdueMs);
    expect(oldest.ageMs()).toBe(MINUTE_MS + QUEUE_LIMITS.deliveryOverdueMs + 1);
    await clock.advance(1);
    expect(oldest.ageMs()).toBe(0);
  });
});

it('metrics report the queued deliveries, the age of the oldest, and the unresponsive receivers', async () => {
  const { clock, writer, config, process, metrics } = createWebhooksWorld();
  config.set(aWebhook({ id: 'failing', url: 'http://failing.test/' }));
  config.set(aWebhook({ id: 'unresponsive', url: 'http://unresponsive.test/' }));
  config.set(aWebhook({ id: 'healthy', url: 'http://healthy.test/' }));
  const { sender } = process('sink');
  let isRepaired = false;
  sender.answer = ({ url }) => {
    if (isRepaired || url.includes('healthy')) return answered(200);
    return url.includes('failing') ? answered(500) : { kind: 'timed_out' };
  };
  const facts = Array.from({ length: 3 }, (_, i) => aTrackedEvent({ eventId: `e${i}` }));
  await commit(writer, facts, { configRevision: 3, committedAt: clock.wallMs() });
  await clock.advance(30_000);
  const valueOf = async (metric: keyof typeof metrics & ('openCircuits' | 'deliveriesPending')) =>
    (await metrics[metric].get()).values[0]?.value;
  expect(await valueOf('openCircuits')).toBe(1);
  expect(await valueOf('deliveriesPending')).toBe(6);
  const { values } = await metrics.oldestUndelivered.get();
  expect(values).toEqual([{ labels: {}, value: expect.any(Number) }]);
  expect(values[0]?.value).toBeGreaterThanOrEqual(29);
  isRepaired = true;
  await clock.advance(2 * MINUTE_MS);
  expect(await valueOf('openCircuits')).toBe(0);
  expect(await valueOf('deliveriesPending')).toBe(0);
  expect((await metrics.oldestUndelivered.get()).values[0]?.value).toBe(0);
});
