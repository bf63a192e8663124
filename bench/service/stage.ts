import type { Pids } from '../measure/usage-meter.ts';
import type { BareTarget } from './bare-target.ts';
import type { Service } from './service.ts';

/** What a load is put on. */
export type Target = 'bare' | 'service';

/** The service and its reference, and how to reach and observe each. */
export interface Stage {
  service: Service;
  /** The reference; none when the service runs elsewhere. */
  bare: BareTarget | undefined;
  /** Events acknowledged so far: what ClickHouse must hold. */
  ledger: { acknowledged: number };
  /** Without a path. */
  baseUrlOf(target: Target): string;
  /** The processes that work for a target. */
  pidsOf(target: Target): Pids;
}

/** @param listeners processes that work while the service does, beside its own */
export function createStage(service: Service, bare: BareTarget | undefined, listeners: Pids): Stage {
  return {
    service,
    bare,
    ledger: { acknowledged: 0 },
    baseUrlOf: (target) => (target === 'bare' && bare !== undefined ? bare.baseUrl : service.baseUrl),
    pidsOf: (target) => (target === 'service' ? { ...service.pids(), ...listeners } : { bare: bare?.pid ?? 0 }),
  };
}
