import type { ClickHouseClient } from '@clickhouse/client';
import type { EventHistory, PastEvent, PastEvents } from '../../../core/vocabulary/event-history.ts';
import type { ClickhouseAddress } from '../../clickhouse-address.ts';
import { openClient } from '../../open-client.ts';
import { EVENT_QUERY_LIMITS } from './limits.ts';
import { readConfirmedPosition } from '../confirmed-position.ts';
import { ROW_STEP } from '../../rows/common-columns.ts';
import { partitionExpression } from '../statements/partition-expression.ts';

/**
 * Reads past events from `events`, as a stream. ClickHouse sorts the rows of one `load`.
 *
 * One statement reads rows at a time, for all partitions of the process, in the order in which they ask. It lasts as
 * long as its owner takes for the rows, and the embedded ClickHouse runs few statements of the service at once: as
 * many fills as partitions would keep the sinks out.
 */
export function createEventHistory(address: ClickhouseAddress): EventHistory {
  /** Resolves when the statements before have ended. */
  let turn: Promise<void> = Promise.resolve();

  /** @returns what ends the turn */
  async function takeTurn(): Promise<() => void> {
    const before = turn;
    const own = Promise.withResolvers<void>();
    turn = own.promise;
    await before;
    return own.resolve;
  }

  async function withClient<T>(read: (client: ClickHouseClient) => Promise<T>): Promise<T> {
    const client = openClient(address, 'fill', FILL_TIMEOUT_MS);
    try {
      return await read(client);
    } finally {
      await client.close();
    }
  }

  return {
    confirmedTo: () => withClient((client) => readConfirmedPosition(client, 'FACTS')),
    count: (events) =>
      withClient(async (client) => {
        const endTurn = await takeTurn();
        try {
          const query = `SELECT toFloat64(count()) AS events FROM events WHERE ${OF_NAMES}`;
          const parameters = { query_params: parametersOf(events), clickhouse_settings: BOUNDS };
          const result = await client.query({ query, ...parameters, format: 'JSONEachRow' });
          const [row] = await result.json<{ events: number }>();
          if (row === undefined) throw new Error('ClickHouse returned no count of events.');
          return row.events;
        } finally {
          endTurn();
        }
      }),
    async *load(events, part, parts) {
      const endTurn = await takeTurn();
      const client = openClient(address, 'fill', FILL_TIMEOUT_MS);
      try {
        const result = await client.query({
          query: rowsQuery(events.partitions, part, parts),
          query_params: parametersOf(events),
          format: 'JSONCompactEachRow',
          clickhouse_settings: { ...BOUNDS, output_format_json_quote_64bit_integers: 0 },
        });
        for await (const rows of result.stream<Row>()) yield rows.map((row) => eventOf(row.json()));
      } finally {
        endTurn();
        await client.close();
      }
    },
  };
}

type Row = [playerId: string, eventName: string, atMs: number | string, sequence: number | string, properties: string];

function eventOf([playerId, eventName, atMs, sequence, properties]: Row): PastEvent {
  return { playerId, eventName, atMs: Number(atMs), sequence: Number(sequence), properties };
}

function parametersOf(events: PastEvents): Record<string, unknown> {
  const { game, environment, partition, partitions, eventNames, sinceMs, beforeSequence } = events;
  return { game, environment, partition, partitions, names: eventNames, since: sinceMs, before: beforeSequence };
}

const OF_NAMES = `
game_id = {game: String} AND environment = {environment: String} AND event_name IN {names: Array(String)}
  AND received_at >= fromUnixTimestamp64Milli({since: Int64}) AND facts_sequence < {before: UInt64}`;

const IN_PARTITION = partitionExpression('player_id', '{partitions: UInt16}');

/** Several rows of one fact have its index in the lower half of theirs. */
const rowsQuery = (partitions: number, part: number, parts: number): string => `
SELECT toString(player_id), event_name, toUnixTimestamp64Milli(received_at), facts_sequence, properties
FROM events
PREWHERE ${OF_NAMES} ${parts === 1 ? '' : `AND ${isInRange(BigInt(part), BigInt(parts))}`}
${partitions === 1 ? '' : `WHERE ${IN_PARTITION} = {partition: UInt16}`}
ORDER BY player_id, received_at, facts_sequence, facts_index % ${ROW_STEP}, facts_index`;

/** By the number in the first half of the id: each row is compared once for every part. */
function isInRange(part: bigint, parts: bigint): string {
  const first = (part << 64n) / parts;
  const last = ((part + 1n) << 64n) / parts - 1n;
  return `reinterpretAsUInt64(player_id) BETWEEN ${first} AND ${last}`;
}

/** Properties of 64 KiB make rows a hundred times as large as usual: the sort uses the disk before it fills memory. */
const BOUNDS = {
  max_threads: 1,
  max_memory_usage: String(EVENT_QUERY_LIMITS.fillMemoryBytes),
  max_bytes_before_external_sort: String(EVENT_QUERY_LIMITS.fillMemoryBytes / 4),
} as const;

/** A connection without data for this long fails the fill, which is tried again. */
const FILL_TIMEOUT_MS = 120_000;
