import type { SnapshotSource } from '../../actors/runtime/store/snapshot-source.ts';
import { decodeState } from '../../streams/codec.ts';
import type { ClickhouseAddress } from '../clickhouse-address.ts';
import { openClient } from '../open-client.ts';

/** Reads a partition's snapshots from `player_snapshots` as a stream: memory holds one network chunk at a time. */
export function createSnapshotSource(address: ClickhouseAddress): SnapshotSource {
  return {
    async load(partition, onState) {
      const client = openClient(address, 'rebuild', LOAD_TIMEOUT_MS);
      try {
        const result = await client.query({
          query: 'SELECT state FROM player_snapshots FINAL WHERE partition = {partition:UInt16}',
          query_params: { partition },
          format: 'JSONEachRow',
        });
        for await (const rows of result.stream<{ state: string }>()) {
          for (const row of rows) onState(decodeState(Buffer.from(row.json().state, 'base64')));
        }
      } finally {
        await client.close();
      }
    },
  };
}

/** A connection without data for this long fails the load; the caller retries. */
const LOAD_TIMEOUT_MS = 120_000;
