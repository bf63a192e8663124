import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/kernel/limits.ts';
import { createWebhooksWorld, levelOf, MINUTE_MS } from '../../../test/support/webhooks-world.ts';
import { aTrackedEvent, commit } from '../testing.ts';
import { aWebhook, answered } from './testing.ts';
import { createWebhookRoom } from './webhook-room.ts';
import { createFakeClock } from '../../../test/support/fake-clock.ts';

it('past its bound a webhook overflows, is told so, and holds up nobody; a recovery makes up for it', async () => {
  const { clock, writer, config, process, operations, entry, metrics, logged, waiting, settled } = createWebhooksWorld({
    pendingPerWebhook: 10,
  });
  config.set(aWebhook({ id: 'sick' }));
  config.set(aWebhook({ id: 'well' }));
  const { sender } = process('sink');
  let isSick = true;
  sender.answer = ({ body }) => answered(isSick && body.metadata.webhook_id === 'sick' ? 500 : 200);
  const total = 60;
  for (let level = 0; level < total; level++) {
    const event = aTrackedEvent({ eventId: `e${level}`, properties: `{"level":${level}}` });
    await commit(writer, [event], { configRevision: 2 });
    await clock.advance(LIMITS.deliveriesPendingLookMs / 2);
    const ofWell = sender.attempts.filter(({ body }) => body.metadata.webhook_id === 'well');
    expect(ofWell).toHaveLength(level + 1);
    // As many as were let through before what waits was counted again may come on top.
    expect(waiting()).toBeLessThanOrEqual(2 * 10);
  }
  const overflowed = logged().filter(({ outcome }) => outcome === 'overflowed');
  expect(overflowed.length).toBeGreaterThan(20);
  expect(new Set(overflowed.map(({ webhook }) => webhook))).toEqual(new Set(['sick']));
  const { values } = await metrics.deliveriesOverflowed.get();
  expect(values[0]?.value).toBe(overflowed.length);

  isSick = false;
  const sick = entry('sick');
  if (sick === undefined) throw new Error('the webhook is gone');
  await settled(operations().recover(sick, 0));
  await clock.advance(10 * MINUTE_MS);
  const taken = sender.attempts.filter(({ body }) => body.metadata.webhook_id === 'sick');
  expect(new Set(taken.map(({ body }) => levelOf(body.data))).size).toBe(total);
  expect(new Set(taken.map(({ body }) => body.id)).size).toBe(total);
});

it('a webhook may have much of the room while there is plenty, and its share once half is taken; both are counted seldom', async () => {
  const clock = createFakeClock();
  const broker = { sizeBytes: 0, waiting: 0, counts: 0 };
  const log = {
    async info() {
      return { created: '', firstSequence: 1, lastSequence: 0, records: 0, sizeBytes: broker.sizeBytes };
    },
    async countSubjects() {
      broker.counts += 1;
      return broker.waiting;
    },
  };
  const room = createWebhookRoom({ log, clock, limitBytes: 1_000, most: 50_000, share: 20_000 });
  /** Takes places until there is none; answers how many there were. */
  async function fill(): Promise<number> {
    const before = broker.waiting;
    while (await room.take('wh_1')) broker.waiting += 1;
    return broker.waiting - before;
  }
  expect(await fill()).toBe(50_000);
  expect(broker.counts).toBe(50_000 / LIMITS.deliveriesPendingStep);
  expect(await fill()).toBe(0);
  expect(broker.counts).toBe(50_000 / LIMITS.deliveriesPendingStep);
  broker.waiting = 10_000;
  broker.sizeBytes = 501;
  await clock.advance(LIMITS.deliveriesPendingLookMs);
  expect(await fill()).toBe(10_000);
});
