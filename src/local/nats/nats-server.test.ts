import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkPinned } from './debian-packages.ts';
import { newestSuite } from './nats-from-debian.ts';
import { fetchNatsFromRelease } from './nats-from-release.ts';
import { findNatsServer, type Fetcher } from './nats-server.ts';

let root: string;
let env: Record<string, string>;
const folder = () => join(root, 'cache', 'player-analytics');
/** The only binary of the cache: its folder is named after its hash. */
function cached(): string {
  const names = readdirSync(folder());
  expect(names).toHaveLength(1);
  const path = join(folder(), names[0] ?? '', 'nats-server');
  expect(names).toEqual([`sha256-${createHash('sha256').update(readFileSync(path)).digest('hex')}`]);
  return path;
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'player-analytics-'));
  env = { PATH: join(root, 'bin'), XDG_CACHE_HOME: join(root, 'cache') };
  mkdirSync(join(root, 'bin'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Something that says it is a nats-server of that version. */
function binary(path: string, version: string): string {
  writeFileSync(path, `#!/bin/sh\necho "nats-server: v${version}"\n`);
  chmodSync(path, 0o755);
  return path;
}

const brings = (version: string): Fetcher => ({
  name: `a source of ${version}`,
  fetch: async (folder) => binary(join(folder, 'fetched'), version),
});
const fails: Fetcher = { name: 'a mirror', fetch: () => Promise.reject(new Error('no route to host')) };

describe('nats-server', () => {
  test('on PATH is used if it is new enough', async () => {
    const path = binary(join(root, 'bin', 'nats-server'), '2.12.0');
    expect(await findNatsServer({ env, fetchers: [fails] })).toEqual({ kind: 'found', path, version: '2.12.0' });
  });

  test.each(['2.9.10', '2.11.99', '1.99.0'])('%s on PATH is too old, so another is downloaded', async (old) => {
    binary(join(root, 'bin', 'nats-server'), old);
    const found = await findNatsServer({ env, fetchers: [brings('3.0.0')] });
    expect(found).toEqual({ kind: 'found', path: cached(), version: '3.0.0' });
  });

  test('is downloaded once and then taken from the cache', async () => {
    await findNatsServer({ env, fetchers: [fails, brings('2.15.1')] });
    expect(await findNatsServer({ env, fetchers: [fails] })).toMatchObject({ kind: 'found', path: cached() });
  });

  test('downloaded by several processes at once is complete for each of them', async () => {
    const found = await Promise.all(
      Array.from({ length: 5 }, () => findNatsServer({ env, fetchers: [brings('2.15.1')] })),
    );
    expect(found).toEqual(found.map(() => ({ kind: 'found', path: cached(), version: '2.15.1' })));
  });

  test('in the cache that changed after the download is not run but downloaded again', async () => {
    await findNatsServer({ env, fetchers: [brings('2.15.1')] });
    const path = cached();
    writeFileSync(path, `#!/bin/sh\ntouch ${join(root, 'was-run')}\necho "nats-server: v2.15.1"\n`);
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    expect(await findNatsServer({ env, report, fetchers: [fails] })).toMatchObject({ kind: 'missing' });
    expect(lines).toContain(`${path} is not used, because it changed after the download`);
    expect(await findNatsServer({ env, fetchers: [brings('2.15.1')] })).toMatchObject({
      kind: 'found',
      path: cached(),
    });
    expect(readdirSync(root)).not.toContain('was-run');
  });

  test('in a cache that other users can write is not run', async () => {
    await findNatsServer({ env, fetchers: [brings('2.15.1')] });
    for (const [path, mode] of [
      [folder(), 0o777],
      [cached(), 0o775],
    ] as const) {
      chmodSync(path, mode);
      expect(await findNatsServer({ env, fetchers: [fails] })).toMatchObject({ kind: 'missing' });
      chmodSync(path, 0o700);
    }
    expect(await findNatsServer({ env, fetchers: [fails] })).toMatchObject({ kind: 'found' });
  });

  test('that is not available is an error with every reason and both remedies', async () => {
    const broken: Fetcher = {
      name: 'a broken source',
      fetch: async (folder) => {
        writeFileSync(join(folder, 'x'), 'no program');
        return join(folder, 'x');
      },
    };
    const found = await findNatsServer({ env, fetchers: [fails, brings('2.9.10'), broken] });
    expect(found).toEqual({
      kind: 'missing',
      message: [
        'No nats-server 2.12 or newer was found, and the download failed:',
        '  - a mirror: no route to host',
        '  - a source of 2.9.10: its version 2.9.10 is too old',
        '  - a broken source: the downloaded binary does not run on this machine',
        'Install nats-server 2.12 or newer on PATH, or set NATS_URL to a running server.',
      ].join('\n'),
    });
    expect(readdirSync(join(root, 'cache', 'player-analytics'))).toEqual([]);
  });
});

describe('the official release', () => {
  test('is not unpacked unless it has the pinned hash', async () => {
    const scratch = mkdtempSync(join(root, 'fetch-'));
    const requested: string[] = [];
    const download = async (url: string) => {
      requested.push(url);
      return Buffer.from('not what was released');
    };
    await expect(fetchNatsFromRelease(scratch, download)).rejects.toThrow(/has the SHA-256 \w{64}; \w{64} is expected/);
    expect(readdirSync(scratch)).toEqual([]);
    expect(requested).toHaveLength(1);
  });
});

test('a Debian package whose name is pinned is not unpacked with other content', async () => {
  const path = join(root, 'nats-server_2.15.1-1_amd64.deb');
  writeFileSync(path, 'not what was released');
  const actual = createHash('sha256').update('not what was released').digest('hex');
  await expect(checkPinned(path, actual)).resolves.toBeUndefined();
  await expect(checkPinned(path, undefined)).resolves.toBeUndefined();
  await expect(checkPinned(path, 'f'.repeat(64))).rejects.toThrow(
    `nats-server_2.15.1-1_amd64.deb has the SHA-256 ${actual}; ${'f'.repeat(64)} is expected`,
  );
});

test("the download uses the machine's main archive with its newest suite and its signature", () => {
  const sources = [
    'Types: deb',
    '# a comment',
    'URIs: http://mirror.example/debian',
    'Suites: bookworm bookworm-updates',
    'Components: main',
    'Trusted: yes',
    'Allow-Insecure: yes',
    'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg',
    '',
    'Types: deb',
    'URIs: http://mirror.example/debian-security',
    'Suites: bookworm-security',
  ].join('\n');
  expect(newestSuite(sources)).toBe(
    [
      'Types: deb',
      '# a comment',
      'URIs: http://mirror.example/debian',
      'Suites: forky',
      'Components: main',
      'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg',
      '',
    ].join('\n'),
  );
});
