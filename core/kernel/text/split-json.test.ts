import { describe, expect, it } from 'vitest';
import { beginsWithArray, splitJson } from './split-json.ts';

async function split(text: string, chunkBytes = Infinity, maxBytes = 1_000): Promise<string[]> {
  const bytes = Buffer.from(text);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const found: string[] = [];
  for await (const records of splitJson(chunks(), maxBytes)) {
    for (const { line, bytes: item, fault } of records)
      found.push(`${line}${fault === undefined ? '' : ` ${fault}`}: ${item.toString()}`);
  }
  return found;
}

describe('items of JSON arrays', () => {
  it.each([
    ['on one line', '[{"a":1},{"b":[1,{"c":2}]}]', ['1: {"a":1}', '2: {"b":[1,{"c":2}]}']],
    ['on many', '\uFEFF [\n  {\n "a": "]}, \\" {"\n  },\n  {}\n]\n', ['1: {\n "a": "]}, \\" {"\n  }', '2: {}']],
    ['that are no objects', '[1, "a,]", [2], null ,{}]', ['1: 1', '2: "a,]"', '3: [2]', '4: null ', '5: {}']],
    [
      'of several arrays, and objects behind',
      '[{"a":1}]\n[]\n[{"b":2}]\n{"c":3}\n{"d":4}',
      ['1: {"a":1}', '2: {"b":2}', '3: {"c":3}', '4: {"d":4}'],
    ],
    [
      'behind an item without its last quote',
      '[{"a":"x},\n{"b":1},\n{"c":2}]',
      ['1: {"a":"x},', '2: {"b":1}', '3: {"c":2}'],
    ],
    ['behind text that is none', '[{"a":1}]\nwhat is this\n{"b":2}', ['1: {"a":1}', '2: what is this', '3: {"b":2}']],
    ['of a file that is cut off', '[{"a":1},{"b', ['1: {"a":1}', '2 is cut off: the file ends in it: {"b']],
    [
      'of a file that is cut off between them',
      '[{"a":1},',
      ['1: {"a":1}', '2 is missing: the file ends before its array does: '],
    ],
    ['of an empty array', '[]', []],
  ])('%s', async (_, text, items) => {
    for (const chunkBytes of [Infinity, 7, 4]) expect(await split(text, chunkBytes)).toEqual(items);
  });

  it('that are too long are faults, and those behind are read', async () => {
    const items = await split(`[{"a":"${'x'.repeat(2_000)}"},{"b":1}]`, 64);
    expect(items).toEqual(['1 is longer than 1000 bytes: ', '2: {"b":1}']);
  });

  it('are known by the first byte that is no blank', () => {
    expect(
      ['', ' \r\n\t', '\uFEFF', '\uFEFF [', ' {', '\uFEFF{'].map((text) => beginsWithArray(Buffer.from(text))),
    ).toEqual([undefined, undefined, undefined, true, false, false]);
  });
});
