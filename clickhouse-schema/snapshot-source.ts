import type { ClickHouseClient } from '@clickhouse/client';
import type { SnapshotSource } from '../actors/runtime/snapshot-source.ts';
import { decodeState } from '../streams/codec.ts';

/** Reads a partition's snapshots back from `player_snapshots`, streamed: memory holds one network chunk at a time. */
export function createSnapshotSource(client: ClickHouseClient): SnapshotSource {
  return {
    async load(partition, onState) {
      const result = await client.query({
        query: 'SELECT state FROM player_snapshots FINAL WHERE partition = {partition:UInt16}',
        query_params: { partition },
        format: 'JSONEachRow',
      });
      for await (const rows of result.stream<{ state: string }>()) {
        for (const row of rows) onState(decodeState(Buffer.from(row.json().state, 'base64')));
      }
    },
  };
}
