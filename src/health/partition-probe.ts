import type { Backend } from '../api/route/backend.ts';
import { nextTick, type Cancel, type Clock } from '../../core/kernel/clock.ts';
import { HEALTH_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import type { HealthMetrics } from './metrics.ts';
import type { Check } from './readiness.ts';

/**
 * Reads one player of each partition again and again, on the same path as a caller's read. An answer proves that this
 * process reaches the broker and that the partition has an owner on some node.
 */
export interface PartitionProbe {
  /**
   * `owners`, required: some owner answers, so this process serves every partition that has an owner. A fresh process
   * waits until all partitions have answered, but not longer than `readyPatienceMs` after the first answer.
   * `partitions`: every partition has an owner.
   */
  readonly checks: readonly Check[];
  stop(): void;
}

export interface PartitionProbeOptions {
  clock: Clock;
  partitions: number;
  backend: Pick<Backend, 'query' | 'partitionOf'>;
  metrics: Pick<HealthMetrics, 'partitionsWithoutOwner'>;
}

/** An answer older than this no longer counts: the longest time that a read may wait for a new owner. */
const FRESH_MS = SHARED_LIMITS.queryDeadlineMs;
const FIRST_PROBE_MS = 250;
const PROBE_MS = 1_000;

export function probePartitions({ clock, partitions, backend, metrics }: PartitionProbeOptions): PartitionProbe {
  const answeredMs = Array.from({ length: partitions }, () => -Infinity);
  const ids = Array.from({ length: partitions }, (_, partition) => idIn(partition, backend));
  let firstAnswerMs = Infinity;
  let started = false;
  let cancel: Cancel = () => {};

  async function probe(partition: number, id: string): Promise<void> {
    const origin = { game: '_', environment: 'test', receivedAt: clock.wallMs() } as const;
    const reply = await backend.query(origin, id, { kind: 'GetPlayer', playerId: id });
    if (reply.kind === 'failure' && reply.code !== 'PLAYER_NOT_FOUND') return;
    const nowMs = clock.monotonicMs();
    answeredMs[partition] = nowMs;
    firstAnswerMs = Math.min(firstAnswerMs, nowMs);
    started ||= withoutOwner().length === 0;
  }

  function withoutOwner(): number[] {
    const oldestMs = clock.monotonicMs() - FRESH_MS;
    return [...answeredMs.keys()].filter((partition) => (answeredMs[partition] ?? -Infinity) < oldestMs);
  }

  function probeAll(): void {
    for (const [partition, id] of ids.entries()) void probe(partition, id);
    metrics.partitionsWithoutOwner.set(withoutOwner().length);
    cancel = nextTick(clock, started ? PROBE_MS : FIRST_PROBE_MS, probeAll);
  }

  function serves(silent: readonly number[]): boolean {
    started ||= clock.monotonicMs() - firstAnswerMs >= HEALTH_LIMITS.readyPatienceMs;
    return started && silent.length < partitions;
  }

  probeAll();
  return {
    checks: [
      { name: 'owners', required: true, read: () => ({ ok: serves(withoutOwner()) }) },
      {
        name: 'partitions',
        required: false,
        read() {
          const silent = withoutOwner();
          return { ok: silent.length === 0, info: { partitions, without_owner: silent } };
        },
      },
    ],
    stop: () => cancel(),
  };
}

function idIn(partition: number, backend: Pick<Backend, 'partitionOf'>): string {
  for (let i = 0; ; i++) if (backend.partitionOf(`readiness-${i}`) === partition) return `readiness-${i}`;
}
