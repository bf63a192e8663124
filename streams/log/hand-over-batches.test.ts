import { beforeEach, describe, expect, test } from 'vitest';
import { LOG_LIMITS } from './limits.ts';
import { createFakeClock, type FakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { createHandedOver, recordOf, type HandedOver } from '../../test/support/in-memory/handed-over.ts';
import {
  createHandledBytes,
  createHandOverReceiver,
  createHandOverSender,
  type HandOverMessage,
  type HandOverReceiver,
} from './hand-over-batches.ts';
import type { HandOverListener } from './own-appends.ts';

const GATHER_MS = 5;

describe('a hand-over to another thread', () => {
  let clock: FakeClock;
  let messages: HandOverMessage[];
  let sender: HandOverListener;
  let receiver: HandOverReceiver;
  let got: HandedOver;

  beforeEach(async () => {
    clock = createFakeClock();
    messages = [];
    const handled = createHandledBytes();
    const post = (message: HandOverMessage): void => void messages.push(structuredClone(message));
    sender = createHandOverSender({ clock, post, handled, gatherMs: GATHER_MS });
    receiver = createHandOverReceiver(handled);
    got = createHandedOver();
    receiver.subscribe(got);
    await clock.advance(100);
  });

  function deliver(): void {
    for (const message of messages.splice(0)) receiver.receive(message);
  }

  test('gives the same records', async () => {
    const records = [recordOf(7, 'a'), recordOf(8, ''), recordOf(9, 'ccc')];
    sender.onRecords(records);
    deliver();
    expect(got.records.map((record) => ({ ...record, data: Buffer.from(record.data) }))).toEqual(records);
  });

  test('sends a record that comes alone at once, and those that follow closely together', async () => {
    sender.onRecords([recordOf(1)]);
    expect(messages).toHaveLength(1);
    sender.onRecords([recordOf(2)]);
    await clock.advance(1);
    sender.onRecords([recordOf(3)]);
    expect(messages).toHaveLength(1);
    await clock.advance(GATHER_MS);
    expect(messages).toHaveLength(2);
    deliver();
    expect(got.takeAll()).toEqual([1, 2, 3]);
  });

  test('sends a gap behind the records before it', async () => {
    sender.onRecords([recordOf(1)]);
    sender.onRecords([recordOf(2)]);
    sender.onGap();
    deliver();
    expect(got.takeAll()).toEqual([1, 2, 'gap']);
  });

  test('leaves records out while the receiver has too much to handle, and says so once', async () => {
    const half = 'x'.repeat(LOG_LIMITS.handOverBytes / 2);
    for (let sequence = 1; sequence <= 10; sequence++) {
      sender.onRecords([recordOf(sequence, half)]);
      await clock.advance(GATHER_MS);
    }
    deliver();
    expect(got.takeAll()).toEqual([1, 2, 3, 'gap']);
    sender.onRecords([recordOf(11)]);
    deliver();
    expect(got.takeAll()).toEqual([11]);
  });
});
