import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The only user of the embedded engine that may write. */
export const SERVICE_USER = 'service';
/** The user that may read without a password. */
export const READER_USER = 'default';

/**
 * The password of the embedded engine's `service` user, from `$DATA_DIR/clickhouse-service-password`. The first call
 * creates the file (mode 0600).
 */
export function servicePassword(dataDir: string): string {
  const path = passwordFile(dataDir);
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true });
    try {
      writeFileSync(path, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' });
    } catch (error) {
      // If another process of the service created it meanwhile, its password applies.
      if (!existsSync(path)) throw error;
    }
  }
  return readFileSync(path, 'utf8').trim();
}

/**
 * Replaces the password before the engine's process starts. A file passes it on, because the environment of a process
 * is visible.
 */
export function writeServicePassword(dataDir: string, password: string): void {
  mkdirSync(dataDir, { recursive: true });
  const path = passwordFile(dataDir);
  writeFileSync(`${path}.new`, password, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/**
 * The password by which the service itself reads as `default`, where others need a token: for the console's SQL.
 */
export const readerPassword = (password: string): string =>
  createHmac('sha256', password).update('reader').digest('base64url');

/** The file of the password. */
export function passwordFile(dataDir: string): string {
  return join(dataDir, 'clickhouse-service-password');
}
