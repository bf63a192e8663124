import { chmodSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** `shared`: the folder is open to all users of the machine, like the system's temporary folder. */
export type DataDir = { kind: 'opened'; path: string; warnings: string[] } | { kind: 'shared'; message: string };

/**
 * Makes all files and folders that this process and its children create private to their user, whatever the caller's
 * umask is. Every entry point calls it first. Worker threads share their process's umask.
 */
export function keepFilesPrivate(): void {
  process.umask(PRIVATE_UMASK);
}

const PRIVATE_UMASK = 0o077;
const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Creates DATA_DIR if it is missing, and removes the permissions of group and others from it and its direct children.
 * Other users then have no access below it, so deeper files keep their modes.
 * @returns its real path, and a warning for each entry whose mode cannot be changed because another user owns it
 */
export function openDataDir(folder: string): DataDir {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = realpathSync(folder);
  if ((statSync(path).mode & STICKY) !== 0) {
    const message = `DATA_DIR ${path} is shared by all users (sticky bit). Set DATA_DIR to a folder of its own.`;
    return { kind: 'shared', message };
  }
  const children = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory() || entry.isFile());
  const warnings = [path, ...children.map(({ name }) => join(path, name))].flatMap(closeToOthers);
  return { kind: 'opened', path, warnings };
}

function closeToOthers(path: string): string[] {
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if ((mode & OTHERS) === 0) return [];
  try {
    chmodSync(path, mode & ~OTHERS);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [`${path} is open to other users (mode 0${mode.toString(8)}) and its mode cannot be changed: ${why}`];
  }
}
