import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { createConcurrencyLimiter } from './concurrency-limiter.ts';
import type { Health } from './receivers.ts';

function setUp(some: { total?: number; perGroup?: number; perReceiver?: number } = {}) {
  const clock = createFakeClock();
  const limiter = createConcurrencyLimiter({
    clock,
    total: some.total ?? 100,
    perGroup: some.perGroup ?? 100,
    perReceiver: some.perReceiver ?? 8,
    waitingPerReceiver: 20,
    waitingPerFastReceiver: 60,
    progressMs: 1_000,
    silentMs: 5_000,
    maxReceivers: 1_000,
  });
  const started: string[] = [];
  const deferred: string[] = [];
  const ends = new Map<string, (health: Health) => void>();
  const offer = (receiver: string, name: string, group = 'game') =>
    limiter.offer(receiver, group, {
      run() {
        started.push(name);
        return new Promise((resolve) => ends.set(name, resolve));
      },
      defer: () => deferred.push(name),
    });
  const end = async (name: string, health: Health) => {
    ends.get(name)?.(health);
    await clock.flush();
  };
  return { clock, limiter, started, deferred, offer, end };
}

describe('the concurrency limiter', () => {
  it('starts a few jobs of a new receiver, queues some and refuses the rest', () => {
    const { offer, started } = setUp();
    const taken = Array.from({ length: 30 }, (_, i) => offer('a', `a${i}`));
    expect(started).toHaveLength(4);
    expect(taken.filter(Boolean)).toHaveLength(4 + 20);
  });

  it('queues as many jobs for a fast receiver as it accepts in two seconds, up to a bound', async () => {
    const { offer, end, clock, started } = setUp();
    let taken = 0;
    let ended = 0;
    const waiting = (): number => taken - started.length;
    const fill = (): number => {
      while (offer('a', `a${taken}`)) taken += 1;
      return waiting();
    };
    const accept = async (jobs: number): Promise<void> => {
      for (const last = ended + jobs; ended < last; ended++) await end(`a${ended}`, 'healthy');
    };
    expect(fill()).toBe(20);
    await accept(15);
    expect(fill()).toBe(30);
    await accept(25);
    expect(fill()).toBe(60);
    // A receiver that has become slow keeps no more than any other.
    await clock.advance(900);
    await accept(1);
    await clock.advance(900);
    await accept(1);
    await clock.advance(900);
    await accept(50);
    await clock.advance(2_500);
    await accept(1);
    expect(fill()).toBeLessThanOrEqual(20);
  });

  it('a game never uses all slots, however many webhooks it has, and games take turns at free slots', async () => {
    const { offer, started, end, limiter } = setUp({ total: 10, perGroup: 8 });
    for (let n = 0; n < 20; n++) for (let i = 0; i < 8; i++) offer(`a${n}`, `a${n}-${i}`, 'a');
    expect(limiter.running).toBe(8);
    for (let i = 0; i < 8; i++) offer('b', `b${i}`, 'b');
    expect(started.filter((name) => name.startsWith('b'))).toEqual(['b0', 'b1']);
    // A free slot goes to the other game first, not to one of the nineteen waiting receivers of the same game.
    await end('a0-0', 'healthy');
    await end('a0-1', 'healthy');
    expect(
      started
        .slice(-2)
        .map((name) => name.slice(0, 1))
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['a', 'b']);
    for (const name of started.filter((one) => one.startsWith('a')).slice(2)) await end(name, 'healthy');
    expect(started.filter((name) => name.startsWith('b')).length).toBeGreaterThanOrEqual(4);
  });

  it('opens a receiver’s window by one slot with every success, up to the maximum', async () => {
    const { offer, started, end, limiter } = setUp();
    for (let i = 0; i < 20; i++) offer('a', `a${i}`);
    for (let i = 0; i < 8; i++) await end(`a${i}`, 'healthy');
    expect(limiter.running).toBe(8);
    expect(started).toEqual(Array.from({ length: 16 }, (_, i) => `a${i}`));
  });

  it('a receiver is healthy until it answers with an error or is late, and unresponsive after a longer silence', async () => {
    const { clock, offer, end, limiter } = setUp();
    expect([limiter.isHealthy('a'), limiter.isUnresponsive('a')]).toEqual([true, false]);
    offer('a', 'a0');
    await clock.advance(999);
    expect(limiter.isHealthy('a')).toBe(true);
    await clock.advance(1);
    expect([limiter.isHealthy('a'), limiter.isUnresponsive('a')]).toEqual([false, false]);
    await clock.advance(4_000);
    expect([limiter.isHealthy('a'), limiter.isUnresponsive('a'), limiter.unresponsive]).toEqual([false, true, 0]);
    await end('a0', 'healthy');
    expect([limiter.isHealthy('a'), limiter.isUnresponsive('a')]).toEqual([true, false]);
    offer('a', 'a1');
    await end('a1', 'failing');
    expect([limiter.isHealthy('a'), limiter.isUnresponsive('a')]).toEqual([false, false]);
    await clock.advance(60_000);
    expect(limiter.isUnresponsive('a')).toBe(false);
    offer('a', 'a2');
    await end('a2', 'unresponsive');
    expect([limiter.isHealthy('a'), limiter.isUnresponsive('a'), limiter.unresponsive]).toEqual([false, true, 1]);
  });

  it('an unresponsive receiver falls to one slot, and its waiting jobs are deferred', async () => {
    const { offer, deferred, end, limiter } = setUp();
    for (let i = 0; i < 10; i++) offer('a', `a${i}`);
    await end('a0', 'unresponsive');
    expect(deferred).toEqual(['a4', 'a5', 'a6', 'a7', 'a8', 'a9']);
    for (const name of ['a1', 'a2', 'a3']) await end(name, 'unresponsive');
    expect(offer('a', 'b')).toBe(true);
    expect(offer('a', 'c')).toBe(false);
    expect(limiter.running).toBe(1);
    await end('b', 'healthy');
    expect([offer('a', 'd'), offer('a', 'e')]).toEqual([true, true]);
    expect(limiter.running).toBe(2);
  });

  it('the waiting jobs of a receiver without progress are deferred', async () => {
    const { clock, limiter, offer, deferred } = setUp();
    for (let i = 0; i < 4; i++) offer('a', `a${i}`);
    expect(offer('a', 'waits')).toBe(true);
    await clock.advance(999);
    limiter.sweep();
    expect(deferred).toEqual([]);
    await clock.advance(1);
    expect(offer('a', 'refused')).toBe(false);
    limiter.sweep();
    expect(deferred).toEqual(['waits']);
  });

  it('a job that waits because all slots are in use is deferred after a while', async () => {
    const { clock, limiter, offer, deferred, started } = setUp({ total: 1 });
    offer('unresponsive', 'u');
    expect(offer('healthy', 'h')).toBe(true);
    await clock.advance(1_000);
    limiter.sweep();
    expect([started, deferred]).toEqual([['u'], ['h']]);
    await clock.advance(10_000);
    expect(offer('healthy', 'h again')).toBe(true);
  });

  it('never runs more jobs than the total, and receivers take turns at free slots', async () => {
    const { offer, started, end, limiter } = setUp({ total: 2 });
    offer('a', 'a0');
    offer('a', 'a1');
    for (const name of ['a2', 'a3']) offer('a', name);
    for (const name of ['b0', 'b1']) offer('b', name);
    expect(limiter.running).toBe(2);
    await end('a0', 'healthy');
    await end('a1', 'healthy');
    await end('a2', 'healthy');
    expect(started).toEqual(['a0', 'a1', 'a2', 'b0', 'a3']);
    expect(limiter.running).toBe(2);
  });

  it('unresponsive receivers leave slots for a healthy one', async () => {
    const { offer, started, end } = setUp({ total: 20 });
    for (const name of ['u1', 'u2', 'u3']) for (let i = 0; i < 50; i++) offer(name, `${name}-${i}`);
    for (let i = 0; i < 3; i++) {
      offer('h', `h${i}`);
      await end(`h${i}`, 'healthy');
    }
    expect(started.filter((name) => name.startsWith('h'))).toEqual(['h0', 'h1', 'h2']);
  });
});
