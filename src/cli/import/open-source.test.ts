import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliError } from '../cli-error.ts';
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
});
