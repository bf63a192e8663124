import { withoutStrings } from './read-only-gate.ts';

/** How a result is written. */
export interface ResultFormat {
  name: string;
  contentType: string;
  /**
   * Lines that every chunk of a streamed result begins with and only the first may keep; `undefined` for a format that is
   * one document and so must be held whole.
   */
  headerLines: number | undefined;
}

/** The format a statement names in its FORMAT clause, else the default. */
export function resultFormat(sql: string, defaultFormat: string): ResultFormat {
  const visible = withoutStrings(sql);
  const named = /\bFORMAT\s+(\w+)\s*(?:SETTINGS\b[^;]*)?;?\s*$/i.exec(visible)?.[1];
  const name = named ?? defaultFormat;
  // A FORMAT that is not where it was looked for, or rows after the rows (totals, extremes), cannot be cut into chunks.
  const plain = (named !== undefined || !/\bFORMAT\b/i.test(visible)) && !/\bTOTALS\b/i.test(visible);
  return {
    name,
    contentType: contentTypeOf(name),
    headerLines: plain ? HEADER_LINES.get(name.toLowerCase()) : undefined,
  };
}

/** Names with line feeds are escaped in all of these but CSV, where such a column name is nobody's. */
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
  if (/^(JSON|JSONCompact|JSONStrings|JSONCompactStrings|JSONColumns\w*|JSONObjectEachRow)$/i.test(format)) {
    return 'application/json; charset=UTF-8';
  }
  if (/^(JSON\w*EachRow\w*|JSONLines|NDJSON)$/i.test(format)) return 'application/x-ndjson; charset=UTF-8';
  if (/^(TSV|TabSeparated)/i.test(format)) return 'text/tab-separated-values; charset=UTF-8';
  if (/^CSV/i.test(format))
    return 'text/csv; charset=UTF-8; header=' + (/WithNames/i.test(format) ? 'present' : 'absent');
  if (/^(Native|RowBinary|Parquet|Arrow|ORC|Avro|MsgPack|Protobuf)/i.test(format)) return 'application/octet-stream';
  if (/^XML$/i.test(format)) return 'application/xml; charset=UTF-8';
  return 'text/plain; charset=UTF-8';
}

/** `chunk` without its first `lines` lines. */
export function withoutLines(chunk: Uint8Array, lines: number): Uint8Array {
  let start = 0;
  for (let i = 0; i < lines; i++) start = chunk.indexOf(0x0a, start) + 1;
  return chunk.subarray(start);
}
