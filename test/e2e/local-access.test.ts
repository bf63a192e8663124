import { chmodSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshEnvironment, launch, stopAndRemove, untilReady, type Supervised } from '../support/supervised.ts';

/* What another user, or another process, of this machine can reach while `npm start` runs. */

let service: Supervised;

beforeAll(async () => {
  const env = await freshEnvironment();
  // As an older version left it.
  const dataDir = env['DATA_DIR'] ?? '';
  chmodSync(dataDir, 0o755);
  writeFileSync(join(dataDir, 'node-name'), 'n-0123456789ab\n', { mode: 0o644 });
  service = launch({ env, umask: '000' });
  await untilReady(service);
});
afterAll(() => stopAndRemove(service));

test('DATA_DIR and everything in it is private to its user, even under umask 000', () => {
  const open: string[] = [];
  let seen = 0;
  function look(path: string): void {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink()) return;
    seen += 1;
    if ((stat.mode & 0o077) !== 0) open.push(`${path} ${(stat.mode & 0o777).toString(8)}`);
    if (stat.isDirectory()) for (const name of readdirSync(path)) look(join(path, name));
  }
  look(service.dataDir);
  expect(open).toEqual([]);
  for (const name of ['nats', 'clickhouse', 'players', 'logs']) {
    expect(readdirSync(service.dataDir)).toContain(name);
  }
  expect(seen).toBeGreaterThan(50);
});
