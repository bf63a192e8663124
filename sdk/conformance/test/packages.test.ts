import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/* What can be known of the packages for engines without the engines. */

const SDK = resolve(import.meta.dirname, '../..');

function filesOf(folder: string): string[] {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', folder], { cwd: SDK });
  return list
    .toString()
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(SDK, file)));
}

const textOf = (file: string) => readFileSync(join(SDK, file), 'utf8');

describe('the package for Unity', () => {
  // Unity leaves folders out whose names end with a tilde.
  const assets = filesOf('unity').filter((file) => !file.includes('~/'));

  it('has a .meta file with an id of its own for each asset: in an installed package Unity ignores one without', () => {
    const folders = ['unity/Runtime', 'unity/Runtime/Core', 'unity/Runtime/Unity'];
    const own = [...assets.filter((file) => !file.endsWith('.meta')), ...folders];
    const metas = assets.filter((file) => file.endsWith('.meta'));
    expect(metas.toSorted()).toEqual(own.map((file) => `${file}.meta`).toSorted());
    const ids = metas.map((file) => /^guid: ([0-9a-f]{32})$/m.exec(textOf(file))?.[1]);
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(metas.length);
  });

  it('has a core that knows nothing of Unity, and files of at most 350 lines', () => {
    const sources = assets.filter((file) => file.endsWith('.cs'));
    expect(sources.length).toBeGreaterThan(20);
    const core = sources.filter((file) => file.startsWith('unity/Runtime/Core/'));
    expect(core.filter((file) => textOf(file).includes('UnityEngine'))).toEqual([]);
    expect(sources.filter((file) => textOf(file).split('\n').length > 350)).toEqual([]);
  });

  it('names its samples', () => {
    const { samples }: { samples: { path: string }[] } = JSON.parse(textOf('unity/package.json'));
    for (const { path } of samples) expect(existsSync(join(SDK, 'unity', path))).toBe(true);
  });
});

describe('the addon for Godot', () => {
  const sources = filesOf('godot').filter((file) => file.endsWith('.gd'));

  it('loads only files that are there, and needs nothing outside of its folder', () => {
    const addon = sources.filter((file) => file.startsWith('godot/addons/'));
    expect(addon.length).toBeGreaterThan(10);
    for (const file of addon) {
      for (const [, path = ''] of textOf(file).matchAll(/preload\("([^"]+)"\)/g)) {
        expect(path).not.toMatch(/^res:|\.\./);
        expect([file, path, existsSync(join(SDK, file, '..', path))]).toEqual([file, path, true]);
      }
    }
  });

  it('has files of at most 400 lines', () => {
    expect(sources.filter((file) => textOf(file).split('\n').length > 400)).toEqual([]);
  });
});
