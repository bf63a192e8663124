import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHostFiles, parseHosts, parseSearch } from './host-files.ts';

test('/etc/hosts gives every name of a line, in any case, without comments', () => {
  const hosts = parseHosts(
    '127.0.0.1\tlocalhost\n# 10.0.0.1 no\n10.0.0.2  Db db.inner # main\n::1 localhost\n\nbroken\n',
  );
  expect(hosts.get('localhost')).toEqual(['127.0.0.1', '::1']);
  expect(hosts.get('db')).toEqual(['10.0.0.2']);
  expect(hosts.get('db.inner')).toEqual(['10.0.0.2']);
  expect(hosts.size).toBe(3);
});

test('/etc/resolv.conf gives its last search list, at most six domains', () => {
  const text = 'nameserver 10.0.0.1\ndomain a.test\nsearch b.test. c.test 1 2 3 4 5\noptions ndots:5\n';
  expect(parseSearch(text)).toEqual(['b.test', 'c.test', '1', '2', '3', '4']);
  expect(parseSearch('')).toEqual([]);
});

test('changed files are read again, and missing files count as empty', () => {
  const root = mkdtempSync(join(tmpdir(), 'player-analytics-'));
  const files = openHostFiles(join(root, 'hosts'), join(root, 'resolv.conf'));
  expect([files.addressesOf('a'), files.searchDomains()]).toEqual([[], []]);
  writeFileSync(join(root, 'hosts'), '10.0.0.1 a\n');
  writeFileSync(join(root, 'resolv.conf'), 'search x.test\n');
  expect([files.addressesOf('a'), files.searchDomains()]).toEqual([['10.0.0.1'], ['x.test']]);
  writeFileSync(join(root, 'hosts'), '10.0.0.20 a\n');
  expect(files.addressesOf('a')).toEqual(['10.0.0.20']);
  rmSync(root, { recursive: true });
});
