import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClient } from '../../../clickhouse-schema/open-client.ts';
import { makeCertificates } from '../../support/servers/certificates.ts';
import { queryRows, smallResult } from '../../../src/cli/export/clickhouse-rows.ts';
import { startClickhouse, type TestClickhouse } from '../../support/servers/clickhouse.ts';

/* A ClickHouse behind TLS with an authority of the operator's own, which may ask clients for certificates. */

const root = mkdtempSync(join(tmpdir(), 'player-analytics-tls-'));
const file = (name: string) => join(root, name);
let clickhouse: TestClickhouse;
let open: Server;
let strict: Server;

/** TLS in front of the engine, which has none. */
async function inFront(asksForCertificates: boolean): Promise<Server> {
  const [cert, key, ca] = ['server.crt', 'server.key', 'ca.crt'].map((name) => readFileSync(file(name)));
  const options = { cert, key, ca, requestCert: asksForCertificates, rejectUnauthorized: asksForCertificates };
  const server = createServer(options, (incoming, outgoing) => {
    const target = `${clickhouse.url}${incoming.url ?? ''}`;
    // The engine takes no other Host than its own.
    const headers = { ...incoming.headers, host: new URL(clickhouse.url).host };
    incoming.pipe(
      request(target, { method: incoming.method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

beforeAll(async () => {
  makeCertificates(root);
  clickhouse = await startClickhouse();
  [open, strict] = await Promise.all([inFront(false), inFront(true)]);
});
afterAll(async () => {
  for (const server of [open, strict]) {
    server.closeAllConnections();
    server.close();
  }
  await clickhouse.close();
  rmSync(root, { recursive: true });
});

const TLS = { caFile: file('ca.crt') };
const OWN = { ...TLS, certFile: file('server.crt'), keyFile: file('server.key') };

function addressOf(server: Server, tls: typeof TLS | typeof OWN | undefined) {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  const { port }: AddressInfo = address;
  const url = `https://localhost:${port}`;
  return { ...clickhouse.address, url, ...(tls === undefined ? {} : { tls }) };
}

async function one(address: ReturnType<typeof addressOf>): Promise<unknown> {
  const client = openClient(address, 'test', 5_000);
  try {
    return await (await client.query({ query: 'SELECT 1 AS one', format: 'JSONEachRow' })).json();
  } finally {
    await client.close();
  }
}

test('answers the service if its certificate is of the authority', async () => {
  expect(await one(addressOf(open, TLS))).toEqual([{ one: 1 }]);
  await expect(one(addressOf(open, { caFile: file('other.crt') }))).rejects.toThrow(/certificate/);
  await expect(one(addressOf(open, undefined))).rejects.toThrow(/certificate/);
});

test('answers clients with a certificate only, if it asks for one', async () => {
  expect(await one(addressOf(strict, OWN))).toEqual([{ one: 1 }]);
  await expect(one(addressOf(strict, TLS))).rejects.toThrow();
});

test('answers the command line alike', async () => {
  expect(await smallResult(queryRows(addressOf(strict, OWN)), 'SELECT 1')).toEqual([['1']]);
  await expect(smallResult(queryRows(addressOf(open, undefined)), 'SELECT 1')).rejects.toThrow(/Could not connect/);
});
