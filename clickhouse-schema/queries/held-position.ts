import type { ClickHouseClient } from '@clickhouse/client';
import type { StreamName } from '../../streams/stream-definitions.ts';

/** How far ClickHouse's tables hold a stream, by its own record in `sink_positions`. */
export interface HeldPosition {
  /** The stream's creation, epoch milliseconds. */
  createdMs: number;
  sequence: number;
}

/** @returns `undefined`: ClickHouse never noted a position of the stream */
export async function readHeldPosition(
  client: ClickHouseClient,
  stream: StreamName,
): Promise<HeldPosition | undefined> {
  const result = await client.query({ query: NEWEST, query_params: { stream }, format: 'JSONEachRow' });
  const [row] = await result.json<{ created: string | number; sequence: string | number }>();
  return row && { createdMs: Number(row.created), sequence: Number(row.sequence) };
}

const NEWEST = `
SELECT stream_created AS created, sequence FROM sink_positions
WHERE stream = {stream: String}
ORDER BY version DESC
LIMIT 1`;

/** Resolves when the position is durable. */
export async function noteHeldPosition(
  client: ClickHouseClient,
  stream: StreamName,
  { createdMs, sequence }: HeldPosition,
): Promise<void> {
  await client.insert({
    table: 'sink_positions',
    columns: ['stream', 'stream_created', 'sequence'],
    format: 'JSONEachRow',
    values: [{ stream, stream_created: createdMs, sequence }],
    clickhouse_settings: { async_insert: 0, insert_deduplicate: 0 },
  });
}
