import { type FactsForecaster, forecastInfo } from '../../streams/facts/facts-forecast.ts';
import type { DiskSpace } from './disk-space.ts';
import type { Check } from './readiness.ts';
import type { WriteGate } from './write-gate.ts';

/** Whether there is room for writes. Not required: reads and flags go on without. */
export function spaceChecks({
  forecaster,
  disk,
  writes,
}: {
  forecaster: Pick<FactsForecaster, 'latest'>;
  disk: Pick<DiskSpace, 'low' | 'figures'>;
  writes: Pick<WriteGate, 'storageSilent'>;
}): readonly Check[] {
  return [
    {
      name: 'facts',
      required: false,
      read: () => ({ ok: forecaster.latest?.warns !== true, info: forecastInfo(forecaster.latest) }),
    },
    { name: 'disk', required: false, read: () => ({ ok: !disk.low, info: disk.figures }) },
    { name: 'storage', required: false, read: () => ({ ok: !writes.storageSilent }) },
  ];
}
