import { createUsageMeter, type Pids } from './usage-meter.ts';

/** What processes used while they were watched. */
export interface UsageSeen {
  /** Seconds of CPU, by process. */
  cpuSeconds: Record<string, number>;
  /** CPUs that were busy with something else, on average: far from 0, the figures say little. */
  othersCpus: number;
  /** Resident memory at the end, and the most that was seen, by process. */
  rssMiB: Record<string, number>;
  peakRssMiB: Record<string, number>;
}

const LOOK_MS = 100;

/** Watches processes from now on. @returns ends it and tells what was seen */
export function watchUsage(pids: Pids): () => UsageSeen {
  const meter = createUsageMeter(pids);
  const begunMs = performance.now();
  const peakRssMiB: Record<string, number> = {};

  function look(): void {
    meter.read();
    for (const [name, sizeMiB] of Object.entries(meter.rssMiB())) {
      peakRssMiB[name] = Math.max(peakRssMiB[name] ?? 0, sizeMiB);
    }
  }

  const looking = setInterval(look, LOOK_MS);
  return () => {
    clearInterval(looking);
    look();
    return {
      cpuSeconds: meter.cpuSeconds(),
      othersCpus: (meter.othersCpuSeconds() * 1000) / (performance.now() - begunMs),
      rssMiB: meter.rssMiB(),
      peakRssMiB,
    };
  };
}
