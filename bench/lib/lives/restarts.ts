import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../bench.ts';
import { connectInspector } from '../service/inspector.ts';
import { readMetrics } from '../figures/metrics.ts';
import type { LocalService, Service } from '../service/service.ts';
import { readUsage } from '../figures/usage.ts';

/** How long the service was away. */
export interface Restart {
  /** `killed`: by kill -9; `stopped`: by SIGTERM, as for a new version. */
  kind: 'killed' | 'stopped';
  /** From the signal until `/readyz` answered 200, the supervisor's own delay included. */
  awaySeconds: number;
  /** The part from the new process's appearance on. */
  startSeconds: number;
  /** Resident memory at that moment. */
  rssMiB: number;
}

const TIMEOUT_MS = 120_000;
const CHECK_MS = 5;

/** Ends the service's process, lets the supervisor start it again, and waits until it is ready. */
export async function measureRestart(
  service: LocalService,
  kind: Restart['kind'],
  signal: AbortSignal,
): Promise<Restart> {
  const before = service.pids()['service'];
  if (before === undefined) throw new BenchError('the service is not running');
  const beganMs = performance.now();
  if (kind === 'killed') process.kill(before, 'SIGKILL');
  else service.restart();

  let appearedMs: number | undefined;
  while (performance.now() - beganMs < TIMEOUT_MS) {
    const pid = service.pids()['service'];
    const isNew = pid !== undefined && pid !== before;
    if (isNew) appearedMs ??= performance.now();
    if (isNew && appearedMs !== undefined && (await isReady(service))) {
      const readyMs = performance.now();
      return {
        kind,
        awaySeconds: (readyMs - beganMs) / 1000,
        startSeconds: (readyMs - appearedMs) / 1000,
        rssMiB: readUsage(pid)?.rssMiB ?? Number.NaN,
      };
    }
    await sleep(CHECK_MS, undefined, { signal });
  }
  throw new BenchError(`the service was not ready ${TIMEOUT_MS / 1000} s after it was ${kind}`);
}

async function isReady({ baseUrl }: LocalService): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** What the service's process holds at a moment without load. */
export interface HeldMemory {
  /** `owner_hot_players`. */
  hotPlayers: number;
  /** Resident memory as it was found, garbage included. */
  rssMiB: number;
  /** The part that is mapped pages of files: those of the local store, mostly. */
  mappedMiB: number;
  /** Bytes in use in and beside the main thread's heap after a collection. */
  usedBytes: number;
}

/** The gauge is set after each write of the local store, about once a second. */
const GAUGE_MS = 2_500;

/**
 * Reads resident memory as it is found, then collects garbage and reads the heap.
 * @param inspectorPort where the process opens its inspector (`--inspect-port`) on SIGUSR1
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

/** Bytes of each player who came into memory between two readings; NaN when none did. */
export function bytesPerHotPlayer(before: HeldMemory, after: HeldMemory): number {
  const players = after.hotPlayers - before.hotPlayers;
  return players <= 0 ? Number.NaN : (after.usedBytes - before.usedBytes) / players;
}
