import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/settings/config.ts';
import { startClickhouse, type TestClickhouse } from '../../support/servers/clickhouse.ts';

/* The names by which programs may address the embedded ClickHouse. */

let plain: TestClickhouse;
let named: TestClickhouse;
beforeAll(async () => {
  [plain, named] = await Promise.all([
    startClickhouse(),
    startClickhouse({ EMBEDDED_CLICKHOUSE_HOSTS: 'host.docker.internal, Tools.lan' }),
  ]);
});
afterAll(() => Promise.all([plain.close(), named.close()]));

const statusOf = (clickhouse: TestClickhouse, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(`${clickhouse.url}/?query=SELECT+1`, { headers: { Host: host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });

describe('the header Host', () => {
  it.each([
    ['localhost', 200, 200],
    ['127.0.0.1:8123', 200, 200],
    ['[::1]:8123', 200, 200],
    ['host.docker.internal:8123', 403, 200],
    ['HOST.docker.internal', 403, 200],
    ['tools.lan', 403, 200],
    ['tools.lan.attacker.example', 403, 403],
    ['attacker.example', 403, 403],
    ['host.docker.internal:8123:1', 403, 403],
    ['host.docker.internal.:8123', 403, 403],
  ])('%s is answered %i, and %i with two more names', async (host, byDefault, withNames) => {
    expect(await statusOf(plain, host)).toBe(byDefault);
    expect(await statusOf(named, host)).toBe(withNames);
  });

  it.each(['host.docker.internal:8123', '*', 'a b'])('cannot be allowed as %s', (host) => {
    expect(() => readConfig({ EMBEDDED_CLICKHOUSE_HOSTS: host })).toThrow('EMBEDDED_CLICKHOUSE_HOSTS');
  });
});
