import type { ApprovedStatement } from '../../sql-gate/approve-statement.ts';

/** The format of a result. */
export interface ResultFormat {
  name: string;
  contentType: string;
  /**
   * Header lines at the start of every chunk of a streamed result; only the first chunk keeps them. `undefined` for
   * formats that cannot be streamed: their result is buffered as a whole.
   */
  headerLines: number | undefined;
}

/** The format in the statement's FORMAT clause, else the default. */
export function resultFormat(
  statement: Pick<ApprovedStatement, 'format' | 'hasTotals'>,
  defaultFormat: string,
): ResultFormat {
  const name = statement.format ?? defaultFormat;
  return {
    name,
    contentType: contentTypeOf(name),
    // A result with totals cannot be split into chunks.
    headerLines: statement.hasTotals ? undefined : HEADER_LINES.get(name.toLowerCase()),
  };
}

/** All of these escape line feeds in column names except CSV, where such names do not occur in practice. */
const HEADER_LINES = new Map(
  [
    ['TabSeparated TSV TabSeparatedRaw TSVRaw CSV TSKV LineAsString RowBinary Native MsgPack', 0],
    ['JSONEachRow JSONLines NDJSON JSONStringsEachRow JSONCompactEachRow JSONCompactStringsEachRow', 0],
    ['TabSeparatedWithNames TSVWithNames TabSeparatedRawWithNames TSVRawWithNames CSVWithNames', 1],
    ['JSONCompactEachRowWithNames JSONCompactStringsEachRowWithNames', 1],
    ['TabSeparatedWithNamesAndTypes TSVWithNamesAndTypes CSVWithNamesAndTypes', 2],
    ['JSONCompactEachRowWithNamesAndTypes JSONCompactStringsEachRowWithNamesAndTypes', 2],
  ].flatMap(([names, lines]): [string, number][] =>
    String(names)
      .split(' ')
      .map((name) => [name.toLowerCase(), Number(lines)]),
  ),
);

function contentTypeOf(format: string): string {
  const name = format.toLowerCase();
  if (name.startsWith('json') || name === 'ndjson') {
    const isLines = name.includes('eachrow') ? name !== 'jsonobjecteachrow' : LINES.has(name);
    return isLines ? 'application/x-ndjson; charset=UTF-8' : 'application/json; charset=UTF-8';
  }
  if (name.startsWith('tsv') || name.startsWith('tabseparated')) return 'text/tab-separated-values; charset=UTF-8';
  if (name.startsWith('csv'))
    return 'text/csv; charset=UTF-8; header=' + (name.includes('withnames') ? 'present' : 'absent');
  if (BINARY.some((prefix) => name.startsWith(prefix))) return 'application/octet-stream';
  if (name === 'xml') return 'application/xml; charset=UTF-8';
  return 'text/plain; charset=UTF-8';
}

const LINES = new Set(['jsonl', 'jsonlines', 'ndjson']);
const BINARY = ['native', 'rowbinary', 'parquet', 'arrow', 'orc', 'avro', 'msgpack'];

/** `chunk` without its first `lines` lines. */
export function withoutLines(chunk: Uint8Array, lines: number): Uint8Array {
  let start = 0;
  for (let i = 0; i < lines; i++) start = chunk.indexOf(0x0a, start) + 1;
  return chunk.subarray(start);
}
