import type { Backend } from './gateway/backend.ts';
import type { Cancel, Clock } from './kernel/clock.ts';

/** What `/readyz` says: ready when requests would be answered just now. */
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

/** An answer older than this proves nothing any more. */
const FRESH_MS = 3_000;
const PROBE_MS = 500;

/**
 * Reads one entity of each partition all the time, through the same path as a caller's read: what is answered says that the
 * log is reached and that the partition has an owner, wherever it runs. ClickHouse and webhooks do not count: outputs never
 * hold up inputs.
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
