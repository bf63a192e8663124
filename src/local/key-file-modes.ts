import { statSync } from 'node:fs';
import type { Config } from '../settings/config.ts';
import { localKeyFile } from '../settings/secrets-key.ts';

/** Permission bits of the group and of others. */
const NOT_OWNER = 0o077;

/**
 * One warning for each key file that other users than its owner can access. The start continues, because mounted
 * secrets often have such a mode. A missing file causes no warning: reading it fails with its own message.
 */
export function keyFileWarnings(config: Pick<Config, 'secrets' | 'natsAccess'>, dataDir: string): string[] {
  const { login, tls } = config.natsAccess;
  const files: [string, string | undefined][] = [
    ['SECRETS_KEY_FILE', config.secrets.file ?? (config.secrets.key === undefined ? localKeyFile(dataDir) : undefined)],
    ['NATS_CREDS_FILE', login?.kind === 'creds' ? login.file : undefined],
    ['NATS_TLS_KEY', tls?.keyFile],
  ];
  return files.flatMap(([setting, path]) => {
    const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || (stats.mode & NOT_OWNER) === 0) return [];
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    return `${setting}: other users can access the key file ${path} (mode ${mode}). Run \`chmod 600 ${path}\`.`;
  });
}
