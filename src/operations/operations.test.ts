import { describe, expect, it } from 'vitest';
import { encodeBeat } from '../../actors/runtime/membership/member-beat.ts';
import { FORMAT } from '../../core/vocabulary/formats.ts';
import { encodeJson } from '../../core/codec/codec.ts';
import { leaseHolder } from '../../streams/leases/lease-holder.ts';
import { createMemoryBroker, type MemoryFaults } from '../../streams/log/memory/log-memory.ts';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { OPERATIONS_LIMITS } from '../api/operations/limits.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { startProcessBeat } from '../process/process-beat.ts';
import { createOperations } from './operations.ts';

/** A broker, and what operators see of it. */
function world(faults: MemoryFaults = {}) {
  const clock = createFakeClock();
  const broker = createMemoryBroker({ clock, faults });
  const log = broker.connect('process');
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    let done = false;
    void promise.finally(() => (done = true));
    await clock.advanceUntil(() => done);
    return promise;
  };
  const operations = createOperations({
    log,
    clock,
    partitions: 2,
    disk: { figures: { free_bytes: 7, size_bytes: 10, reserve_bytes: 1 }, low: false },
    forecaster: { latest: undefined },
    brokerClock: { aheadMs: undefined, fault: () => undefined },
    logger: silentLogger,
  });
  const put = (key: string, value: Uint8Array) => settled(log.bucket('OWNERS').put(key, value));
  const lease = (key: string, holder: string | null) => put(key, encodeJson({ holder, beat: 1 }));
  const member = (node: string, ready: number[], refuses: number[] = [], reason?: string) =>
    put(
      `member.${node}`,
      encodeBeat({
        beat: 1,
        ready: new Set(ready),
        refuses: new Set(refuses),
        ...(reason === undefined ? {} : { reason }),
      }),
    );
  const deployment = async () => {
    const found = await settled(operations.deployment());
    if (found === undefined) throw new Error('the broker does not answer');
    return found;
  };
  return { clock, broker, log, operations, settled, lease, member, deployment };
}

describe('the state of a deployment', () => {
  it('names owners, those who stand by and those who refuse', async () => {
    const { lease, member, deployment } = world();
    await lease('partition.0', leaseHolder('n-a', '12345678'));
    await lease('partition.1', null);
    await member('n-a', [0, 1]);
    await member('n-b', [0], [1], 'store');
    const { partitions, processes, format } = await deployment();
    expect(partitions).toEqual([
      { partition: 0, owner: 'n-a', standbys: ['n-b'], refusedBy: [] },
      { partition: 1, owner: undefined, standbys: ['n-a'], refusedBy: ['n-b'] },
    ]);
    expect(processes).toMatchObject([
      { node: 'n-a', owned: 1, ready: 1, refusal: undefined },
      { node: 'n-b', owned: 0, ready: 1, refusal: 'store' },
    ]);
    // Members that have not stated their format.
    expect(format).toEqual({ own: FORMAT, lowest: 0 });
  });

  it('shows the version, roles and start of each process, and leaves out those that are gone', async () => {
    const { clock, log, lease, deployment } = world();
    await lease('partition.0', leaseHolder('n-gone', '12345678'));
    await clock.advance(SHARED_LIMITS.leaseMs + SHARED_LIMITS.leaseMarginMs + 1);
    const startedAt = clock.wallMs();
    const about = { version: '1.2.3', startedAt };
    const beat = startProcessBeat({ bucket: log.bucket('OWNERS'), node: 'n-1', roles: ['gateway'], about, clock });
    await clock.advance(100);
    const { processes, partitions, format } = await deployment();
    expect(processes).toMatchObject([{ node: 'n-1', roles: ['gateway'], version: '1.2.3', startedAt, format: FORMAT }]);
    expect(partitions[0]?.owner).toBeUndefined();
    expect(format).toEqual({ own: FORMAT, lowest: FORMAT });
    const stopping = beat.stop();
    await clock.advance(100);
    await stopping;
  });

  it('shows how far sinks are, and who runs them', async () => {
    const { clock, broker, log, lease, deployment, settled } = world();
    await settled(log.append('facts.0', Buffer.from('x')));
    const firstMs = clock.wallMs();
    await settled(log.append('facts.0', Buffer.from('y')));
    const stream = broker.stream('FACTS').bounds().created;
    await settled(log.bucket('POSITIONS').put('clickhouse', encodeJson({ stream, sequence: 1, lost: true })));
    await lease('sink.clickhouse', leaseHolder('n-a', '12345678'));
    const { sinks, streams } = await deployment();
    const [clickhouse, webhooks] = sinks;
    expect(clickhouse).toMatchObject({ sink: 'clickhouse', holder: 'n-a', behind: 1, lost: true });
    expect(clickhouse?.oldestAt).toBeGreaterThanOrEqual(firstMs);
    expect(webhooks).toMatchObject({ sink: 'webhooks', holder: undefined, behind: undefined, oldestAt: undefined });
    expect(streams).toContainEqual(expect.objectContaining({ name: 'FACTS', records: 2 }));
  });

  it('is read once for callers at one time, and again after a second', async () => {
    const { clock, lease, deployment } = world();
    const [one, other] = await Promise.all([deployment(), deployment()]);
    expect(other).toBe(one);
    await lease('partition.0', leaseHolder('n-a', '12345678'));
    await clock.advance(OPERATIONS_LIMITS.opsStatusKeptMs);
    expect((await deployment()).partitions[0]?.owner).toBe('n-a');
  });

  it('counts the scheduled retries of one game only', async () => {
    const { operations, settled } = world();
    const queue = await settled(operations.webhooks({ game: 'demo', environment: 'live' }));
    expect(queue).toEqual({ records: 0, bytes: 0, retries: 0 });
  });
});
