import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { createConnection } from 'node:net';

/** `held`: another running process has the lock. */
export type DataDirLock = { kind: 'taken'; release: () => void } | { kind: 'held' };

/**
 * Locks a folder for this process until it ends. The lock is a listening socket: the kernel releases it when the
 * process ends, so locks never become stale. It excludes processes of one machine (one network namespace).
 * @param dataDir the folder's real path
 */
export function lockDataDir(dataDir: string): Promise<DataDirLock> {
  return lockName(dataDir);
}

/** The same for any name. A folder's name is its real path. */
export async function lockName(text: string): Promise<DataDirLock> {
  const name = `player-analytics-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  // Linux has abstract sockets without files. Elsewhere a socket file that accepts no connection is left over.
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
