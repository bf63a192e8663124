import { startBareServer } from './service/bare-server.ts';
import type { Bench } from './bench.ts';
import type { Counters } from './service/counters.ts';
import type { Service } from './service/service.ts';
import type { Pids } from './figures/usage.ts';

/** What a load is put on. */
export type Target = 'bare' | 'service';

/** The service and its reference, and how to reach and observe each. */
export interface Stage {
  service: Service;
  /** Whether there is a reference; there is none for a service that runs elsewhere. */
  hasBare: boolean;
  /** Events acknowledged so far: what ClickHouse must hold. */
  ledger: { acknowledged: number };
  /** Without a path. */
  baseUrlOf(target: Target): string;
  /** The processes that work for a target. */
  pidsOf(target: Target): Pids;
  /**
   * Totals that are read before and after each load on the service. With them, rows are not counted during a load:
   * counting would be part of its cost.
   */
  counters?: () => Promise<Counters>;
}

/**
 * Starts the bare server beside a local service.
 * @param acknowledged events that probes were answered for
 * @param listeners processes that work while the service does, beside its own
 */
export async function createStage(
  bench: Bench,
  service: Service,
  answers: Readonly<Record<string, number | string>>,
  acknowledged: number,
  listeners: Pids = {},
): Promise<Stage> {
  const bare = service.kind === 'local' ? await startBareServer(bench, { answers }) : undefined;
  return {
    service,
    hasBare: bare !== undefined,
    ledger: { acknowledged },
    baseUrlOf: (target) => (target === 'bare' && bare !== undefined ? bare.baseUrl : service.baseUrl),
    pidsOf: (target) => (target === 'service' ? { ...service.pids(), ...listeners } : { bare: bare?.pid ?? 0 }),
  };
}
