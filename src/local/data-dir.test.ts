import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDataDir } from './data-dir.ts';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'player-analytics-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

describe('DATA_DIR', () => {
  test('that others can read is closed to other users, with its direct children', () => {
    const folder = join(root, 'data');
    mkdirSync(join(folder, 'nats'), { recursive: true });
    writeFileSync(join(folder, 'node-name'), 'n-0123456789ab\n');
    for (const [path, mode] of Object.entries({ '': 0o755, nats: 0o777, 'node-name': 0o664 })) {
      chmodSync(join(folder, path), mode);
    }
    expect(openDataDir(folder)).toEqual({ kind: 'opened', path: folder, warnings: [] });
    expect(['', 'nats', 'node-name'].map((path) => modeOf(join(folder, path)))).toEqual(['700', '700', '600']);
  });

  test('behind a link is closed; the targets of links in it are not', () => {
    const [folder, elsewhere] = [join(root, 'data'), join(root, 'elsewhere')];
    for (const path of [folder, elsewhere]) mkdirSync(path, { mode: 0o755 });
    symlinkSync(folder, join(root, 'link'));
    symlinkSync(elsewhere, join(folder, 'out'));
    expect(openDataDir(join(root, 'link'))).toMatchObject({ kind: 'opened', path: folder });
    expect(modeOf(folder)).toBe('700');
    expect(modeOf(elsewhere)).toBe('755');
  });

  test('that all users share is refused and keeps its mode', () => {
    const folder = join(root, 'shared');
    mkdirSync(folder);
    chmodSync(folder, 0o1777);
    expect(openDataDir(folder)).toMatchObject({ kind: 'shared', message: expect.stringContaining('sticky bit') });
    expect(modeOf(folder)).toBe('1777');
  });
});
