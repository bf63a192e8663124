import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aPlayer } from '../../../actors/testing-players.ts';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import { TABLE_NAMES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { createNativeBlock } from '../../../clickhouse-schema/rows/native-block.ts';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { createSnapshotSource } from '../../../clickhouse-schema/queries/snapshot-source.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { decodeState } from '../../../core/codec/state/state-codec.ts';
import { createMemoryBroker, type MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { createClickhouseTarget, type BlockTarget } from '../../../streams/sinks/clickhouse/block-target.ts';
import { createClickhouseSink } from '../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { createFactsWriter } from '../../../streams/sinks/clickhouse/facts-writer.ts';
import { aCommit, aTrackedEvent, commit } from '../../../streams/sinks/testing-commits.ts';
import { rowsOf, execSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';

let clickhouse: TestClickhouse;
let broker: MemoryBroker;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  clickhouse = await startWithTables();
});
afterAll(() => clickhouse.close());
beforeEach(async () => {
  broker = createMemoryBroker({ clock: systemClock });
  for (const table of TABLE_NAMES) await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Rows as the sink writes them, a block for each table and month. */
function blocksOf(facts: Fact[]): Buffer {
  const batch = createRowBatch();
  batch.add(aCommit(facts), { stream: '2026-01-01T00:00:00Z', sequence: 1 });
  return Buffer.concat(batch.blocks().map(({ bytes }) => bytes));
}

/** A writer that is one process with the given name; a later one of the same name takes over at once. */
function startWriter(wrap: (target: BlockTarget) => BlockTarget = (target) => target) {
  const log = broker.connect('sink');
  const target = createClickhouseTarget(clickhouse.address);
  const writer = createFactsWriter({
    log,
    clock: systemClock,
    holder: 'sink',
    target: wrap(target),
    logger: silentLogger,
    metrics: createMetrics(),
  });
  writer.start();
  let killed = false;
  stops.push(async () => {
    if (!killed) await writer.stop();
    await target.close();
  });
  return {
    kill() {
      killed = true;
      log.kill();
    },
  };
}

const eventIds = async (): Promise<string[]> =>
  (
    await rowsOf<{ event_id: string }>(clickhouse, 'SELECT event_id FROM events ORDER BY facts_sequence, facts_index')
  ).map((row) => row.event_id);
const anEvent = (eventId: string) => aTrackedEvent({ eventId });
const never = () => new Promise<never>(() => {});

describe('the ClickHouse sink on the real engine', () => {
  it('writes every column as it should read', async () => {
    const log = broker.connect();
    await commit(log, [
      aTrackedEvent({
        eventId: 'é"\\\t\u{1f600}',
        properties: '{"text":"a\\nb","n":1.5}',
        timestamp: Date.UTC(2026, 1, 3, 4, 5, 6, 789),
        country: 'DE',
        isPayer: true,
      }),
      aTrackedEvent({ eventId: 'old', timestamp: -62_135_596_800_000, sessionId: 's1', environment: 'test' }),
      {
        kind: 'LifecycleChanged',
        game: 'demo',
        environment: 'live',
        entityId: aPlayer().id,
        at: 1_000,
        from: 'new',
        to: 'active',
        changedAt: 900,
        externalId: 'ext-1',
      },
    ]);
    startWriter();
    await until('both rows are in', async () => (await eventIds()).length === 2);
    expect(await rowsOf(clickhouse, 'SELECT * FROM events ORDER BY facts_index')).toMatchObject([
      {
        event_id: 'é"\\\t\u{1f600}',
        properties: '{"text":"a\\nb","n":1.5}',
        timestamp: '2026-02-03 04:05:06.789',
        received_at: '2026-01-01 12:00:00.000',
        country: 'DE',
        is_payer: true,
        session_id: null,
      },
      { event_id: 'old', timestamp: '1900-01-01 00:00:00.000', session_id: 's1', environment: 'test' },
    ]);
    await until(
      'the transition is in',
      async () => (await rowsOf(clickhouse, 'SELECT 1 FROM lifecycle_transitions')).length === 1,
    );
    const counts = await rowsOf<{ events: string }>(clickhouse, 'SELECT events FROM event_counts_daily');
    expect(counts.map((row) => Number(row.events))).toEqual([1]);
  });

  it('killed before an insert, after it, and together with ClickHouse: every event is inserted once', async () => {
    const producer = broker.connect();
    await commit(producer, [anEvent('a1'), anEvent('a2')]);

    // Dies with the intent stored and nothing inserted.
    let struck = false;
    const first = startWriter((target) => ({
      ...target,
      insert() {
        struck = true;
        first.kill();
        return never();
      },
    }));
    await until('the first process died', () => struck);
    await commit(producer, [anEvent('b1')]);

    // Dies with the block in ClickHouse and the position not moved; ClickHouse dies too.
    struck = false;
    const second = startWriter((target) => ({
      ...target,
      async insert(...block) {
        await target.insert(...block);
        second.kill();
        struck = true;
        return never();
      },
    }));
    await until('the second process died', () => struck);
    expect(await eventIds()).toEqual(['a1', 'a2']);
    await clickhouse.kill('SIGKILL');
    await commit(producer, [anEvent('c1')]);

    // Repeats the intent against a ClickHouse that is down, and then one that has been through kill -9.
    let repeated = 0;
    startWriter((target) => ({
      ...target,
      insert(table, bytes, token) {
        if (token.endsWith('/1-1')) repeated += 1;
        return target.insert(table, bytes, token);
      },
    }));
    await until('the block is repeated', () => repeated > 1);
    await clickhouse.restart();
    await until('all is in', async () => (await eventIds()).length >= 4);
    expect(await eventIds()).toEqual(['a1', 'a2', 'b1', 'c1']);
  });

  it('repeats a block of two months without doubling either part', async () => {
    const target = createClickhouseTarget(clickhouse.address);
    const bytes = blocksOf([
      aTrackedEvent({ eventId: 'jan', at: Date.UTC(2026, 0, 31) }),
      aTrackedEvent({ eventId: 'feb', at: Date.UTC(2026, 1, 1) }),
    ]);
    for (let i = 0; i < 3; i++) {
      expect(await target.insert('events', bytes, 'events/two-months/1-2')).toEqual({ kind: 'inserted' });
    }
    expect((await eventIds()).toSorted()).toEqual(['feb', 'jan']);
    await target.close();
  });

  it('puts the largest batch into one part, so that its token covers all of it', async () => {
    await execSql(clickhouse, 'SYSTEM STOP MERGES events');
    const target = createClickhouseTarget(clickhouse.address);
    const properties = `{"p":"${'x'.repeat(900)}"}`;
    const bytes = blocksOf(Array.from({ length: 60_000 }, (_, i) => aTrackedEvent({ eventId: `e${i}`, properties })));
    expect(await target.insert('events', bytes, 'events/large/1-2')).toEqual({ kind: 'inserted' });
    const parts =
      "SELECT count() AS parts, sum(rows) AS rows FROM system.parts WHERE table = 'events' AND active AND database = 'default'";
    expect(
      (await rowsOf<{ parts: string; rows: string }>(clickhouse, parts)).map((p) => [Number(p.parts), Number(p.rows)]),
    ).toEqual([[1, 60_000]]);
    await execSql(clickhouse, 'SYSTEM START MERGES events');
    await target.close();
  });

  it('distinguishes a refused block from an unreachable ClickHouse', async () => {
    const target = createClickhouseTarget(clickhouse.address);
    for (const [place, name] of ['player_id', 'no_such_column'].entries()) {
      const block = createNativeBlock([{ name, encoding: 'text', nullable: false }]);
      block.add(['no UUID']);
      const outcome = await target.insert('events', block.bytes(), `events/refused/${place}-${place}`);
      expect(outcome, name).toMatchObject({ kind: 'failed', refused: true });
    }
    expect(await rowsOf(clickhouse, 'SELECT 1 FROM events')).toEqual([]);
    await target.close();
    const away = createClickhouseTarget({ ...clickhouse.address, url: 'http://127.0.0.1:1' });
    expect(await away.insert('events', Buffer.alloc(0), 't')).toMatchObject({ kind: 'failed', refused: false });
    await away.close();
  });

  it('keeps the newest snapshot of each player, shows players, and reads all states back', async () => {
    const log = broker.connect();
    const states: EntityState[] = [
      aPlayer({ lastSeq: 1, externalId: 'old' }),
      aPlayer({ lastSeq: 2, externalId: 'new', totalRevenue: 12_500, isPayer: true, email: 'a@example.com' }),
      aPlayer({ id: '11111111-1111-5111-8111-111111111111', environment: 'test', lastSeq: 3 }),
      { kind: 'ledger', id: 'ledger:k1', game: 'demo', environment: 'live', keys: [], lastSeq: 3 },
    ];
    const fact = (state: EntityState) =>
      ({
        kind: 'EntitySnapshot',
        game: state.game,
        environment: state.environment,
        entityId: state.id,
        at: 2_000,
        state,
      }) as const;
    const [older, ...newer] = states;
    await commit(log, [fact(older!)], { partition: 1 });
    await commit(log, newer.map(fact), { partition: 1 });
    await commit(log, [{ kind: 'SnapshotMark', partition: 1, coveredTo: 2, players: 1 }], { partition: 1 });

    const sink = createClickhouseSink({
      log: broker.connect(),
      clock: systemClock,
      holder: 'sink',
      clickhouse: clickhouse.address,
      logger: silentLogger,
      metrics: createMetrics(),
    });
    sink.start();
    await until('the mark is noted', () => broker.bucket('POSITIONS').get('rebuild.1'));
    await sink.stop();

    const players = await rowsOf(
      clickhouse,
      'SELECT id, external_id, total_revenue, is_payer, email, environment FROM players ORDER BY environment',
    );
    expect(players).toEqual([
      {
        id: aPlayer().id,
        external_id: 'new',
        total_revenue: 1.25,
        is_payer: true,
        email: 'a@example.com',
        environment: 'live',
      },
      {
        id: '11111111-1111-5111-8111-111111111111',
        external_id: 'ext-1',
        total_revenue: 0,
        is_payer: false,
        email: null,
        environment: 'test',
      },
    ]);
    const stages = await rowsOf<{ players: string }>(clickhouse, 'SELECT players FROM players_by_stage');
    expect(stages.map((row) => Number(row.players))).toEqual([1]);

    const source = createSnapshotSource(clickhouse.address);
    const loaded: EntityState[] = [];
    for await (const rows of source.load(1, 0)) loaded.push(...rows.map(decodeState));
    expect(loaded.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
      newer.toSorted((a, b) => a.id.localeCompare(b.id)),
    );
    expect(await source.count(1, 0)).toBe(newer.length);
    expect(await source.count(0, 0)).toBe(0);
    for await (const rows of source.load(0, 0)) expect(rows).toEqual([]);
  });

  it('rejects an unfinished load, so that no partition is rebuilt from a part', async () => {
    await execSql(
      clickhouse,
      `INSERT INTO player_snapshots (kind, partition, player_id, state)
        SELECT 'player', 7, toUUID(leftPad(toString(number), 32, '0')), base64Encode(repeat('x', 10000))
        FROM numbers(20000)`,
    );
    const source = createSnapshotSource(clickhouse.address);
    expect(await source.count(7, 0)).toBe(20_000);
    let found = 0;
    const load = async () => {
      for await (const rows of source.load(7, 0)) {
        if (found === 0) await clickhouse.kill();
        found += rows.length;
      }
    };
    await expect(load()).rejects.toThrow();
    expect(found).toBeLessThan(20_000);
    await clickhouse.restart();
    const away = createSnapshotSource({ ...clickhouse.address, url: 'http://127.0.0.1:1' });
    await expect(away.load(1, 0)[Symbol.asyncIterator]().next()).rejects.toThrow();
  });
});
