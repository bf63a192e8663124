import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Config, ConfigError, readConfig, SECRET_SETTINGS } from './config.ts';

/* Secrets in files, as Docker and Kubernetes mount them. */

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'player-analytics-secrets-'));
  file = join(folder, 'secret');
  writeFileSync(file, 'hush =1 \n');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What else a setting needs, and where its value is. */
const USES: Record<(typeof SECRET_SETTINGS)[number], [env: Record<string, string>, of: (config: Config) => unknown]> = {
  NATS_TOKEN: [{}, ({ natsAccess: { login } }) => login?.kind === 'token' && login.token],
  NATS_PASSWORD: [{ NATS_USER: 'u' }, ({ natsAccess: { login } }) => login?.kind === 'password' && login.password],
  CLICKHOUSE_PASSWORD: [{}, ({ clickhouse }) => clickhouse.password],
  CLICKHOUSE_READER_PASSWORD: [{ CLICKHOUSE_READER_USER: 'c' }, ({ clickhouseReader }) => clickhouseReader?.password],
  OIDC_CLIENT_SECRET: [
    { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'i' },
    ({ openId }) => openId?.clientSecret,
  ],
};

describe.each(SECRET_SETTINGS)('%s', (name) => {
  const [env, valueOf] = USES[name];

  it('is the text of its file, without the line break at its end', () => {
    expect(valueOf(readConfig({ ...env, [`${name}_FILE`]: file }))).toBe('hush =1 ');
    expect(valueOf(readConfig({ ...env, [name]: 'plain', [`${name}_FILE`]: '' }))).toBe('plain');
  });

  it('is refused in two places, and without its file, and never shown', () => {
    const both = () => readConfig({ ...env, [name]: 'plain', [`${name}_FILE`]: file });
    expect(both).toThrow(new ConfigError(`${name} and ${name}_FILE are both set. Set only one of them.`));
    const missing = join(folder, 'missing');
    expect(() => readConfig({ ...env, [`${name}_FILE`]: missing })).toThrow(
      `${name}_FILE is "${missing}", which cannot be read (ENOENT). Mount the file, or set ${name}.`,
    );
  });
});

describe('TLS of ClickHouse', () => {
  it('has a CA, and a certificate with its key if both are set', () => {
    expect(readConfig({}).clickhouse).not.toHaveProperty('tls');
    expect(readConfig({ CLICKHOUSE_TLS_CA: 'ca' }).clickhouse.tls).toEqual({ caFile: 'ca' });
    const pair = { CLICKHOUSE_TLS_CERT: 'c', CLICKHOUSE_TLS_KEY: 'k' };
    expect(readConfig({ CLICKHOUSE_TLS_CA: 'ca', ...pair }).clickhouse.tls).toEqual({
      caFile: 'ca',
      certFile: 'c',
      keyFile: 'k',
    });
    expect(() => readConfig(pair)).toThrow('CLICKHOUSE_TLS_CERT needs CLICKHOUSE_TLS_CA');
    expect(() => readConfig({ CLICKHOUSE_TLS_CA: 'ca', CLICKHOUSE_TLS_KEY: 'k' })).toThrow(
      'Set CLICKHOUSE_TLS_CERT and CLICKHOUSE_TLS_KEY together.',
    );
  });
});
