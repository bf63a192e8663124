import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The embedded engine's one user that may write. */
export const SERVICE_USER = 'service';

/**
 * The password of the embedded engine's `service` user: read from `$DATA_DIR/clickhouse-service-password`, made at the
 * first call (mode 0600). The supervisor, the engine's process and the CLI all ask here and so agree.
 */
export function servicePassword(dataDir: string): string {
  const path = join(dataDir, 'clickhouse-service-password');
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
