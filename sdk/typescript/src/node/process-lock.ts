import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMissing } from './file-storage.ts';

/**
 * The right to send among processes that share a folder: a file with the id of the process that holds it, created only
 * if there is none. The file of a dead process is taken over. Within one process a holder excludes the others by name.
 * If it goes wrong two processes send the same event ids, which the service counts once.
 */
export function processLock(
  path: string,
  changed: (held: boolean) => void,
  setTimer: (callback: () => void, delayMs: number) => () => void,
): () => void {
  let isHeld = false;
  let cancel = () => {};

  function turn(): void {
    if (take(path)) {
      isHeld = true;
      heldHere.add(path);
      changed(true);
    } else {
      cancel = setTimer(turn, ATTEMPT_MS);
    }
  }

  turn();
  return () => {
    cancel();
    if (!isHeld) return;
    isHeld = false;
    heldHere.delete(path);
    rmSync(path, { force: true });
  };
}

const ATTEMPT_MS = 1000;
const heldHere = new Set<string>();

/** Whether this process has the file now. In a folder that cannot be written every process may send. */
function take(path: string): boolean {
  if (heldHere.has(path)) return false;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (create(path)) return true;
    if (isAlive(Number(readFileSync(path, 'utf8')))) return false;
    rmSync(path, { force: true });
    return create(path);
  } catch (error) {
    // The holder gave it back between the two steps: the next attempt gets it.
    return !isMissing(error);
  }
}

function create(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** A file of this very process id is left over from a process that had it before: own ones are in `heldHere`. */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
