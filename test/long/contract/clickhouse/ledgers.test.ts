import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aPlayer } from '../../../../actors/testing-players.ts';
import { encodeReply } from '../../../../core/codec/stored-reply.ts';
import type { Fact } from '../../../../core/vocabulary/facts/facts.ts';
import type { EntityState, LedgerState } from '../../../../core/vocabulary/state/state.ts';
import { prepareStore } from '../../../../actors/runtime/rebuild/rebuild.ts';
import { createRebuildSlot } from '../../../../actors/runtime/rebuild/rebuild-slot.ts';
import { createMemoryStores } from '../../../../actors/runtime/store/store-memory.ts';
import type { PartitionStore } from '../../../../actors/runtime/store/store.ts';
import { openClient } from '../../../../clickhouse-schema/open-client.ts';
import { readConfirmedPosition } from '../../../../clickhouse-schema/queries/confirmed-position.ts';
import { createSnapshotSource } from '../../../../clickhouse-schema/queries/snapshot-source.ts';
import { TABLE_NAMES } from '../../../../clickhouse-schema/rows/tables/tables.ts';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { createMetrics } from '../../../../src/parts/metrics.ts';
import { createMemoryBroker, type MemoryBroker, type MemoryLog } from '../../../../streams/log/memory/log-memory.ts';
import { createClickhouseSink } from '../../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { partitionCoverage } from '../../../../streams/sinks/clickhouse/coverage.ts';
import { readSinkPosition } from '../../../../streams/positions/positions.ts';
import { commit } from '../../../../streams/sinks/testing-commits.ts';
import { execSql, type TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { startWithTables } from '../../../support/wire/made-tables.ts';
import { silentLogger } from '../../../support/in-memory/silent-logger.ts';
import { until } from '../../../support/until.ts';

/* Ledgers of one API key in several partitions: snapshots on the real engine, and rebuilds from them. */

const LEDGER_ID = 'ledger:key-1';

let clickhouse: TestClickhouse;
let client: ReturnType<typeof openClient>;
let broker: MemoryBroker;
let log: MemoryLog;

beforeAll(async () => {
  clickhouse = await startWithTables();
  client = openClient(clickhouse.address, 'test', 60_000);
});
afterAll(async () => {
  await client.close();
  await clickhouse.close();
});
beforeEach(async () => {
  broker = createMemoryBroker({ clock: systemClock });
  log = broker.connect('test');
  for (const table of [...TABLE_NAMES, 'sink_positions']) await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
});

function ledger(key: string, lastSeq: number): LedgerState {
  const keys = [{ key, bodyHash: 'h', at: 0, reply: encodeReply({ kind: 'claimed' }) }];
  return { kind: 'ledger', id: LEDGER_ID, game: 'demo', environment: 'live', keys, lastSeq };
}

const snapshot = (state: EntityState): Fact => ({
  kind: 'EntitySnapshot',
  game: state.game,
  environment: state.environment,
  entityId: state.id,
  at: Date.now(),
  state,
});

async function writeAll(): Promise<void> {
  const { lastSequence } = await log.info('FACTS');
  const sink = createClickhouseSink({
    log: broker.connect('sink'),
    clock: systemClock,
    holder: 'sink',
    clickhouse: clickhouse.address,
    logger: silentLogger,
    metrics: createMetrics(),
  });
  sink.start();
  await until('FACTS is written', async () => (await readSinkPosition(log, 'clickhouse'))?.sequence === lastSequence);
  await sink.stop();
  await execSql(clickhouse, 'OPTIMIZE TABLE player_snapshots FINAL');
}

/** Rebuilds a partition whose first record FACTS has trimmed, with an empty store. */
async function rebuilt(partition: number): Promise<PartitionStore> {
  const store = createMemoryStores().partition(partition);
  const bounds = { ...broker.stream('FACTS').bounds(), firstSequence: 2 };
  await prepareStore(
    {
      partition,
      partitions: 4,
      log,
      clock: systemClock,
      store,
      source: createSnapshotSource(clickhouse.address),
      rebuilds: createRebuildSlot(),
      logger: silentLogger,
      metrics: createMetrics(),
      stopped: () => false,
      discard: false,
    },
    bounds,
    bounds.lastSequence,
  );
  return store;
}

const coverage = (partition: number) => {
  const source = createSnapshotSource(clickhouse.address);
  return partitionCoverage(
    log,
    {
      confirmedTo: (stream) => readConfirmedPosition(client, stream),
      countPlayers: (of) => source.countPlayers(of),
    },
    partition,
  );
};

const keysIn = (store: PartitionStore): string[] => {
  const state = store.get(LEDGER_ID)?.state;
  return state?.kind === 'ledger' ? state.keys.map(({ key }) => key) : [];
};

describe('ledgers of one API key in two partitions', () => {
  it('both survive a merge, and the rebuild of each partition loads its own keys', async () => {
    await commit(log, [snapshot(aPlayer({ lastSeq: 0 })), snapshot(ledger('of-1', 0))], { partition: 1 });
    await commit(log, [snapshot(ledger('of-2', 0))], { partition: 2 });
    await commit(log, [{ kind: 'SnapshotMark', partition: 1, coveredTo: 2, players: 1 }], { partition: 1 });
    await commit(log, [{ kind: 'SnapshotMark', partition: 2, coveredTo: 2, players: 0 }], { partition: 2 });
    await writeAll();
    const [first, second] = [await rebuilt(1), await rebuilt(2)];
    expect([keysIn(first), first.count()]).toEqual([['of-1'], 2]);
    expect([keysIn(second), second.count()]).toEqual([['of-2'], 1]);
    expect(await coverage(1)).toMatchObject({ players: 1, isLost: false });
    expect(await coverage(2)).toMatchObject({ players: 0, isLost: false });
  });
});

describe('a partition that has lost a player', () => {
  it('is not rebuilt, and the check reports lost rows, however many ledgers it has', async () => {
    await commit(log, [snapshot(aPlayer({ lastSeq: 0 })), snapshot(ledger('of-1', 0))], { partition: 1 });
    await commit(log, [{ kind: 'SnapshotMark', partition: 1, coveredTo: 1, players: 1 }], { partition: 1 });
    await writeAll();
    await execSql(clickhouse, "ALTER TABLE player_snapshots DELETE WHERE kind = 'player' SETTINGS mutations_sync = 1");
    await expect(rebuilt(1)).rejects.toThrow('its mark counts 1 players, player_snapshots has 0');
    expect(await coverage(1)).toMatchObject({ players: 0, isLost: true });
  });

  it('is whole while the tombstone of an erased player is in its place', async () => {
    const { id: entityId, game, environment } = aPlayer();
    await commit(log, [snapshot(aPlayer({ lastSeq: 0 }))], { partition: 1 });
    await commit(log, [{ kind: 'SnapshotMark', partition: 1, coveredTo: 1, players: 1 }], { partition: 1 });
    await commit(log, [{ kind: 'PlayerErased', game, environment, entityId, at: Date.now() }], { partition: 1 });
    await writeAll();
    expect((await rebuilt(1)).get(entityId)?.state.kind).toBe('erased');
    expect(await coverage(1)).toMatchObject({ players: 1, isLost: false });
  });
});
