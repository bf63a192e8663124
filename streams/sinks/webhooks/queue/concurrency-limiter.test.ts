import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { type Health, createConcurrencyLimiter } from './concurrency-limiter.ts';

function setUp(some: { total?: number; perGroup?: number; perLane?: number } = {}) {
  const clock = createFakeClock();
  const lanes = createConcurrencyLimiter({
    clock,
    total: some.total ?? 100,
    perGroup: some.perGroup ?? 100,
    perLane: some.perLane ?? 8,
    waitingPerLane: 20,
    progressMs: 1_000,
    silentMs: 5_000,
    maxLanes: 1_000,
  });
  const started: string[] = [];
  const defer: string[] = [];
  const ends = new Map<string, (health: Health) => void>();
  const offer = (lane: string, name: string, group = 'game') =>
    lanes.offer(lane, group, {
      run() {
        started.push(name);
        return new Promise((resolve) => ends.set(name, resolve));
      },
      defer: () => defer.push(name),
    });
  const end = async (name: string, health: Health) => {
    ends.get(name)?.(health);
    await clock.settle();
  };
  return { clock, lanes, started, defer, offer, end };
}

describe('lanes', () => {
  it('starts a few jobs of a new receiver, lets some wait and refuses the rest', () => {
    const { offer, started } = setUp();
    const taken = Array.from({ length: 30 }, (_, i) => offer('a', `a${i}`));
    expect(started).toHaveLength(4);
    expect(taken.filter(Boolean)).toHaveLength(4 + 20);
  });

  it('a game leaves places to others however many webhooks it has, and games take turns at free places', async () => {
    const { offer, started, end, lanes } = setUp({ total: 10, perGroup: 8 });
    for (let lane = 0; lane < 20; lane++) for (let i = 0; i < 8; i++) offer(`a${lane}`, `a${lane}-${i}`, 'a');
    expect(lanes.running).toBe(8);
    for (let i = 0; i < 8; i++) offer('b', `b${i}`, 'b');
    expect(started.filter((name) => name.startsWith('b'))).toEqual(['b0', 'b1']);
    // Each place that is free goes to the other game first, not to one of the nineteen lanes that wait.
    await end('a0-0', 'well');
    await end('a0-1', 'well');
    expect(
      started
        .slice(-2)
        .map((name) => name.slice(0, 1))
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['a', 'b']);
    for (const name of started.filter((one) => one.startsWith('a')).slice(2)) await end(name, 'well');
    expect(started.filter((name) => name.startsWith('b')).length).toBeGreaterThanOrEqual(4);
  });

  it('opens up with every success, up to its most', async () => {
    const { offer, started, end, lanes } = setUp();
    for (let i = 0; i < 20; i++) offer('a', `a${i}`);
    for (let i = 0; i < 8; i++) await end(`a${i}`, 'well');
    expect(lanes.running).toBe(8);
    expect(started).toEqual(Array.from({ length: 16 }, (_, i) => `a${i}`));
  });

  it('a receiver is well until it refuses or owes an answer, and hangs once it owes one for long', async () => {
    const { clock, offer, end, lanes } = setUp();
    expect([lanes.isWell('a'), lanes.isHanging('a')]).toEqual([true, false]);
    offer('a', 'a0');
    await clock.advance(999);
    expect(lanes.isWell('a')).toBe(true);
    await clock.advance(1);
    expect([lanes.isWell('a'), lanes.isHanging('a')]).toEqual([false, false]);
    await clock.advance(4_000);
    expect([lanes.isWell('a'), lanes.isHanging('a'), lanes.hanging]).toEqual([false, true, 0]);
    await end('a0', 'well');
    expect([lanes.isWell('a'), lanes.isHanging('a')]).toEqual([true, false]);
    offer('a', 'a1');
    await end('a1', 'failing');
    expect([lanes.isWell('a'), lanes.isHanging('a')]).toEqual([false, false]);
    await clock.advance(60_000);
    expect(lanes.isHanging('a')).toBe(false);
    offer('a', 'a2');
    await end('a2', 'hanging');
    expect([lanes.isWell('a'), lanes.isHanging('a'), lanes.hanging]).toEqual([false, true, 1]);
  });

  it('a receiver that hangs falls to one place and keeps nobody waiting', async () => {
    const { offer, defer, end, lanes } = setUp();
    for (let i = 0; i < 10; i++) offer('a', `a${i}`);
    await end('a0', 'hanging');
    expect(defer).toEqual(['a4', 'a5', 'a6', 'a7', 'a8', 'a9']);
    for (const name of ['a1', 'a2', 'a3']) await end(name, 'hanging');
    expect(offer('a', 'b')).toBe(true);
    expect(offer('a', 'c')).toBe(false);
    expect(lanes.running).toBe(1);
    await end('b', 'well');
    expect([offer('a', 'd'), offer('a', 'e')]).toEqual([true, true]);
    expect(lanes.running).toBe(2);
  });

  it('a receiver without progress for a while keeps nobody waiting', async () => {
    const { clock, lanes, offer, defer } = setUp();
    for (let i = 0; i < 4; i++) offer('a', `a${i}`);
    expect(offer('a', 'waits')).toBe(true);
    await clock.advance(999);
    lanes.sweep();
    expect(defer).toEqual([]);
    await clock.advance(1);
    expect(offer('a', 'refused')).toBe(false);
    lanes.sweep();
    expect(defer).toEqual(['waits']);
  });

  it('who finds all places taken does not wait for ever', async () => {
    const { clock, lanes, offer, defer, started } = setUp({ total: 1 });
    offer('sick', 's');
    expect(offer('well', 'w')).toBe(true);
    await clock.advance(1_000);
    lanes.sweep();
    expect([started, defer]).toEqual([['s'], ['w']]);
    await clock.advance(10_000);
    expect(offer('well', 'w again')).toBe(true);
  });

  it('never runs more than the total, and lanes take turns at free places', async () => {
    const { offer, started, end, lanes } = setUp({ total: 2 });
    offer('a', 'a0');
    offer('a', 'a1');
    for (const name of ['a2', 'a3']) offer('a', name);
    for (const name of ['b0', 'b1']) offer('b', name);
    expect(lanes.running).toBe(2);
    await end('a0', 'well');
    await end('a1', 'well');
    await end('a2', 'well');
    expect(started).toEqual(['a0', 'a1', 'a2', 'b0', 'a3']);
    expect(lanes.running).toBe(2);
  });

  it('hanging receivers leave places for one that is well', async () => {
    const { offer, started, end } = setUp({ total: 20 });
    for (const lane of ['s1', 's2', 's3']) for (let i = 0; i < 50; i++) offer(lane, `${lane}-${i}`);
    for (let i = 0; i < 3; i++) {
      offer('w', `w${i}`);
      await end(`w${i}`, 'well');
    }
    expect(started.filter((name) => name.startsWith('w'))).toEqual(['w0', 'w1', 'w2']);
  });
});
