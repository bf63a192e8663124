import { describe, expect, it } from 'vitest';
import { LIST_LOAD_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import type { NameKind } from './list-port.ts';
import { listFormatOf, readNames, refuseEmpty, type ListFormat } from './read-names.ts';

const UUID = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** The names as `kind:text`, or the message of the failure. */
async function read(text: string, format: ListFormat, plain: NameKind = 'external_id', size = 5): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of readNames(pieces(text, size), format, plain)) {
    if (batch.kind === 'failure') return [batch.message ?? ''];
    found.push(...batch.names.map(({ kind, text }) => `${kind}:${text}`));
  }
  return found;
}

describe('a file that must have names', () => {
  it.each([
    ['external_id\na\n', ['names']],
    ['external_id\n', ['failure']],
    ['', ['failure']],
  ])('%j gives %j', async (text, kinds) => {
    const found: string[] = [];
    for await (const batch of refuseEmpty(readNames(pieces(text, 100), 'csv', 'external_id'))) {
      if (batch.kind === 'failure' || batch.names.length > 0) found.push(batch.kind);
    }
    expect(found).toEqual(kinds);
  });
});

describe('the names of a list', () => {
  it.each(['undefined', ' NULL ', '[object Object]', '00000000-0000-0000-0000-000000000000', '  '])(
    'may not be %j',
    async (id) => {
      const texts: [string, ListFormat][] = [
        [`external_id\na\n"${id}"\n`, 'csv'],
        [`"a"\n${JSON.stringify(id)}\n`, 'ndjson'],
        [JSON.stringify({ external_ids: ['a', id] }), 'json'],
      ];
      for (const [text, format] of texts) {
        expect((await read(text, format, 'external_id', 1_000)).at(-1)).toContain('missing value');
      }
    },
  );

  it.each<[string, ListFormat, string, NameKind, string[]]>([
    ['one id a line', 'csv', 'a\r\n\nb\n"c,d"', 'external_id', ['external_id:a', 'external_id:b', 'external_id:c,d']],
    ['player ids', 'csv', `${UUID}\n`, 'player_id', [`player_id:${UUID}`]],
    ['a column of a CSV', 'csv', 'x,External_ID,y\n1,a,2\n3,b\n', 'external_id', ['external_id:a', 'external_id:b']],
    ['the column that is asked for', 'csv', `external_id,player_id\na,${UUID}\n`, 'player_id', [`player_id:${UUID}`]],
    [
      'lines of JSON',
      'ndjson',
      `"a"\n{"player_id":"${UUID}"}\n{"external_id":"ü 🎲","x":1}`,
      'external_id',
      ['external_id:a', `player_id:${UUID}`, 'external_id:ü 🎲'],
    ],
    [
      'a document',
      'json',
      `{"external_ids":["a"],"player_ids":["${UUID}"]}`,
      'external_id',
      ['external_id:a', `player_id:${UUID}`],
    ],
    ['nothing', 'csv', '', 'external_id', []],
    ['an empty document', 'json', '{"external_ids":[]}', 'external_id', []],
    ['a document behind a mark', 'json', '\ufeff{"external_ids":["a"]}', 'external_id', ['external_id:a']],
    ['lines of JSON behind a mark', 'ndjson', '\ufeff"a"\n"b"', 'external_id', ['external_id:a', 'external_id:b']],
    ['a CSV behind a mark', 'csv', '\ufeffexternal_id\na', 'external_id', ['external_id:a']],
  ])('are %s', async (_name, format, text, plain, names) => {
    expect(await read(text, format, plain)).toEqual(names);
    expect(await read(text, format, plain, 1_000)).toEqual(names);
  });

  it.each<[ListFormat, string, NameKind, string]>([
    ['csv', 'a,b\n', 'external_id', 'Line 1 has several columns'],
    ['csv', 'player_id\nnobody\n', 'external_id', 'Line 2 must be a player id'],
    ['csv', 'external_id,x\n,1\n', 'external_id', 'Line 2 must be an external_id of 1 to'],
    ['csv', `${'a'.repeat(LIST_LOAD_LIMITS.listLineBytes + 1)}\n`, 'external_id', 'Line 1 is longer than'],
    ['csv', `${'a'.repeat(TEXT_LIMITS.externalIdLength + 1)}\n`, 'external_id', 'Line 1 must be an external_id'],
    ['csv', 'external_id;rank\nann;1\n', 'external_id', 'Line 1 separates columns with `;` or tabs; use commas.'],
    ['csv', 'x\tPlayer_ID\nann\tb\n', 'external_id', 'Line 1 separates columns'],
    ['csv', '"a', 'external_id', 'Line 1 ends inside'],
    ['ndjson', '"a"\n7\n', 'external_id', 'Line 2 must be a JSON string'],
    ['ndjson', `${'['.repeat(5_000)}\n`, 'external_id', 'Line 1 must be a JSON string'],
    ['json', '["a"]', 'external_id', 'must be an object'],
    ['json', '{"ids":["a"]}', 'external_id', 'must be an object'],
    [
      'json',
      `{"external_ids":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      'external_id',
      '`external_ids/0` must be string',
    ],
    ['json', '{"external_ids":[7]}', 'external_id', '`external_ids/0` must be string'],
    ['json', '{', 'external_id', 'is not valid JSON'],
  ])('in %s are refused: %s', async (format, text, plain, message) => {
    expect((await read(text, format, plain, 1_000))[0]).toContain(message);
  });

  it('have the formats of their types', () => {
    expect(
      ['text/csv; charset=utf-8', 'Application/JSON', 'application/x-ndjson', 'image/png'].map(listFormatOf),
    ).toEqual(['csv', 'json', 'ndjson', undefined]);
  });
});
