import { beforeEach, describe, expect, it } from 'vitest';
import { type BulkWork, createBulkWork } from './bulk-work.ts';
import type { OutgoingReply } from './send-replies.ts';

const aReply = (requestId: string, isBulk: boolean): OutgoingReply => ({
  replyTo: 'gateway',
  requestId,
  epoch: 1,
  partition: 0,
  reply: { kind: 'failure', code: 'NOT_FOUND', message: '' },
  isBulk,
});

describe('work in bulk', () => {
  /** What the store lacks; `hotBytes` is 80. */
  let lacks: { bulkBytes: number; pinnedBytes: number };
  let sent: string[];
  let flushes: number;
  let wakes: number;
  let bulk: BulkWork;
  beforeEach(() => {
    [lacks, sent, flushes, wakes] = [{ bulkBytes: 0, pinnedBytes: 0 }, [], 0, 0];
    bulk = createBulkWork({
      entities: {
        get bulkBytes() {
          return lacks.bulkBytes;
        },
        get pinnedBytes() {
          return lacks.pinnedBytes;
        },
      },
      hotBytes: 80,
      sendReplies: (replies) => sent.push(...replies.map(({ requestId }) => requestId)),
      flush: () => (flushes += 1),
      onWork: () => (wakes += 1),
    });
  });

  it('is answered at once while the store keeps up', () => {
    lacks = { bulkBytes: 10, pinnedBytes: 40 };
    bulk.send([aReply('a', true), aReply('b', false)]);
    expect([sent, flushes, bulk.rests()]).toEqual([['a', 'b'], 0, false]);
  });

  it.each([
    ['of what work in bulk changed', { bulkBytes: 11, pinnedBytes: 11 }],
    ['of everything', { bulkBytes: 0, pinnedBytes: 41 }],
  ])('waits while the store lacks too much %s; other replies do not', (_, behind) => {
    lacks = behind;
    bulk.send([aReply('a', true), aReply('b', false)]);
    expect([sent, flushes, bulk.rests()]).toEqual([['b'], 1, true]);
    bulk.stored();
    expect([sent, flushes]).toEqual([['b'], 2]);
    lacks = { bulkBytes: 0, pinnedBytes: 0 };
    // Replies keep their order: the first one still waits.
    bulk.send([aReply('c', true)]);
    expect(sent).toEqual(['b']);
    bulk.stored();
    expect([sent, wakes, bulk.rests()]).toEqual([['b', 'a', 'c'], 1, false]);
    bulk.stored();
    expect([sent.length, wakes]).toEqual([3, 1]);
  });
});
