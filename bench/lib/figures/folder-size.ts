import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** stat(2) counts in these whatever the file system's blocks are. */
const BLOCK_BYTES = 512;

/** Bytes that the disk has given to the files below a folder. */
export function folderBytes(path: string): number {
  const names = readdirSync(path, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + fileBytes(join(parentPath, name)), 0);
}

/** A file may go while its folder is read. */
function fileBytes(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * BLOCK_BYTES;
}
