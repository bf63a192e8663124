import type { ClickHouse } from '../read/clickhouse.ts';
import type { Differences } from './differences.ts';

/** Columns of `events` with values of its properties: docs/analytics.md. */
const COLUMNS = Array.from({ length: 8 }, (_, place) => `extracted_${place + 1}`);
const MOST = 100;
/** The path as JSON, and the kind with the text: a regular expression in a text of SQL. */
const FORM = String.raw`'(?s)^("(?:[^"\\\\]|\\\\.)*"):([snb-].*)$'`;

/** A value that JSON functions give none for, and that a path with dots looks beyond. */
const isNone = (raw: string): string => `${raw} IN ('', 'null', '""')`;

/**
 * An extracted value is the one that the properties have at its path: the path as JSON, a colon, the kind, the text.
 * Covers all rows, also those of records that the log no longer holds.
 */
export async function checkExtracted(clickhouse: ClickHouse, differences: Differences): Promise<void> {
  const sql = `
WITH
  extractGroups(value, ${FORM}) AS parts,
  JSONExtractString(parts[1]) AS path,
  JSONExtractRaw(properties, path) AS whole,
  arrayFold((found, key) -> JSONExtractRaw(found, key), splitByChar('.', path), properties) AS inner,
  multiIf(NOT (${isNone('whole')}), whole, NOT (${isNone('inner')}), inner, '') AS raw,
  multiIf(
    raw = '', '-',
    startsWith(raw, '"'), concat('s', JSONExtractString(raw)),
    raw IN ('true', 'false'), concat('b', raw),
    concat('n', raw)) AS wanted
SELECT event_id, value, properties
FROM (
  SELECT event_id, properties, arrayJoin([${COLUMNS.map((column) => `toString(${column})`).join(', ')}]) AS value
  FROM events
  WHERE ${COLUMNS.map((column) => `${column} != ''`).join(' OR ')}
)
WHERE value != '' AND (empty(parts) OR parts[2] != wanted)
LIMIT ${MOST}`;
  await clickhouse.each<[string, string, string]>(sql, {}, ([event, value, properties]) => {
    differences.add('differs', `events: the event ${event} has the extracted value ${value}; it has ${properties}`);
  });
}
