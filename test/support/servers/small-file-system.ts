import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, rmdirSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own with a fixed size, in memory. */
export interface SmallFileSystem {
  readonly path: string;
  freeBytes(): number;
  /** Takes space with one file until `leaveBytes` are free. 0: until a write fails for lack of space. */
  fill(leaveBytes: number): void;
  /** Removes that file. */
  free(): void;
  /** Unmounts it. Nothing may use it any more. */
  remove(): void;
}

const CHUNK = Buffer.alloc(4 * 1024 * 1024, 1);

/** Mounts one; `undefined` where this user may not mount file systems. */
export function mountSmallFileSystem(sizeBytes: number): SmallFileSystem | undefined {
  const path = mkdtempSync(join(tmpdir(), 'player-analytics-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', path]);
  if (mounted.status !== 0) {
    rmdirSync(path);
    return undefined;
  }
  const filler = join(path, 'filler');
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    freeBytes,
    fill(leaveBytes) {
      const file = openSync(filler, 'a');
      try {
        for (let left = freeBytes() - leaveBytes; left >= 1; left = freeBytes() - leaveBytes) {
          writeSync(file, CHUNK, 0, Math.min(CHUNK.length, Math.ceil(left)));
        }
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        closeSync(file);
      }
    },
    free() {
      const file = openSync(filler, 'a');
      ftruncateSync(file, 0);
      closeSync(file);
      rmSync(filler);
    },
    remove() {
      const unmounted = spawnSync('umount', [path]);
      if (unmounted.status !== 0) throw new Error(`${path} cannot be unmounted: ${unmounted.stderr.toString()}`);
      rmdirSync(path);
    },
  };
}
