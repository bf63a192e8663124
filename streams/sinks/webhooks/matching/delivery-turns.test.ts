import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { createDeliveryTurns, type MatchTask } from './delivery-turns.ts';
import { aDelivery } from '../testing.ts';

const KIB = 1024;

function setUp(
  some: { hasDue?: (game: string) => boolean; hasQuota?: (webhook: string) => boolean | Promise<boolean> } = {},
) {
  const clock = createFakeClock();
  const stored: string[] = [];
  const overflowed: string[] = [];
  const failures: unknown[] = [];
  const open: (() => void)[] = [];
  let underWay = 0;
  let most = 0;
  const turns = createDeliveryTurns({
    clock,
    webhookQuota: { take: ({ webhook }) => some.hasQuota?.(webhook) ?? true },
    dueQuota: { has: ({ game }) => some.hasDue?.(game) ?? true, add: () => () => {} },
    deliveriesQuota: { take: () => true, waitFor: async () => {} },
    append({ id }) {
      stored.push(id);
      underWay += 1;
      most = Math.max(most, underWay);
      return new Promise((resolve) =>
        open.push(() => {
          underWay -= 1;
          resolve(true);
        }),
      );
    },
    onOverflow: ({ id }) => overflowed.push(id),
    onFailure: (error) => failures.push(error),
  });
  const done: string[] = [];
  const add = (game: string, count: number, dataBytes = 10, webhook = `wh_${game}`) => {
    const data = `"${'x'.repeat(dataBytes)}"`;
    const deliveries = (function* (): Generator<Delivery> {
      for (let i = 0; i < count; i++) yield aDelivery({ id: `${game}${i}`, game, webhook, data });
    })();
    const scope = { game, environment: 'live' as const };
    const task: MatchTask = { scope, sequence: 1, sizeBytes: 100, deliveries, onDone: () => done.push(game) };
    turns.add(task);
  };
  /** The broker acknowledges one append after the other, until there are none. */
  const acknowledge = async (until: () => boolean = () => false) => {
    await clock.advance(1);
    for (let next = open.shift(); next !== undefined && !until(); next = open.shift()) {
      next();
      await clock.advance(1);
    }
  };
  return { clock, turns, stored, overflowed, failures, done, add, acknowledge, most: () => most };
}

const positionOf = (stored: readonly string[], id: string) => stored.indexOf(id);

describe('turns of deliveries', () => {
  it('two batches of 9,000 large deliveries of one game come before at most a few hundred KiB of it before another game’s', async () => {
    const { stored, add, acknowledge, clock } = setUp();
    add('a', 9_000, 10 * KIB);
    add('a', 9_000, 10 * KIB);
    await clock.advance(1);
    const before = stored.length;
    add('b', 1);
    await acknowledge(() => stored.includes('b0'));
    expect(before * 10 * KIB).toBeLessThanOrEqual(LIMITS.matcherAppendBytes / 2 + 11 * KIB);
    // It need not wait for an acknowledgement, as one game never has all appends.
    expect(positionOf(stored, 'b0')).toBeLessThanOrEqual(before + 8);
  });

  it('games take turns of bytes, not of deliveries', async () => {
    const { stored, add, clock } = setUp();
    add('a', 200, 60 * KIB);
    add('b', 20_000, 100);
    await clock.advance(1);
    const first = stored.slice(0, 10);
    expect(first.filter((id) => id.startsWith('a'))).toHaveLength(2);
    expect(first.filter((id) => id.startsWith('b'))).toHaveLength(8);
  });

  it('a game that may have no more due waits by itself, and goes on when it may', async () => {
    let isFull = true;
    const { stored, done, add, acknowledge, turns } = setUp({ hasDue: (game) => game === 'b' || !isFull });
    add('a', 5);
    add('b', 5);
    await acknowledge();
    expect(stored).toEqual(['b0', 'b1', 'b2', 'b3', 'b4']);
    isFull = false;
    turns.resume();
    await acknowledge();
    expect(stored).toHaveLength(10);
    expect(done).toEqual(['b', 'a']);
  });

  it('nobody waits while what one game has waiting is counted; each delivery is stored or told as overflowed once', async () => {
    const counted: ((isTaken: boolean) => void)[] = [];
    const { stored, overflowed, done, add, acknowledge, clock } = setUp({
      hasQuota: (webhook) => webhook !== 'wh_a' || new Promise((resolve) => counted.push(resolve)),
    });
    add('a', 3);
    add('b', 3);
    await acknowledge();
    expect(stored).toEqual(['b0', 'b1', 'b2']);
    // More of the same game asks no second time.
    add('a', 1);
    await clock.advance(10);
    expect(counted).toHaveLength(1);
    for (let i = 0; i < 4; i++) {
      counted.shift()?.(i % 2 === 0);
      await acknowledge();
    }
    expect(stored.slice(3)).toEqual(['a0', 'a2']);
    expect(overflowed).toEqual(['a1', 'a0']);
    expect(done).toEqual(['b', 'a', 'a']);
  });

  it('a task is done once its last append is acknowledged, and an append that is given up never', async () => {
    const { done, add, clock, acknowledge, most } = setUp();
    add('a', 3);
    add('a', 0);
    await clock.advance(1);
    expect(done).toEqual(['a']);
    await acknowledge();
    expect(done).toEqual(['a', 'a']);
    expect(most()).toBeLessThanOrEqual(LIMITS.matcherAppends);
  });
});
