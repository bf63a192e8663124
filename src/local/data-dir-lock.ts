import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { createConnection } from 'node:net';

/** `held`: another living process has it. */
export type DataDirLock = { kind: 'taken'; release: () => void } | { kind: 'held' };

/**
 * Makes this process the only supervisor of a folder for as long as it lives. The lock is a listening socket, which the
 * kernel takes back the moment its process ends: there is no stale lock to judge, and none is left behind. It holds among
 * processes of one machine (one network namespace).
 * @param dataDir its real path
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  const name = `player-analytics-${createHash('sha256').update(dataDir).digest('hex').slice(0, 32)}`;
  // Linux has names without files; elsewhere the file of a dead process is recognised by nobody answering.
  if (process.platform === 'linux') return listen(`\0${name}`);
  const path = join(tmpdir(), `${name}.sock`);
  if (!(await answers(path))) await rm(path, { force: true });
  return listen(path);
}

function listen(path: string): Promise<DataDirLock> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve({ kind: 'held' });
      else reject(error);
    });
    server.listen(path, () => {
      server.unref();
      resolve({ kind: 'taken', release: () => server.close() });
    });
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
