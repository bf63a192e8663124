import type { StreamName } from '../../core/vocabulary/stream-name.ts';
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';

/** Up to where ClickHouse confirms that its tables are complete for a stream, by its own note in `sink_positions`. */
export interface ConfirmedPosition {
  /** The stream's creation, epoch milliseconds. */
  createdMs: number;
  sequence: number;
}

/** @returns `undefined`: ClickHouse never noted a position of the stream */
export async function readConfirmedPosition(
  client: ClickHouseClient,
  stream: StreamName,
): Promise<ConfirmedPosition | undefined> {
  const result = await client.query({ query: NEWEST, query_params: { stream }, format: 'JSONEachRow' });
  const [row] = await result.json<{ created: string | number; sequence: string | number }>();
  return row && { createdMs: Number(row.created), sequence: Number(row.sequence) };
}

const NEWEST = `
SELECT stream_created AS created, sequence FROM sink_positions
WHERE stream = {stream: String}
ORDER BY version DESC
LIMIT 1`;

/**
 * Notes a position, unless ClickHouse is behind the one that it was last seen to hold. One statement compares and
 * writes: each statement costs the engine several milliseconds.
 * @param noted what ClickHouse must hold; `undefined`: nothing is compared
 * @returns whether the position was noted; it is durable then
 */
export async function noteConfirmedPosition(
  client: ClickHouseClient,
  stream: StreamName,
  position: ConfirmedPosition,
  noted: ConfirmedPosition | undefined,
): Promise<boolean> {
  try {
    await client.command({
      query: noted === undefined ? NOTE : NOTE_AFTER,
      query_params: {
        stream,
        created: position.createdMs,
        sequence: position.sequence,
        ...(noted === undefined ? {} : { noted_created: noted.createdMs, noted: noted.sequence }),
      },
      clickhouse_settings: { async_insert: 0, insert_deduplicate: 0 },
    });
    return true;
  } catch (error) {
    if (error instanceof ClickHouseError && Number(error.code) === THROW_IF) return false;
    throw error;
  }
}

/** FUNCTION_THROW_IF_VALUE_IS_NON_ZERO. */
const THROW_IF = 395;

const NOTE = `
INSERT INTO sink_positions (stream, stream_created, sequence)
SELECT {stream: String}, {created: UInt64}, {sequence: UInt64}`;

/** Without rows the aggregates are 0, so an emptied table counts as behind. */
const NOTE_AFTER = `${NOTE}
FROM (
  SELECT argMax(stream_created, version) AS newest_created, argMax(sequence, version) AS newest
  FROM sink_positions
  WHERE stream = {stream: String}
)
WHERE throwIf(newest_created != {noted_created: UInt64} OR newest < {noted: UInt64}) = 0`;
