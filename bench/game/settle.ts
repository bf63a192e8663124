import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../bench-error.ts';
import { readMetrics } from '../service/read-metrics.ts';
import type { Service } from '../service/service.ts';

const LOOK_MS = 500;
/** Gauges are set about once a second: nothing must be pending at each look over this long. */
const QUIET_MS = 3_000;
const TIMEOUT_MS = 30 * 60_000;

/** Waits until every change is in a snapshot and every sink has handled every record. @returns seconds that took */
export async function settle(service: Service, signal: AbortSignal): Promise<number> {
  const beganMs = performance.now();
  let busyMs = beganMs;
  while (performance.now() - busyMs < QUIET_MS) {
    const metric = await readMetrics(service);
    if (metric('owner_snapshots_waiting') + metric('sink_lag_records') > 0) busyMs = performance.now();
    if (busyMs - beganMs > TIMEOUT_MS) throw new BenchError('the service still had work pending after half an hour');
    await sleep(LOOK_MS, undefined, { signal });
  }
  return (busyMs - beganMs) / 1000;
}
