import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliError } from '../../cli-error.ts';
import { openFile, type FileKind } from './open-source.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'open-source-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Why a file cannot be read. */
async function faultOf(path: string, kind: FileKind): Promise<string> {
  try {
    const { chunks } = await openFile(path, kind);
    for await (const _ of chunks) continue;
  } catch (error) {
    if (error instanceof CliError) return error.message;
    throw error;
  }
  return 'none';
}

describe('a file of history that cannot be read', () => {
  it.each<FileKind>(['ndjson', 'csv', 'parquet'])('may be missing (%s)', async (kind) => {
    const path = join(folder, 'missing');
    expect(await faultOf(path, kind)).toBe(`There is no file ${path}.`);
  });

  it('may be a folder', async () => {
    expect(await faultOf(folder, 'ndjson')).toBe(`${folder} is a folder; name the files in it.`);
    expect(await faultOf(folder, 'parquet')).toBe(`${folder} is a folder; name the files in it.`);
  });

  it('may not be what its name says', async () => {
    const parquet = join(folder, 'a{1,2}.parquet');
    writeFileSync(parquet, 'PAR1 is all that it has of Parquet PAR1');
    const fault = await faultOf(parquet, 'parquet');
    expect(fault).toContain(`${parquet} cannot be read as Parquet. Bad metadata size`);
    expect(fault).not.toMatch(/\n|DB::Exception|manually/);
    const gzip = join(folder, 'a.ndjson.gz');
    writeFileSync(gzip, 'plain');
    expect(await faultOf(gzip, 'ndjson')).toBe(`${gzip}: incorrect header check`);
  });

  it('is not one that begins with a word of theirs', async () => {
    const path = join(folder, 'a.csv');
    for (const content of ['PAR1-player\n', 'BZhang\n', 'PK\n']) {
      writeFileSync(path, content);
      expect(await faultOf(path, 'csv')).toBe('none');
    }
  });

  it.each([
    ['gzip', gzipSync('{}\n'), 'is compressed by gzip. Let its name end with .gz once.'],
    ['a ZIP archive', Buffer.from('PK\u0003\u0004 files'), 'is a ZIP archive. Unpack it.'],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), 'is compressed by zstd. Unpack it.'],
    ['Parquet', Buffer.from('PAR1\u0015\u0004 rows PAR1'), 'is Parquet. Import it with --format parquet.'],
    ['UTF-16', Buffer.from('\uFEFF{}\n', 'utf16le'), 'is UTF-16. Save it as UTF-8.'],
  ])('may be %s', async (_, content, reason) => {
    const path = join(folder, 'a.ndjson');
    writeFileSync(path, content);
    expect(await faultOf(path, 'ndjson')).toBe(`The content of ${path} ${reason}`);
    const twice = join(folder, 'a.csv.gz');
    writeFileSync(twice, gzipSync(content));
    expect(await faultOf(twice, 'csv')).toBe(`The content of ${twice} ${reason}`);
  });
});
