import type { Clock } from '../../../core/kernel/clock.ts';
import { LIMITS } from '../../../core/kernel/limits.ts';
import type { Child } from '../processes/child.ts';

export interface BrokerRestartsOptions {
  /** Undefined where the broker runs elsewhere. */
  broker: Pick<Child, 'pid' | 'restart'> | undefined;
  clock: Pick<Clock, 'monotonicMs'>;
  report: (line: string) => void;
}

/** A line of the report that tests read. */
export const BROKER_RESTARTED = 'nats answers but stores nothing; restarting it';

/**
 * Restarts the broker when the service reports that it stores nothing: nats-server does not write again after it met a
 * full disk, also when the disk has space. If a restart does not help, the pause until the next one doubles, because
 * each restart interrupts what still works.
 */
export function createBrokerRestarts({ broker, clock, report }: BrokerRestartsOptions): () => void {
  let lastMs = -Infinity;
  let pauseMs: number = LIMITS.brokerRestartMs;
  return () => {
    const sinceMs = clock.monotonicMs() - lastMs;
    if (broker?.pid === undefined || sinceMs < pauseMs) return;
    const helped = sinceMs >= LIMITS.brokerRestartMaxMs;
    pauseMs = helped ? LIMITS.brokerRestartMs : Math.min(2 * pauseMs, LIMITS.brokerRestartMaxMs);
    lastMs = clock.monotonicMs();
    report(BROKER_RESTARTED);
    broker.restart(LIMITS.dependencyStopMs);
  };
}
