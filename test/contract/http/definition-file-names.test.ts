import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { runCli as cli } from '../../support/wire/run-cli.ts';

/* Files of definitions on file systems of all kinds, and what is there already. */

let gateway: Gateway;
let demo: string;
let dir: string;

beforeAll(async () => {
  gateway = await startGateway();
  gateway.backend.reply = createFakeLedger();
  dir = await mkdtemp(join(tmpdir(), 'definition-files-'));
  demo = await gateway.key({ game: 'demo' });
  vi.stubEnv('DEMO_KEY', demo);
  const games = { demo: { base_url: gateway.url, key_env: 'DEMO_KEY' } };
  await writeFile(join(dir, 'games.json'), JSON.stringify({ repository: 'github.com/acme/games', games }));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true });
  await gateway.close();
});

const filesIn = async (folder: string) =>
  (await readdir(join(dir, folder), { withFileTypes: true })).filter((one) => one.isFile()).map(({ name }) => name);

describe('files of definitions', () => {
  it('have names that every file system takes, and an export writes and deletes nothing behind a link', async () => {
    const keys = ['con', 'Aux', 'nul.x', 'com1', 'console', 'a'];
    for (const key of keys)
      expect((await gateway.call(demo, 'POST', '/v1/flags/flags', { key, flag_type: 'boolean' })).status).toBe(201);
    await mkdir(join(dir, 'demo/flags/old.json'), { recursive: true });
    await writeFile(join(dir, 'outside.json'), 'of somebody else');
    await symlink(join(dir, 'outside.json'), join(dir, 'demo/flags/a.json'));
    expect((await cli('export', 'definitions', dir, '--only', 'demo')).error).toBe('');
    expect(await readFile(join(dir, 'outside.json'), 'utf8')).toBe('of somebody else');
    const names = (await filesIn('demo/flags')).toSorted();
    expect(names).toEqual(['%41ux.json', '%63om1.json', '%63on.json', '%6Eul.x.json', 'a.json', 'console.json']);
    await rm(join(dir, 'demo/flags/old.json'), { recursive: true });
    expect((await cli('plan', dir)).error).toBe('');
    await mkdir(join(dir, 'elsewhere'));
    await writeFile(join(dir, 'elsewhere/mine.json'), '{}');
    await rm(join(dir, 'demo/flags'), { recursive: true });
    await symlink(join(dir, 'elsewhere'), join(dir, 'demo/flags'));
    expect((await cli('export', 'definitions', dir, '--only', 'demo')).error).toContain('is a symbolic link');
    expect(await filesIn('elsewhere')).toEqual(['mine.json']);
  });
});
