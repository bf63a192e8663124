import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { MATCHING_LIMITS } from './limits.ts';
import type { DeliveryBatch } from './delivery-batches.ts';
import { createDeliveryTurns } from './delivery-turns.ts';
import type { MatchTask } from './game-tasks.ts';
import { aDelivery } from '../testing-webhooks.ts';

const KIB = 1024;

function setUp(
  some: { hasDue?: (game: string) => boolean; hasQuota?: (webhook: string) => boolean | Promise<boolean> } = {},
) {
  const clock = createFakeClock();
  const stored: string[] = [];
  const overflowed: string[] = [];
  const failures: unknown[] = [];
  const open: (() => void)[] = [];
  let inProgress = 0;
  let most = 0;
  const turns = createDeliveryTurns({
    clock,
    webhookQuota: { take: ({ webhook }) => some.hasQuota?.(webhook) ?? true },
    dueQuota: { has: ({ game }) => some.hasDue?.(game) ?? true, add: () => () => {} },
    deliveriesQuota: { take: () => true, waitFor: async () => {} },
    append(deliveries) {
      stored.push(...deliveries.map(({ id }) => id));
      inProgress += 1;
      most = Math.max(most, inProgress);
      return new Promise((resolve) =>
        open.push(() => {
          inProgress -= 1;
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
    const deliveries = (function* (): Generator<DeliveryBatch> {
      for (let i = 0; i < count; i++) yield [aDelivery({ id: `${game}${i}`, game, webhook, data })];
    })();
    const scope = { game, environment: 'live' as const };
    const task: MatchTask = { scope, sequence: 1, sizeBytes: 100, deliveries, onDone: () => done.push(game) };
    turns.add(task);
  };
  /** Lets the broker acknowledge the appends one by one, until there are none or `until` is true. */
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

describe('delivery turns', () => {
  it('18,000 large deliveries of one game delay another game’s delivery by at most half of the append bytes', async () => {
    const { stored, add, acknowledge, clock } = setUp();
    add('a', 9_000, 10 * KIB);
    add('a', 9_000, 10 * KIB);
    await clock.advance(1);
    const before = stored.length;
    add('b', 1);
    await acknowledge(() => stored.includes('b0'));
    expect(before * 10 * KIB).toBeLessThanOrEqual(MATCHING_LIMITS.matcherAppendBytes / 2 + 11 * KIB);
    // It waits for no acknowledgement, because one game never has all appends.
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

  it('a game whose due quota is used up delays no other game, and continues when it has quota again', async () => {
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

  it('no game waits while another is counted; each delivery is stored, or reported as overflowed, once', async () => {
    const counted: ((isTaken: boolean) => void)[] = [];
    const { stored, overflowed, done, add, acknowledge, clock } = setUp({
      hasQuota: (webhook) => webhook !== 'wh_a' || new Promise((resolve) => counted.push(resolve)),
    });
    add('a', 3);
    add('b', 3);
    await acknowledge();
    expect(stored).toEqual(['b0', 'b1', 'b2']);
    // A further task of the same game causes no second count.
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

  it('a task is done once its last append is acknowledged, and a task without deliveries at once', async () => {
    const { done, add, clock, acknowledge, most } = setUp();
    add('a', 3);
    add('a', 0);
    await clock.advance(1);
    expect(done).toEqual(['a']);
    await acknowledge();
    expect(done).toEqual(['a', 'a']);
    expect(most()).toBeLessThanOrEqual(MATCHING_LIMITS.matcherAppends);
  });
});
