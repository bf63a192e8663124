import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The embedded engine's one user that may write. */
export const SERVICE_USER = 'service';

/**
 * The password of the embedded engine's `service` user: read from `$DATA_DIR/clickhouse-service-password`, made at the
 * first call (mode 0600).
 */
export function servicePassword(dataDir: string): string {
  const path = passwordFile(dataDir);
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true });
    try {
      writeFileSync(path, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' });
    } catch (error) {
      // Another process of ours made it in the meantime: then its password counts.
      if (!existsSync(path)) throw error;
    }
  }
  return readFileSync(path, 'utf8').trim();
}

/**
 * Replaces the password before the engine's process starts. A file hands it over, as every child shows its
 * environment.
 */
export function writeServicePassword(dataDir: string, password: string): void {
  mkdirSync(dataDir, { recursive: true });
  const path = passwordFile(dataDir);
  writeFileSync(`${path}.new`, password, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function passwordFile(dataDir: string): string {
  return join(dataDir, 'clickhouse-service-password');
}
