import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyValueStorage } from '../events/storage.ts';

/**
 * Storage in a folder: one file an item, named after its key. A file is written beside its place and moved there, so
 * that the end of the process leaves the old item or the new one. It is not flushed to the disk: the queue outlives its
 * process, but the last seconds may not outlive a power cut.
 */
export function fileStorage(folder: string): KeyValueStorage {
  const pathOf = (key: string) => join(folder, encodeURIComponent(key));

  return {
    async getItem(key) {
      try {
        return await readFile(pathOf(key), 'utf8');
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async setItem(key, value) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const scratch = join(folder, `${SCRATCH}${randomUUID()}`);
      try {
        await writeFile(scratch, value, { mode: 0o600 });
        await rename(scratch, pathOf(key));
      } catch (error) {
        await rm(scratch, { force: true });
        throw error;
      }
    },
    async removeItem(key) {
      await rm(pathOf(key), { force: true });
    },
    async getAllKeys() {
      try {
        const names = await readdir(folder);
        return names.filter((name) => !name.startsWith(SCRATCH)).flatMap(keyOf);
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
  };
}

/** The key of an item; empty for a file that is no item: another program wrote it. */
function keyOf(name: string): string[] {
  try {
    return [decodeURIComponent(name)];
  } catch {
    return [];
  }
}

/** Encoded keys never begin like this. */
const SCRATCH = '~';

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
