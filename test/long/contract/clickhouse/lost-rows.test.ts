import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aPlayer } from '../../../../actors/testing-players.ts';
import { openClient } from '../../../../clickhouse-schema/open-client.ts';
import { readConfirmedPosition } from '../../../../clickhouse-schema/queries/confirmed-position.ts';
import { removeFactsAfter } from '../../../../clickhouse-schema/queries/repair.ts';
import { createSnapshotSource } from '../../../../clickhouse-schema/queries/snapshot-source.ts';
import { TABLE_NAMES } from '../../../../clickhouse-schema/rows/tables/tables.ts';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { createMetrics } from '../../../../src/parts/metrics.ts';
import { createMemoryBroker, type MemoryBroker, type MemoryLog } from '../../../../streams/log/memory/log-memory.ts';
import { createClickhouseSink } from '../../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import {
  type CoverageSource,
  partitionCoverage,
  repairFacts,
  streamCoverage,
} from '../../../../streams/sinks/clickhouse/coverage.ts';
import { readSinkPosition } from '../../../../streams/positions/positions.ts';
import { aTrackedEvent, commit } from '../../../../streams/sinks/testing-commits.ts';
import { rowsOf, execSql, type TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { startWithTables } from '../../../support/wire/made-tables.ts';
import { silentLogger } from '../../../support/in-memory/silent-logger.ts';
import { until } from '../../../support/until.ts';

/* A ClickHouse that was restored from an older backup, on the real engine. */

let clickhouse: TestClickhouse;
let client: ReturnType<typeof openClient>;
let source: CoverageSource;
let broker: MemoryBroker;
let log: MemoryLog;

beforeAll(async () => {
  clickhouse = await startWithTables();
  client = openClient(clickhouse.address, 'test', 60_000);
  source = {
    confirmedTo: (stream) => readConfirmedPosition(client, stream),
    countPlayers: (partition) => createSnapshotSource(clickhouse.address).countPlayers(partition),
  };
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

const player = aPlayer();
const anEvent = (eventId: string) => aTrackedEvent({ eventId, at: Date.now() });
const snapshot = (lastSeq: number) =>
  ({
    kind: 'EntitySnapshot',
    game: 'demo',
    environment: 'live',
    entityId: player.id,
    at: Date.now(),
    state: { ...player, lastSeq },
  }) as const;

async function withSink(use: () => Promise<void>): Promise<void> {
  const sink = createClickhouseSink({
    log: broker.connect('sink'),
    clock: systemClock,
    holder: 'sink',
    clickhouse: clickhouse.address,
    logger: silentLogger,
    metrics: createMetrics(),
  });
  sink.start();
  try {
    await use();
  } finally {
    await sink.stop();
  }
}

const writtenTo = (sequence: number) =>
  until(`FACTS is written to ${sequence}`, async () => {
    const position = await readSinkPosition(log, 'clickhouse');
    return position?.sequence === sequence && position.intent === undefined;
  });

const eventIds = async (): Promise<string[]> => {
  const found = await rowsOf<{ event_id: string }>(clickhouse, 'SELECT event_id FROM events ORDER BY facts_sequence');
  return found.map((row) => row.event_id);
};

/**
 * Five records are written; then ClickHouse is what it was after the second one, but for one event of the fourth: the
 * tables of a live backup are not of one moment. Afterwards a sixth record waits.
 */
async function restoredAfterTwo(): Promise<void> {
  await withSink(async () => {
    await commit(log, [anEvent('e1'), snapshot(0)]);
    await commit(log, [anEvent('e2')]);
    await writtenTo(2);
    await commit(log, [anEvent('e3')]);
    await writtenTo(3);
    await commit(log, [anEvent('e4')]);
    await commit(log, [snapshot(4), { kind: 'SnapshotMark', partition: 1, coveredTo: 4, players: 1 }], {
      partition: 1,
    });
    await writtenTo(5);
  });
  await execSql(clickhouse, "ALTER TABLE events DELETE WHERE event_id = 'e3' SETTINGS mutations_sync = 1");
  await execSql(clickhouse, 'ALTER TABLE player_snapshots DELETE WHERE last_seq = 4 SETTINGS mutations_sync = 1');
  const createdMs = Date.parse(broker.stream('FACTS').bounds().created);
  await execSql(clickhouse, 'TRUNCATE TABLE sink_positions');
  await execSql(
    clickhouse,
    `INSERT INTO sink_positions (stream, stream_created, sequence) VALUES ('FACTS', ${createdMs}, 2)`,
  );
  await commit(log, [anEvent('e6')]);
}

const removeAfter = (sequence: number, createdMs: number) => removeFactsAfter(client, sequence, createdMs);

describe('a ClickHouse restored from an older backup', () => {
  it('is noticed by the sink, by the check, and is whole after a repair: every row once', async () => {
    await restoredAfterTwo();
    await withSink(async () => {
      await until('the sink has noticed', async () => (await readSinkPosition(log, 'clickhouse'))?.lost === true);
      expect(await eventIds()).toEqual(['e1', 'e2', 'e4']);
      const facts = await streamCoverage(log, source, 'FACTS');
      expect(facts).toMatchObject({ confirmedTo: 2, position: { sequence: 5, confirmedTo: 5 }, isLost: true });
      expect(await partitionCoverage(log, source, 1)).toMatchObject({ mark: { confirmedTo: 5 }, isLost: true });
      let outcome = await repairFacts(log, source, removeAfter);
      // The waiting sink stores its position every few seconds.
      while (outcome.kind === 'taken') outcome = await repairFacts(log, source, removeAfter);
      expect(outcome).toEqual({ kind: 'repaired', from: 3, to: 5 });
      await writtenTo(6);
    });
    expect(await eventIds()).toEqual(['e1', 'e2', 'e3', 'e4', 'e6']);
    expect(await readSinkPosition(log, 'clickhouse')).toEqual({
      stream: broker.stream('FACTS').bounds().created,
      sequence: 6,
      confirmedTo: 6,
    });
    const facts = await streamCoverage(log, source, 'FACTS');
    expect(facts).toMatchObject({ confirmedTo: 6, isLost: false });
    expect(await partitionCoverage(log, source, 1)).toMatchObject({ players: 1, isLost: false });
    expect(await rowsOf(clickhouse, 'SELECT toUInt32(last_seq) AS n FROM player_snapshots FINAL')).toEqual([{ n: 4 }]);
    expect(await repairFacts(log, source, removeAfter)).toEqual({ kind: 'whole' });
  });

  it('is noticed by a sink that runs: it notes and moves nothing after the block that it inserts', async () => {
    await withSink(async () => {
      await commit(log, [anEvent('e1')]);
      await writtenTo(1);
      await commit(log, [anEvent('e2')]);
      await writtenTo(2);
      const createdMs = Date.parse(broker.stream('FACTS').bounds().created);
      await execSql(clickhouse, 'TRUNCATE TABLE sink_positions');
      await execSql(
        clickhouse,
        `INSERT INTO sink_positions (stream, stream_created, sequence) VALUES ('FACTS', ${createdMs}, 1)`,
      );
      await commit(log, [anEvent('e3')]);
      await until('the sink has noticed', async () => (await readSinkPosition(log, 'clickhouse'))?.lost === true);
      expect(await readSinkPosition(log, 'clickhouse')).toMatchObject({
        sequence: 2,
        confirmedTo: 2,
        intent: { from: 3, to: 3 },
      });
      expect(await readConfirmedPosition(client, 'FACTS')).toEqual({ createdMs, sequence: 1 });
    });
  });

  it('is not repaired when the log no longer holds the records, and nothing is changed', async () => {
    await restoredAfterTwo();
    await log.purgeBelow('FACTS', 4);
    const before = await readSinkPosition(log, 'clickhouse');
    expect(await repairFacts(log, source, removeAfter)).toEqual({ kind: 'gap', confirmedTo: 2, firstSequence: 4 });
    expect(await readSinkPosition(log, 'clickhouse')).toEqual(before);
    expect(await eventIds()).toEqual(['e1', 'e2', 'e4']);
  });

  it('loses an erased player again: the repair brings its erasure back with its rows', async () => {
    const entityId = aTrackedEvent().entityId;
    const erased = { kind: 'PlayerErased', game: 'demo', environment: 'live', entityId, at: Date.now() } as const;
    const isDone = async () => {
      const [row] = await rowsOf<{ step: number }>(clickhouse, 'SELECT step FROM erasures FINAL');
      return row?.step === 2 && (await eventIds()).length === 0;
    };
    await withSink(async () => {
      await commit(log, [anEvent('e1')]);
      await commit(log, [erased]);
      await until('the player is erased', isDone);
    });
    await execSql(clickhouse, 'TRUNCATE TABLE sink_positions');
    expect(await repairFacts(log, source, removeAfter)).toEqual({ kind: 'repaired', from: 1, to: 2 });
    await withSink(async () => {
      await writtenTo(2);
      await until('the player is erased again', isDone);
    });
  });
});
