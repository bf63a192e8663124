import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, startClickhouse, type TestClickhouse } from '../support/clickhouse.ts';

const CANARY = 'canary-of-the-attack-tests';
let clickhouse: TestClickhouse;
let folder: string;
let secret: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clickhouse-attacks-'));
  secret = join(folder, 'secret.txt');
  writeFileSync(secret, CANARY);
  clickhouse = await startClickhouse();
});
afterAll(async () => {
  await clickhouse.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a statement that was not approved', () => {
  it.each([
    (path: string) => `optimize = 1 SELECT toUInt64(file('${path}'))`,
    (path: string) => `optimize = 1, oneline = 0 SELECT throwIf(1, file('${path}'))`,
    (path: string) => `EXPLAIN AST optimize = 1 SELECT toUInt64(file('${path}'))`,
    (path: string) => `EXPLAIN SYNTAX run_query_tree_passes = 1 SELECT toUInt64(file('${path}'))`,
    (path: string) => `EXPLAIN QUERY TREE SELECT toUInt64(file('${path}'))`,
  ])('reaches the engine in no form: attack %#', async (attack) => {
    const { status, text } = await ask(clickhouse, attack(secret), { as: 'reader' });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toContain(CANARY);
  });
});

describe('a request target', () => {
  it.each([
    '//',
    '///',
    '//[',
    'http://[',
    'http://',
    '/\\',
    '*',
    '?query=SELECT%201',
    '/%',
    '/?%',
    '/?query=%ff%fe',
    '/#',
  ])('%s cannot end the process', async (target) => {
    expect(await statusOfTarget(target)).toMatch(/^HTTP\/1\.1 [2-4]\d\d /);
    expect((await ask(clickhouse, 'SELECT 1', { as: 'reader' })).text).toBe('1\n');
  });
});

/** The status line of a GET for a target that no HTTP client would send. */
function statusOfTarget(target: string): Promise<string> {
  const { hostname, port } = new URL(clickhouse.url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname);
    socket.on('data', (bytes) => (answer += bytes.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  });
}
