import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Files for the data of inserts in a binary format. The engine ends the data inside a statement at the first empty
 * line, so such data reaches it as a file.
 *
 * Invariants
 * 1. A file has no name while it holds data: it is removed from its folder before the first byte is written. Its path
 *    is that of the open descriptor, so its space is free when the insert or the process ends, however it ends.
 * 2. A path consists of fixed text and digits. It contains neither quotes nor patterns, whatever the folder's name is.
 * 3. There are at most as many files as concurrent statements of the service, each with one body: both are bounded.
 */
export interface InsertFiles {
  /** Calls `use` with the path of a new file with this content. The path is valid until the promise settles. */
  hold<T>(content: Buffer, use: (path: string) => Promise<T>): Promise<T>;
}

/** Empties or creates the folder. A process that was killed at the wrong moment leaves an empty file there. */
export function openInsertFiles(folder: string): InsertFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The folder itself stays: a confined process may not replace it.
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  let created = 0;

  async function create(): Promise<FileHandle> {
    created += 1;
    const path = join(folder, String(created));
    const file = await open(path, 'wx', 0o600);
    try {
      await unlink(path);
    } catch (error) {
      await file.close();
      throw error;
    }
    return file;
  }

  return {
    async hold(content, use) {
      const file = await create();
      try {
        await file.writeFile(content);
        return await use(`/proc/self/fd/${file.fd}`);
      } finally {
        await file.close();
      }
    },
  };
}
