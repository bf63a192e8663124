import { describe, expect, it } from 'vitest';
import { DELIVERY_LIMITS } from './delivery/limits.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { createWebhooksWorld } from '../../../test/support/in-memory/webhooks-world.ts';
import { encodeCommit } from '../../../core/codec/codec.ts';
import { encodeFrame } from '../../../core/codec/frame.ts';
import { aCommit, aTrackedEvent, commit } from '../testing-commits.ts';
import { dueSubject } from './record/delivery.ts';
import { encodeDelivery } from './record/delivery-record.ts';
import { aDelivery, aWebhook, type FakeSender } from './testing-webhooks.ts';

/* The webhooks sink meets what a newer version has stored: it waits, and leaves it to a newer process. */

const newerFact = { kind: 'PlayerFrozen', entityId: 'p', game: 'demo', environment: 'live', at: 1 };
const NEWER_RECORDS = {
  'of another version byte': Buffer.concat([Buffer.from([9]), encodeCommit(aCommit([aTrackedEvent()])).subarray(1)]),
  'with a fact of an unknown kind': encodeFrame([[0, 1, 'newer', 1, null, 1], [newerFact]]),
};
const levels = (sender: FakeSender) =>
  sender.attempts.map(({ body }) => JSON.stringify(body.data['properties'])).toSorted();

describe('matching', () => {
  it.each(Object.entries(NEWER_RECORDS))(
    'waits at a record %s, after it delivered what comes before',
    async (_, newer) => {
      const world = createWebhooksWorld();
      world.config.set(aWebhook({ events: ['level_up'] }));
      const { sender } = world.process('older');
      await commit(world.writer, [aTrackedEvent({ properties: '{"level":1}' })], { configRevision: 1 });
      await world.writer.append('facts.0', newer);
      await commit(world.writer, [aTrackedEvent({ properties: '{"level":2}' })], { configRevision: 1 });
      await world.clock.advance(5 * SHARED_LIMITS.unreadableYieldMs);
      expect(levels(sender)).toEqual(['{"level":1}']);
      const position = await world.writer.bucket('POSITIONS').get('webhooks');
      expect(JSON.parse(Buffer.from(position?.value ?? []).toString())).toMatchObject({ sequence: 1 });
    },
  );

  it('leaves its lease to another process for a while', async () => {
    const world = createWebhooksWorld();
    world.config.set(aWebhook({ events: ['level_up'] }));
    world.process('older');
    await world.writer.append('facts.0', NEWER_RECORDS['of another version byte']);
    const holders = new Set<unknown>();
    const owners = world.writer.bucket('OWNERS');
    world.process('newer');
    for (let step = 0; step < 60; step++) {
      await world.clock.advance(1_000);
      const lease = await owners.get('sink.webhooks');
      holders.add(JSON.parse(Buffer.from(lease?.value ?? []).toString()).holder);
    }
    // Nobody for a moment, and each of the two processes in turn.
    expect(holders.size).toBe(3);
  });
});

describe('a delivery that this version cannot read', () => {
  it('stays in the queue, byte for byte, and delays no other', async () => {
    const world = createWebhooksWorld();
    world.config.set(aWebhook());
    const newer = Buffer.from(JSON.stringify({ v: 2, shape: 'unknown' }));
    for (let n = 0; n < 3; n++) await world.writer.append(dueSubject('wh_1'), newer);
    const { sender } = world.process('older');
    await world.clock.advance(3 * DELIVERY_LIMITS.deliveryUnreadableMs);
    await world.writer.append(dueSubject('wh_1'), encodeDelivery(aDelivery()));
    await world.clock.advance(1_000);
    expect(sender.attempts).toHaveLength(1);
    const stream = world.broker.stream('DELIVERIES');
    const { firstSequence, lastSequence } = stream.bounds();
    const held: string[] = [];
    for (let sequence = firstSequence; sequence <= lastSequence; sequence++) {
      const record = stream.get(sequence);
      if (record !== undefined) held.push(Buffer.from(record.data).toString());
    }
    expect(held).toEqual([String(newer), String(newer), String(newer)]);
    expect(await world.outcomes()).toMatchObject({ delivered: 1 });
  });
});
