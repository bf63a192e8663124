import { readFile, readdir } from 'node:fs/promises';
import { sleep, type Clock } from '../kernel/clock.ts';

/**
 * The variable every supervised child carries in its environment, with the real path of its DATA_DIR. It is how a later
 * supervisor knows a leftover from a stranger that was given the same process id: a process cannot come by it by chance.
 */
export const OWNER_VARIABLE = 'PLAYER_ANALYTICS_SUPERVISED';

/** How long a killed process may take to disappear: one that hangs in the kernel must not hang the start. */
const DISAPPEAR_MS = 5_000;

/**
 * Ends what an earlier supervisor of `dataDir` left running and waits until it is gone.
 * The caller holds the folder's lock, so that every process found is a leftover.
 * @returns the ids of the processes that were ended
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
 * Living processes that belong to a supervisor of `dataDir`. Only Linux shows a process's environment in files; elsewhere
 * the guard alone sees to it that nothing is left.
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
    // It went by itself between being found and being ended.
  }
}
