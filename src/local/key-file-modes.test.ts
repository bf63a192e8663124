import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../settings/config.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { keyFileWarnings } from './key-file-modes.ts';
import { ensureLocalKey } from '../settings/secrets-key.ts';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'player-analytics-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A file of this mode, whatever the umask. */
function keyFile(name: string, mode: number): string {
  const path = join(root, name);
  writeFileSync(path, 'key');
  chmodSync(path, mode);
  return path;
}
const warnings = (env: Record<string, string>) => keyFileWarnings(readConfig(env), root);

describe('a start warns of a key file that others can use', () => {
  test.each([
    [0o644, '0644'],
    [0o640, '0640'],
    [0o620, '0620'],
    [0o604, '0604'],
  ])('mode %o: with the setting, the mode and the remedy', (mode, shown) => {
    const path = keyFile('key', mode);
    const problem = `SECRETS_KEY_FILE: other users can access the key file ${path} (mode ${shown}).`;
    const expected = `${problem} Run \`chmod 600 ${path}\`.`;
    expect(warnings({ SECRETS_KEY_FILE: path })).toEqual([expected]);
  });

  test('of every setting that names one', () => {
    const [creds, key] = [keyFile('user.creds', 0o644), keyFile('tls.key', 0o640)];
    const certificate = keyFile('tls.crt', 0o644);
    const env = { NATS_CREDS_FILE: creds, NATS_TLS_CERT: certificate, NATS_TLS_KEY: key };
    expect(warnings(env).map((warning) => warning.split(':')[0])).toEqual(['NATS_CREDS_FILE', 'NATS_TLS_KEY']);
  });

  test('not of a private one, a missing one, or the one that the service made', () => {
    expect(warnings({ SECRETS_KEY_FILE: keyFile('a', 0o600) })).toEqual([]);
    expect(warnings({ SECRETS_KEY_FILE: keyFile('b', 0o400) })).toEqual([]);
    expect(warnings({ SECRETS_KEY_FILE: join(root, 'missing') })).toEqual([]);
    expect(warnings({})).toEqual([]);
    chmodSync(ensureLocalKey(root, systemIds), 0o600);
    expect(warnings({})).toEqual([]);
    chmodSync(ensureLocalKey(root, systemIds), 0o644);
    expect(warnings({})).toHaveLength(1);
  });
});
