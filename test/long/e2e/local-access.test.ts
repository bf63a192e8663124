import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DemoKeys } from '../../../src/process/demo.ts';
import {
  freshEnvironment,
  launch,
  stopAndRemove,
  untilReady,
  type Supervised,
} from '../../support/servers/supervised.ts';

/* What another user or process of this machine can reach while `npm start` runs. */

let service: Supervised;

beforeAll(async () => {
  const env = await freshEnvironment();
  // As a copy by another tool may leave it.
  const dataDir = env['DATA_DIR'] ?? '';
  chmodSync(dataDir, 0o755);
  writeFileSync(join(dataDir, 'node-name'), 'n-0123456789ab\n', { mode: 0o644 });
  service = launch({ env, umask: '000' });
  await untilReady(service);
});
afterAll(() => stopAndRemove(service));

test('DATA_DIR and everything in it is readable by its user only, even under umask 000', async () => {
  const history = join(service.dataDir, 'history.ndjson');
  const event = { event_id: 'e', external_id: 'p', event_name: 'x', timestamp: '2026-01-01T00:00:00Z' };
  writeFileSync(history, `${JSON.stringify(event)}\n`, { mode: 0o600 });
  const line = [process.execPath, 'src/cli/main.ts', 'import', 'events', history, '--game', 'demo'];
  await promisify(execFile)('/bin/sh', ['-c', 'umask 000; exec "$@"', 'sh', ...line], { env: service.env });
  expect(readdirSync(service.dataDir)).toContain('imports');
  const open: string[] = [];
  let seen = 0;
  function look(path: string): void {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink()) return;
    seen += 1;
    if ((stat.mode & 0o077) !== 0) open.push(`${path} ${(stat.mode & 0o777).toString(8)}`);
    const names = stat.isDirectory() ? unlessGone(() => readdirSync(path)) : undefined;
    for (const name of names ?? []) look(join(path, name));
  }
  look(service.dataDir);
  expect(open).toEqual([]);
  for (const name of ['nats', 'clickhouse', 'players', 'logs']) {
    expect(readdirSync(service.dataDir)).toContain(name);
  }
  expect(seen).toBeGreaterThan(50);
});

/** The broker's answer to protocol lines, until it closes the connection or answers a PING. */
async function sayToBroker(lines: string): Promise<string> {
  const socket = createConnection(Number(service.env['EMBEDDED_NATS_PORT']), '127.0.0.1');
  let heard = '';
  socket.on('data', (data) => {
    heard += data.toString('latin1');
    if (heard.includes('PONG')) socket.end();
  });
  socket.on('error', () => {});
  socket.write(`${lines}PING\r\n`);
  await once(socket, 'close');
  return heard;
}

const FORGED = '$KV.CONFIG.forged';
const publish = `PUB ${FORGED} 2\r\n{}\r\n`;
const readOut = 'SUB back.1 1\r\nPUB $JS.API.STREAM.MSG.GET.KV_CONFIG back.1 9\r\n{"seq":1}\r\n';

test.each([
  ['without a token', ''],
  ['with no token in its CONNECT', 'CONNECT {"verbose":false,"pedantic":false}\r\n'],
  ['with a guessed token', 'CONNECT {"verbose":false,"pedantic":false,"auth_token":"guess"}\r\n'],
])('a local process %s can neither publish to $KV.CONFIG nor read STREAM.MSG.GET', async (_who, hello) => {
  for (const lines of [publish, readOut]) {
    const heard = await sayToBroker(hello + lines);
    expect(heard).toContain("-ERR 'Authorization Violation'");
    expect(heard).not.toMatch(/PONG|MSG /);
  }
  const servers = `127.0.0.1:${service.env['EMBEDDED_NATS_PORT']}`;
  const connection = await connect({ servers, token: tokenOf(service) });
  try {
    const answer = await connection.request(
      '$JS.API.STREAM.MSG.GET.KV_CONFIG',
      JSON.stringify({ last_by_subj: FORGED }),
    );
    expect(answer.string()).toContain('no message found');
  } finally {
    await connection.close();
  }
});

function tokenOf({ natsUrl }: Supervised): string {
  return new URL(natsUrl.replace('nats:', 'http:')).username;
}

test('the token of the broker is in files of mode 0600 only, and in no command line', async () => {
  const token = tokenOf(service);
  expect(token).toMatch(/^[\w-]{43}$/);
  for (const name of ['nats.conf', 'endpoints.json']) {
    expect(readFileSync(join(service.dataDir, name), 'utf8')).toContain(token);
    expect((statSync(join(service.dataDir, name)).mode & 0o777).toString(8)).toBe('600');
  }
  const { stdout } = await promisify(execFile)('ps', ['-ww', '-eo', 'args'], { maxBuffer: 64 * 1024 * 1024 });
  expect(stdout).toContain(join(service.dataDir, 'nats.conf'));
  expect(stdout).not.toContain(token);
  for (const name of ['nats', 'clickhouse'] as const) {
    expect(readFileSync(`/proc/${service.pids()?.[name]}/environ`, 'latin1')).not.toContain(token);
  }
  expect(service.output()).not.toContain(token);
});

test("no file in DATA_DIR contains a webhook's current or previous secret, or a custom header's value", async () => {
  const { live }: DemoKeys = JSON.parse(readFileSync(join(service.dataDir, 'demo-keys.json'), 'utf8'));
  const call = async (path: string, body: object) => {
    const headers = { 'X-API-Key': live.server, 'Content-Type': 'application/json' };
    const response = await fetch(`${service.baseUrl}/v1/integrations/webhooks${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const answer: { data: { webhook_id: string; secret: string } } = JSON.parse(await response.text());
    return answer.data;
  };
  const secrets = {
    first: 'first-secret-0123456789',
    second: 'second-secret-0123456789',
    header: 'Bearer 0123456789abc',
  };
  const webhook = {
    name: 'sealed-one',
    url: 'https://receiver.example/',
    events: ['level_up'],
    enabled: true,
    secret: secrets.first,
    headers: { Authorization: secrets.header },
  };
  const created = await call('', webhook);
  expect(created.secret).toBe(secrets.first);
  const rotated = await call(`/${created.webhook_id}/rotate-secret`, { secret: secrets.second });
  expect(rotated.secret).toBe(secrets.second);

  const holding: string[] = [];
  const found: string[] = [];
  for (const [path, bytes] of filesBelow(service.dataDir)) {
    if (bytes.includes('sealed-one')) holding.push(path);
    found.push(...Object.values(secrets).filter((secret) => bytes.includes(secret)));
  }
  expect(holding.some((path) => path.includes('KV_CONFIG'))).toBe(true);
  expect(found).toEqual([]);
});

/** Files with their content. ClickHouse and the broker make and remove files meanwhile. */
function* filesBelow(folder: string): Generator<[path: string, bytes: Buffer]> {
  for (const entry of unlessGone(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    const bytes = entry.isFile() ? unlessGone(() => readFileSync(path)) : undefined;
    if (bytes !== undefined) yield [path, bytes];
  }
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
