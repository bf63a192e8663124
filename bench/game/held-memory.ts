import { setTimeout as sleep } from 'node:timers/promises';
import { readUsage } from '../measure/process-usage.ts';
import { connectInspector } from '../profile/inspector-session.ts';
import { readMetrics } from '../service/read-metrics.ts';
import type { Service } from '../service/service.ts';

/** What the service's process holds at a moment without load. */
export interface HeldMemory {
  /** `owner_hot_players`. */
  hotPlayers: number;
  /** Resident memory as it was found, garbage included. */
  rssMiB: number;
  /** Of it, mapped pages of files: those of the local store, mostly. */
  mappedMiB: number;
  /** Bytes in use in and beside the main thread's heap after a collection. */
  usedBytes: number;
}

/** The gauge is set after each write of the local store, about once a second. */
const GAUGE_MS = 2_500;

/**
 * Reads what the service holds, and collects its garbage only then: resident memory is as it was found.
 * @param inspectorPort where the process was told to open its inspector (`--inspect-port`) once it is signalled to
 */
export async function readHeldMemory(
  service: Service,
  inspectorPort: number,
  signal: AbortSignal,
): Promise<HeldMemory> {
  await sleep(GAUGE_MS, undefined, { signal });
  const pid = service.pids()['service'] ?? 0;
  const metric = await readMetrics(service);
  const { rssMiB = Number.NaN, mappedMiB = Number.NaN } = readUsage(pid) ?? {};
  // Node opens its inspector when it gets this signal: until then nothing of it runs.
  process.kill(pid, 'SIGUSR1');
  const inspector = await connectInspector(inspectorPort);
  try {
    await inspector.send('HeapProfiler.collectGarbage');
    const expression = 'JSON.stringify(process.memoryUsage())';
    const text = await inspector.send('Runtime.evaluate', { expression, returnByValue: true });
    const answer: { result: { value: string } } = JSON.parse(text);
    const usage: { heapUsed: number; external: number } = JSON.parse(answer.result.value);
    return { hotPlayers: metric('owner_hot_players'), rssMiB, mappedMiB, usedBytes: usage.heapUsed + usage.external };
  } finally {
    inspector.close();
  }
}
