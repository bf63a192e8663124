import { describe, expect, it } from 'vitest';
import { splitRecords, type FileRecord } from './split-records.ts';

async function* pieces(data: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < data.length; from += size) yield data.subarray(from, from + size);
}

async function split(text: string | Buffer, size: number, quoted = false, maxBytes = 64): Promise<FileRecord[]> {
  const records: FileRecord[] = [];
  const chunks = pieces(Buffer.from(text), size);
  for await (const some of splitRecords(chunks, { quoted, maxBytes })) records.push(...some);
  return records;
}

const texts = (records: readonly FileRecord[]) =>
  records.map(({ line, bytes, fault }) => [line, fault ?? bytes.toString()]);

describe('the records of a file', () => {
  it.each([1, 2, 3, 7, 1000])('are its lines, whatever its chunks (%i bytes)', async (size) => {
    const text = '\uFEFFfirst\r\n\nthird “ü” 🎲\r\n\r\nlast';
    expect(texts(await split(text, size))).toEqual([
      [1, 'first'],
      [3, 'third “ü” 🎲'],
      [5, 'last'],
    ]);
  });

  it.each([1, 5, 1000])('of CSV keep line breaks between quotes (%i bytes)', async (size) => {
    const text = 'a,b\r\n"x\ny",""""\n"2\r\n",3\n';
    expect(texts(await split(text, size, true))).toEqual([
      [1, 'a,b'],
      [2, '"x\ny",""""'],
      [4, '"2\r\n",3'],
    ]);
  });

  it('of CSV take time linear in a chunk of short lines', async () => {
    // Searched to the end of the chunk from each line, the quotes took ten seconds.
    const text = Buffer.from('a\n'.repeat(300_000));
    let count = 0;
    for await (const some of splitRecords(pieces(text, text.length), { quoted: true, maxBytes: 64 })) {
      count += some.length;
    }
    expect(count).toBe(300_000);
  });

  it.each([1, 2, 3, 1000])('leave out empty lines, and count them (%i bytes)', async (size) => {
    const text = '\n\r\n\n"a\n\r\n\n"\n\r\n\n\rb\n\n';
    expect(texts(await split(text, size, true))).toEqual([
      [4, '"a\n\r\n\n"'],
      [10, '\rb'],
    ]);
  });

  it('are none in 64 MiB of empty lines', async () => {
    // With a search and a record for each line, this took 20 seconds.
    const text = Buffer.alloc(64 * 1024 * 1024, '\n');
    for await (const some of splitRecords(pieces(text, 64 * 1024), { quoted: false, maxBytes: 64 })) {
      expect(some).toEqual([]);
    }
  });

  it.each([1, 100, 1000])('are at most as long as the bound, and the next one is read (%i bytes)', async (size) => {
    const text = `ok\n${'x'.repeat(500)}\nnext\n${'y'.repeat(64)}\n`;
    expect(texts(await split(text, size))).toEqual([
      [1, 'ok'],
      [2, 'is longer than 64 bytes'],
      [3, 'next'],
      [4, 'y'.repeat(64)],
    ]);
  });

  it('follow a quote without an end, once the bound is reached', async () => {
    const text = `a\n"open\n${'line\n'.repeat(30)}`;
    const records = await split(text, 10, true);
    expect(records[0]).toMatchObject({ line: 1 });
    expect(records[1]).toMatchObject({ line: 2, fault: 'is longer than 64 bytes' });
    expect(records.at(-1)).toMatchObject({ line: 32 });
    expect(records.at(-1)?.bytes.toString()).toBe('line');
  });

  it('end with a fault if the file ends between quotes', async () => {
    expect(texts(await split('a\n"open', 100, true))).toEqual([
      [1, 'a'],
      [2, 'ends inside of a quoted field'],
    ]);
  });

  it('are none in an empty file', async () => {
    expect(await split('', 10)).toEqual([]);
    expect(await split('\uFEFF\n\n', 10)).toEqual([]);
  });
});
