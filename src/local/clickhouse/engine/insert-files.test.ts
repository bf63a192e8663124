import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openInsertFiles } from './insert-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'insert-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the files of inserts', () => {
  it('hold their content for this user only, at a path of digits, and have no name', async () => {
    const place = join(folder, "quoted ' {a,b} *");
    const files = openInsertFiles(place);
    expect(statSync(place).mode & 0o777).toBe(0o700);
    const content = Buffer.from([0, 10, 10, 255]);
    const path = await files.hold(content, async (held) => {
      expect(held).toMatch(/^\/proc\/self\/fd\/\d+$/);
      expect(readFileSync(held)).toEqual(content);
      expect(statSync(held).mode & 0o777).toBe(0o600);
      expect(statSync(held).nlink).toBe(0);
      expect(readdirSync(place)).toEqual([]);
      return held;
    });
    expect(path).toMatch(/\d$/);
  });

  it('are separate when several are held', async () => {
    const files = openInsertFiles(folder);
    const read = await files.hold(Buffer.from('one'), (one) =>
      files.hold(Buffer.from('two'), async (two) => [readFileSync(one, 'utf8'), readFileSync(two, 'utf8')]),
    );
    expect(read).toEqual(['one', 'two']);
  });

  it('are closed when the insert fails', async () => {
    const files = openInsertFiles(folder);
    const descriptors = () => readdirSync('/proc/self/fd').length;
    const before = descriptors();
    for (let i = 0; i < 20; i++) {
      await expect(files.hold(Buffer.from('x'), () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    }
    expect(descriptors()).toBeLessThan(before + 20);
  });

  it('of a process that was killed are removed at the next start', () => {
    writeFileSync(join(folder, '7'), 'left over');
    openInsertFiles(folder);
    expect(readdirSync(folder)).toEqual([]);
  });
});
