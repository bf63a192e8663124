import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { connectionOptionsOf, type BrokerAccess } from '../../../../streams/log/jetstream/access.ts';
import { connectJetStream, type JetStreamLog } from '../../../../streams/log/jetstream/log-jetstream.ts';
import { makeCertificates } from '../../../support/servers/certificates.ts';
import { startTestNats, type TestNats } from '../../../support/servers/nats.ts';
import { silentLogger } from '../../../support/in-memory/silent-logger.ts';
import { until } from '../../../support/until.ts';

/* A broker that asks for credentials or TLS, as one of an operator's does. */

const root = mkdtempSync(join(tmpdir(), 'player-analytics-'));
const file = (name: string) => join(root, name);
let nats: TestNats | undefined;
const opened: JetStreamLog[] = [];

beforeAll(() => makeCertificates(root));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((log) => log.close()));
  await nats?.stop();
  nats = undefined;
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** For what can never succeed. */
const SOON = { patienceMs: 500 };

async function startBroker(rules: string): Promise<TestNats> {
  writeFileSync(
    file('nats.conf'),
    `host: 127.0.0.1\nmax_payload: 8388608\njetstream { max_memory_store: 1GB, max_file_store: 128GB }\n${rules}\n`,
  );
  nats = await startTestNats(file('nats.conf'));
  return nats;
}

async function open(
  url: string,
  access: BrokerAccess = {},
  { logger = silentLogger, patienceMs = 20_000 } = {},
): Promise<JetStreamLog> {
  const log = await connectJetStream({ url, access, replicas: 1, logger, clock: systemClock, patienceMs });
  opened.push(log);
  return log;
}

describe('credentials', () => {
  test('in NATS_URL or in settings are accepted; wrong ones fail at once with a remedy', async () => {
    const { port } = await startBroker('authorization { user: "me", password: "p@ss" }');
    const login = { kind: 'password', user: 'me', password: 'p@ss' } as const;
    expect((await open(`nats://me:p%40ss@127.0.0.1:${port}`)).connected).toBe(true);
    expect((await open(`nats://127.0.0.1:${port}`, { login })).connected).toBe(true);

    const refused = /refused the credentials \('?authorization violation'?\)\. Set NATS_TOKEN/i;
    const began = performance.now();
    for (const userinfo of ['', 'me:hush@', 'hush@']) {
      const attempt = open(`nats://${userinfo}127.0.0.1:${port}`);
      await expect(attempt).rejects.toThrow(refused);
      await expect(attempt).rejects.not.toThrow(/hush/);
    }
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('that the broker refuses for a while are logged, and the log continues once it accepts them again', async () => {
    const broker = await startBroker('authorization { token: "first" }');
    const lines: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
    const log = await open(`nats://first@127.0.0.1:${broker.port}`, {}, { logger });
    await broker.kill();
    writeRules('authorization { token: "second" }');
    await broker.start();
    await until('the refusal is logged', () => lines.some((line) => line.includes('refuses')));
    await broker.kill();
    writeRules('authorization { token: "first" }');
    await broker.start();
    await until('it is connected', () => log.connected, 20_000);
    expect(lines.filter((line) => line.includes('refuses'))).toHaveLength(1);
    expect(lines.join('')).not.toContain('first');
  });

  test('of a file are read at every connection', () => {
    const user = nkeys.createUser();
    const seed = new TextDecoder().decode(user.getSeed());
    writeFileSync(
      file('user.creds'),
      `-----BEGIN NATS USER JWT-----\nthe.jwt\n------END NATS USER JWT------\n\n` +
        `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
    );
    const { authenticator } = connectionOptionsOf({ login: { kind: 'creds', file: file('user.creds') } });
    expect(typeof authenticator).toBe('function');
    if (typeof authenticator !== 'function') return;
    expect(authenticator('nonce')).toMatchObject({ jwt: 'the.jwt', sig: expect.any(String) });
    rmSync(file('user.creds'));
    expect(() => authenticator('nonce')).toThrow(/ENOENT/);
  });

  function writeRules(rules: string): void {
    writeFileSync(file('nats.conf'), `host: 127.0.0.1\nmax_payload: 8388608\njetstream {}\n${rules}\n`);
  }
});

describe('several addresses', () => {
  test('one broker without JetStream leaves the others to be tried, whichever comes first', async () => {
    const { port } = await startBroker('');
    writeFileSync(file('plain.conf'), 'host: 127.0.0.1\n');
    const plain = await startTestNats(file('plain.conf'));
    try {
      const addresses = [`127.0.0.1:${plain.port}`, `127.0.0.1:${port}`];
      for (const url of [addresses, addresses.toReversed(), [...addresses, addresses[0]]]) {
        expect((await open(url.join(','))).connected).toBe(true);
      }
      await expect(open(`nats://127.0.0.1:${plain.port}`, {}, SOON)).rejects.toThrow(/JetStream is off/);
    } finally {
      await plain.stop();
    }
  });
});

describe('TLS', () => {
  const serverSide = () => `tls { cert_file: "${file('server.crt')}", key_file: "${file('server.key')}", `;

  test('is used when the broker requires it, and its certificate must be of the configured authority', async () => {
    const { port } = await startBroker(`${serverSide()} }`);
    expect((await open(`tls://localhost:${port}`, { tls: { caFile: file('ca.crt') } })).connected).toBe(true);
    const strange = open(`nats://localhost:${port}`, { tls: { caFile: file('other.crt') } }, SOON);
    await expect(strange).rejects.toThrow(/certificate/);
    await expect(open(`nats://localhost:${port}`, {}, SOON)).rejects.toThrow(/certificate/);
  });

  test('with certificates of both sides refuses clients without one', async () => {
    const { port } = await startBroker(`${serverSide()} ca_file: "${file('ca.crt')}", verify: true }`);
    const tls = { caFile: file('ca.crt') };
    const own = { ...tls, certFile: file('server.crt'), keyFile: file('server.key') };
    expect((await open(`nats://localhost:${port}`, { tls: own })).connected).toBe(true);
    await expect(open(`nats://localhost:${port}`, { tls }, SOON)).rejects.toThrow(/no NATS server answers/);
  });

  test('that is configured is never dropped: a broker without TLS gets no credentials', async () => {
    const { port } = await startBroker('authorization { token: "hush" }');
    await expect(open(`tls://hush@localhost:${port}`, {}, SOON)).rejects.toThrow(/does not support 'tls'/);
  });
});
