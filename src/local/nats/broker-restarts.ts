import type { Clock } from '../../../core/kernel/clock.ts';
import { BROKER_LIMITS } from './limits.ts';
import { LOCAL_LIMITS } from '../limits.ts';
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
  let pauseMs: number = BROKER_LIMITS.brokerRestartMs;
  return () => {
    const sinceMs = clock.monotonicMs() - lastMs;
    if (broker?.pid === undefined || sinceMs < pauseMs) return;
    const helped = sinceMs >= BROKER_LIMITS.brokerRestartMaxMs;
    pauseMs = helped ? BROKER_LIMITS.brokerRestartMs : Math.min(2 * pauseMs, BROKER_LIMITS.brokerRestartMaxMs);
    lastMs = clock.monotonicMs();
    report(BROKER_RESTARTED);
    broker.restart(LOCAL_LIMITS.dependencyStopMs);
  };
}
