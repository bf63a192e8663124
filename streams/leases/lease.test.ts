import { beforeEach, describe, expect, test } from 'vitest';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import type { FakeClock, FakeNode } from '../../test/support/in-memory/fake-clock.ts';
import { contend } from './lease.ts';
import type { Lease, LeaseOptions } from './lease.ts';
import { createMemoryBroker } from '../log/memory/log-memory.ts';
import type { MemoryBroker, MemoryFaults, MemoryLog } from '../log/memory/log-memory.ts';
import type { WriteFault } from '../log/memory/connection.ts';

const { leaseMs, leaseMarginMs, leaseRenewMs } = SHARED_LIMITS;

interface Contender {
  name: string;
  lease: Lease;
  node: FakeNode;
  log: MemoryLog;
  events: string[];
}

describe('the lease', () => {
  let clock: FakeClock;
  let faults: MemoryFaults;
  let broker: MemoryBroker;
  let contenders: Contender[];
  let mostHolders: number;

  beforeEach(() => {
    clock = createFakeClock();
    faults = {};
    broker = createMemoryBroker({ clock, faults });
    contenders = [];
    mostHolders = 0;
  });

  function join(name: string, options: Partial<LeaseOptions> = {}): Contender {
    const node = clock.node();
    const log = broker.connect(name);
    const events: string[] = [];
    const lease = contend({
      bucket: log.bucket('OWNERS'),
      key: 'partition.0',
      holder: name,
      clock: node,
      onAcquired: () => events.push('acquired'),
      onLost: () => events.push('lost'),
      ...options,
    });
    const contender = { name, lease, node, log, events };
    contenders.push(contender);
    return contender;
  }

  const holders = () => contenders.filter(({ lease }) => lease.held()).map(({ name }) => name);

  /** Moves time on in small steps and notes how many trusted the lease at once. */
  async function pass(durationMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 10) {
      await clock.advance(Math.min(10, durationMs - passedMs));
      mostHolders = Math.max(mostHolders, holders().length);
    }
  }

  /** How long until `contender` holds it. */
  async function timeUntilHeld(contender: Contender): Promise<number> {
    const startMs = clock.monotonicMs();
    while (!contender.lease.held()) {
      if (clock.monotonicMs() - startMs > 60_000) throw new Error(`${contender.name} never got the lease`);
      await pass(10);
    }
    return clock.monotonicMs() - startMs;
  }

  test('goes to one of two contenders, who keeps it', async () => {
    const a = join('a');
    const b = join('b');
    await pass(20_000);
    expect(mostHolders).toBe(1);
    expect([a.events, b.events].filter((events) => events.length > 0)).toEqual([['acquired']]);
  });

  test('a released lease is taken at the next read without waiting', async () => {
    const a = join('a');
    await timeUntilHeld(a);
    const b = join('b');
    await pass(leaseMs * 2);
    const released = a.lease.release();
    expect(a.lease.held()).toBe(false);
    expect(await timeUntilHeld(b)).toBeLessThanOrEqual(leaseRenewMs);
    await released;
    expect(a.events).toEqual(['acquired', 'lost']);
    expect(mostHolders).toBe(1);
  });

  test('a silent holder is replaced after lease and margin, not sooner', async () => {
    const a = join('a');
    await timeUntilHeld(a);
    const b = join('b');
    await pass(1_000);
    const lastBeat = broker.bucket('OWNERS').get('partition.0')?.revision;
    a.node.kill();
    a.log.kill();
    const waitedMs = await timeUntilHeld(b);
    expect(broker.bucket('OWNERS').get('partition.0')?.revision).toBe((lastBeat ?? 0) + 1);
    // The last renewal was at most one renewal before; the look that saw it at most one look after it.
    expect(waitedMs).toBeGreaterThanOrEqual(leaseMs + leaseMarginMs - leaseRenewMs);
    expect(waitedMs).toBeLessThanOrEqual(leaseMs + leaseMarginMs + leaseRenewMs);
    expect(mostHolders).toBe(1);
  });

  test('a new contender that never saw the holder alive waits lease and margin too', async () => {
    const a = join('a');
    await timeUntilHeld(a);
    a.node.kill();
    a.log.kill();
    await clock.advance(leaseMs * 10);
    const b = join('b');
    expect(await timeUntilHeld(b)).toBeGreaterThanOrEqual(leaseMs + leaseMarginMs);
  });

  test('a contender that begins to want it after the holder fell silent does not wait again', async () => {
    const a = join('a');
    await timeUntilHeld(a);
    let wanted = false;
    const b = join('b', { wanted: () => wanted });
    await pass(leaseMs);
    a.node.kill();
    a.log.kill();
    await pass(leaseMs + leaseMarginMs);
    wanted = true;
    expect(await timeUntilHeld(b)).toBeLessThanOrEqual(2 * leaseRenewMs);
    expect(mostHolders).toBe(1);
  });

  test('a holder known to be gone is replaced at once', async () => {
    const a = join('a-1');
    await timeUntilHeld(a);
    a.node.kill();
    a.log.kill();
    const again = join('a-2', { isGone: (holder) => holder === 'a-1' });
    expect(await timeUntilHeld(again)).toBeLessThanOrEqual(100);
  });

  test('a holder whose renewals are lost stops trusting it in time, and contends again', async () => {
    const a = join('a');
    const b = join('b');
    await timeUntilHeld(a);
    await pass(100);
    faults.onBucketWrite = ({ client }): WriteFault => (client === 'a' ? 'lose_request' : 'deliver');
    await timeUntilHeld(b);
    expect(a.events).toEqual(['acquired', 'lost']);
    delete faults.onBucketWrite;
    b.node.kill();
    b.log.kill();
    await timeUntilHeld(a);
    expect(mostHolders).toBe(1);
    expect(a.events).toEqual(['acquired', 'lost', 'acquired']);
  });

  test('calls onLost when trust ends, also while the broker is unreachable', async () => {
    const a = join('a');
    await timeUntilHeld(a);
    a.log.disconnect();
    await pass(leaseMs);
    expect(a.events).toEqual(['acquired', 'lost']);
    a.log.reconnect();
    await timeUntilHeld(a);
    expect(a.events).toEqual(['acquired', 'lost', 'acquired']);
  });

  test('one stored renewal without an answer does not cost the lease', async () => {
    const a = join('a');
    const b = join('b');
    await timeUntilHeld(a);
    let lost = 0;
    faults.onBucketWrite = ({ client }): WriteFault => {
      if (client !== 'a' || lost > 0) return 'deliver';
      lost += 1;
      return 'lose_ack';
    };
    await pass(leaseMs * 3);
    expect(lost).toBe(1);
    expect(a.events).toEqual(['acquired']);
    expect(b.events).toEqual([]);
  });

  test('one renewal that never arrived does not cost the lease', async () => {
    const a = join('a');
    await timeUntilHeld(a);
    let lost = 0;
    faults.onBucketWrite = (): WriteFault => ((lost += 1) === 1 ? 'lose_request' : 'deliver');
    await pass(leaseMs * 3);
    expect(lost).toBeGreaterThan(1);
    expect(a.events).toEqual(['acquired']);
  });

  test('answers that are always lost never make a holder', async () => {
    faults.onBucketWrite = () => 'lose_ack';
    const a = join('a');
    const b = join('b');
    await pass(leaseMs * 5);
    expect(mostHolders).toBe(0);
    expect([...a.events, ...b.events]).toEqual([]);
  });

  test('an answer that comes after trust would have ended gives no trust', async () => {
    faults.onBucketWrite = () => ({ ackDelayMs: leaseMs + 100 });
    const a = join('a');
    await pass(leaseMs * 3);
    expect(a.lease.held()).toBe(false);
    expect(a.events).toEqual([]);
  });

  test('a renewal that arrives after the lease went to another changes nothing', async () => {
    const a = join('a');
    const b = join('b');
    await timeUntilHeld(a);
    faults.onBucketWrite = ({ client }): WriteFault => (client === 'a' ? { requestDelayMs: leaseMs * 3 } : 'deliver');
    await timeUntilHeld(b);
    await pass(leaseMs * 5);
    expect(holders()).toEqual(['b']);
    expect(b.events).toEqual(['acquired']);
    expect(mostHolders).toBe(1);
  });

  test('a paused holder does not trust it for one tick after it resumes', async () => {
    const a = join('a');
    await timeUntilHeld(a);
    const b = join('b');
    await pass(500);
    a.node.pause();
    await pass(leaseMs);
    expect(a.lease.held()).toBe(false);
    await timeUntilHeld(b);
    a.node.resume();
    expect(a.lease.held()).toBe(false);
    await pass(leaseMs * 2);
    expect(a.events).toEqual(['acquired', 'lost']);
    expect(holders()).toEqual(['b']);
    expect(mostHolders).toBe(1);
  });

  test.each([60 * 60 * 1000, -60 * 60 * 1000])(
    'a wall clock that jumps by %i ms ends trust at once; a new renewal restores it',
    async (jumpMs) => {
      const a = join('a');
      const b = join('b');
      await timeUntilHeld(a);
      await pass(2_000);
      a.node.jumpWall(jumpMs);
      expect(a.lease.held()).toBe(false);
      await timeUntilHeld(a);
      expect(a.events).toEqual(['acquired', 'lost', 'acquired']);
      expect(b.events).toEqual([]);
      expect(mostHolders).toBe(1);
    },
  );

  test('a contender whose wall clock jumps gains nothing by it', async () => {
    const a = join('a');
    const b = join('b');
    await timeUntilHeld(a);
    b.node.jumpWall(24 * 60 * 60 * 1000);
    await pass(leaseMs * 3);
    b.node.jumpWall(-48 * 60 * 60 * 1000);
    await pass(leaseMs * 3);
    expect(holders()).toEqual(['a']);
    expect(a.events).toEqual(['acquired']);
  });

  test('a holder that no longer wants it releases it', async () => {
    let wantedByA = true;
    const a = join('a', { wanted: () => wantedByA });
    await timeUntilHeld(a);
    const b = join('b');
    await pass(leaseMs);
    wantedByA = false;
    expect(await timeUntilHeld(b)).toBeLessThanOrEqual(2 * leaseRenewMs);
    expect(a.events).toEqual(['acquired', 'lost']);
    expect(mostHolders).toBe(1);
  });

  test('a release frees the key even when a renewal is under way', async () => {
    faults.latencyMs = (client) => (client === 'a' ? 40 : 0);
    const a = join('a');
    await timeUntilHeld(a);
    const before = broker.bucket('OWNERS').get('partition.0')?.revision;
    const b = join('b');
    await clock.advanceUntil(() => broker.bucket('OWNERS').get('partition.0')?.revision !== before);
    const released = a.lease.release();
    expect(await timeUntilHeld(b)).toBeLessThanOrEqual(leaseRenewMs);
    await released;
    expect(mostHolders).toBe(1);
  });

  test('release resolves although the broker is unreachable', async () => {
    const a = join('a');
    await timeUntilHeld(a);
    a.log.disconnect();
    let settled = false;
    void a.lease.release().then(() => {
      settled = true;
    });
    await pass(leaseMs);
    expect(settled).toBe(true);
    expect(a.events).toEqual(['acquired', 'lost']);
  });

  test.each(['"odd"', '{"holder":', '{}', '{"holder":{"node":"n"}}', '{"leader":"n","term":3}'])(
    'a value of an unknown form (%s), e.g. of a newer version, counts as taken while it changes',
    async (value) => {
      const bucket = broker.connect().bucket('OWNERS');
      await bucket.put('partition.0', Buffer.from(value));
      const a = join('a');
      for (let renewal = 0; renewal < 5; renewal++) {
        await pass(leaseRenewMs);
        await bucket.put('partition.0', Buffer.from(value));
      }
      expect(a.events).toEqual([]);
      const waitedMs = await timeUntilHeld(a);
      expect(waitedMs).toBeGreaterThanOrEqual(leaseMs + leaseMarginMs);
      expect(waitedMs).toBeLessThanOrEqual(leaseMs + leaseMarginMs + 2 * leaseRenewMs);
    },
  );

  test.each(['{"holder":null,"beat":0}', '{"holder":null,"beat":0,"newer":1}'])(
    'a released value (%s) is free',
    async (value) => {
      await broker.connect().bucket('OWNERS').put('partition.0', Buffer.from(value));
      const a = join('a');
      expect(await timeUntilHeld(a)).toBeLessThanOrEqual(100);
    },
  );
});
