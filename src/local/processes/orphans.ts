import { readFile, readdir } from 'node:fs/promises';
import { sleep, type Clock } from '../../../core/kernel/clock.ts';

/**
 * The environment variable of every supervised child, set to the real path of its DATA_DIR. It distinguishes orphans of
 * an earlier supervisor from unrelated processes that reuse a process id.
 */
export const OWNER_VARIABLE = 'PLAYER_ANALYTICS_SUPERVISED';

/** How long a killed process may take to disappear: one that hangs in the kernel must not block the start. */
const DISAPPEAR_MS = 5_000;

/**
 * Kills the orphans of an earlier supervisor of `dataDir` and waits until they are gone.
 * The caller must hold the folder's lock, so every process found is an orphan.
 * @returns the ids of the killed processes
 */
export async function endOrphans(dataDir: string, clock: Clock): Promise<number[]> {
  const ended = new Set<number>();
  const deadlineMs = clock.monotonicMs() + DISAPPEAR_MS;
  for (;;) {
    const left = await findOrphans(dataDir);
    if (left.length === 0 || clock.monotonicMs() > deadlineMs) return [...ended];
    for (const pid of left) {
      ended.add(pid);
      kill(pid);
    }
    await sleep(clock, 20);
  }
}

/**
 * The ids of running processes that a supervisor of `dataDir` started. Only Linux exposes the environment of processes
 * as files; on other systems only the guard prevents orphans.
 */
async function findOrphans(dataDir: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const mark = `${OWNER_VARIABLE}=${dataDir}`;
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (environment.split('\0').includes(mark)) found.push(pid);
  }
  return found;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended between the search and the kill.
  }
}
