import type { Backend } from './gateway/backend/backend.ts';
import type { Cancel, Clock } from './kernel/clock.ts';

/** The state behind `/readyz`: ready if the service can answer requests now. */
export interface Readiness {
  (): { ready: boolean; checks: Record<string, boolean> };
  stop(): void;
}

export interface ReadinessOptions {
  clock: Clock;
  partitions: number;
  backend: Backend;
  logConnected: () => boolean;
}

/** A reply older than this no longer counts. */
const FRESH_MS = 3_000;
const PROBE_MS = 500;

/**
 * Repeatedly reads one player of each partition, on the same path as a caller's read. A reply proves that the log is
 * reachable and that the partition has an owner on some node. ClickHouse and webhooks do not count, because outputs
 * never delay inputs.
 */
export function watchReadiness({ clock, partitions, backend, logConnected }: ReadinessOptions): Readiness {
  const answeredMs = Array.from({ length: partitions }, () => -Infinity);
  const ids = Array.from({ length: partitions }, (_, partition) => idIn(partition, backend));
  let cancel: Cancel = () => {};

  async function probe(partition: number, id: string): Promise<void> {
    const origin = { game: '_', environment: 'test', receivedAt: clock.wallMs() } as const;
    const reply = await backend.ask(origin, id, { kind: 'GetPlayer', playerId: id });
    const answered = reply.kind !== 'failure' || reply.code === 'PLAYER_NOT_FOUND';
    if (answered) answeredMs[partition] = clock.monotonicMs();
  }

  function probeAll(): void {
    for (const [partition, id] of ids.entries()) void probe(partition, id);
    cancel = clock.timer(PROBE_MS, probeAll);
  }

  probeAll();
  return Object.assign(
    () => {
      const oldestMs = clock.monotonicMs() - FRESH_MS;
      const checks = { log: logConnected(), partitions: answeredMs.every((atMs) => atMs >= oldestMs) };
      return { ready: checks.log && checks.partitions, checks };
    },
    { stop: () => cancel() },
  );
}

function idIn(partition: number, backend: Backend): string {
  for (let i = 0; ; i++) if (backend.partitionOf(`readiness-${i}`) === partition) return `readiness-${i}`;
}
