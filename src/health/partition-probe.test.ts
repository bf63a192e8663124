import { beforeEach, describe, expect, it } from 'vitest';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import { createFakeClock, type FakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { failure } from '../../core/kernel/errors.ts';
import { HEALTH_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { createMetrics } from '../parts/metrics.ts';
import { type PartitionProbe, probePartitions } from './partition-probe.ts';
import { createReadiness } from './readiness.ts';

const PARTITIONS = 16;

describe('readiness', () => {
  let clock: FakeClock;
  let owned: Set<number>;
  const metrics = createMetrics();
  beforeEach(() => {
    clock = createFakeClock();
    owned = new Set();
  });

  /** A process whose owners answer reads of the partitions in `owned`. */
  function start(): { readiness: ReturnType<typeof createReadiness>; probe: PartitionProbe } {
    const partitionOf = (id: string) => Number(id.split('-')[1]) % PARTITIONS;
    const query = (_origin: unknown, id: string): Promise<Reply> => {
      if (owned.has(partitionOf(id))) return Promise.resolve(failure('PLAYER_NOT_FOUND'));
      return Promise.resolve(failure('SERVICE_UNAVAILABLE'));
    };
    const probe = probePartitions({ clock, partitions: PARTITIONS, backend: { query, partitionOf }, metrics });
    return { probe, readiness: createReadiness(probe.checks) };
  }

  const own = (count: number) => {
    owned = new Set(Array.from({ length: count }, (_, partition) => partition));
  };

  it('of a fresh process begins when every partition has answered', async () => {
    const { readiness, probe } = start();
    own(PARTITIONS - 1);
    await clock.advance(5_000);
    expect(readiness().ready).toBe(false);
    own(PARTITIONS);
    await clock.advance(1_000);
    expect(readiness()).toMatchObject({ ready: true, checks: { owners: true, partitions: true } });
    probe.stop();
  });

  it('of a gateway stays while one partition of 16 has no owner, and the verbose form names it', async () => {
    own(PARTITIONS);
    const { readiness, probe } = start();
    await clock.advance(1_000);
    owned.delete(3);
    await clock.advance(60_000);
    const { ready, checks, details } = readiness();
    expect({ ready, checks }).toEqual({ ready: true, checks: { owners: true, partitions: false } });
    expect(details.at(-1)).toEqual({
      name: 'partitions',
      ok: false,
      required: false,
      info: { partitions: PARTITIONS, without_owner: [3] },
    });
    expect(await metrics.text()).toContain('gateway_partitions_without_owner 1\n');
    probe.stop();
  });

  it('of a fresh gateway begins although one partition stays without an owner, after a wait', async () => {
    own(PARTITIONS - 1);
    const { readiness, probe } = start();
    await clock.advance(HEALTH_LIMITS.readyPatienceMs - 1_000);
    expect(readiness().ready).toBe(false);
    await clock.advance(2_000);
    expect(readiness().ready).toBe(true);
    probe.stop();
  });

  it('ends while no owner answers', async () => {
    own(PARTITIONS);
    const { readiness, probe } = start();
    await clock.advance(1_000);
    own(0);
    await clock.advance(SHARED_LIMITS.queryDeadlineMs + 1_000);
    expect(readiness()).toMatchObject({ ready: false, checks: { owners: false } });
    own(1);
    await clock.advance(1_000);
    expect(readiness().ready).toBe(true);
    probe.stop();
  });
});
