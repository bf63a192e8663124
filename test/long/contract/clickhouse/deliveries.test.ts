import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAnalytics, type Analytics } from '../../../../clickhouse-schema/queries/analytics.ts';
import { FIRST_PLACE } from '../../../../clickhouse-schema/rows/player-rows.ts';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { createMetrics } from '../../../../src/parts/metrics.ts';
import { encodeDeliveryRecords, encodeDisablings } from '../../../../core/codec/codec.ts';
import { deliveryRecordsSubject, disablingRecordsSubject } from '../../../../streams/subjects.ts';
import { createMemoryBroker, type MemoryLog } from '../../../../streams/log/memory/log-memory.ts';
import type { DeliveryRecord } from '../../../../core/vocabulary/records/delivery-record.ts';
import { createClickhouseSink, type ClickhouseSink } from '../../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { createErasureTarget } from '../../../../streams/sinks/clickhouse/erasure/erasure-target.ts';
import { aTrackedEvent, commit } from '../../../../streams/sinks/testing-commits.ts';
import { rowsOf, execSql, type TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { startWithTables } from '../../../support/wire/made-tables.ts';
import { silentLogger } from '../../../support/in-memory/silent-logger.ts';
import { until } from '../../../support/until.ts';

/* From RECORDS to the tables of webhooks, on the real engine. */

const PLAYER = aTrackedEvent().entityId;
const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
let clickhouse: TestClickhouse;
let analytics: Analytics;
let log: MemoryLog;
let sink: ClickhouseSink;
let created: string;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  const broker = createMemoryBroker({ clock: systemClock });
  log = broker.connect('test');
  ({ created } = broker.stream('FACTS').bounds());
  sink = createClickhouseSink({
    log: broker.connect('sink'),
    clock: systemClock,
    holder: 'sink',
    clickhouse: clickhouse.address,
    logger: silentLogger,
    metrics: createMetrics(),
  });
  sink.start();
});
afterAll(async () => {
  await sink.stop();
  await analytics.close();
  await clickhouse.close();
});
beforeEach(async () => {
  for (const table of ['webhook_deliveries', 'webhook_disablings', 'erasures']) {
    await execSql(clickhouse, `TRUNCATE TABLE ${table}`);
  }
});

const anAttempt = (some: Partial<DeliveryRecord> = {}): DeliveryRecord => ({
  deliveryId: '2f1b6a1e-0c1d-5b7e-8a55-1f2e3d4c5b6a',
  webhook: 'wh_1',
  game: 'demo',
  environment: 'live',
  type: 'event.level_up',
  player: PLAYER,
  place: { created, sequence: 1, index: 0 },
  attempt: 1,
  attemptedAt: AT,
  durationMs: 41,
  outcome: 'failed',
  status: 503,
  error: '',
  responseStart: 'try later',
  urlHost: 'hooks.example.com',
  nextAttemptAt: AT + 60_000,
  ...some,
});

const countOf = async (table: string): Promise<number> => {
  const [row] = await rowsOf<{ n: number }>(clickhouse, `SELECT toUInt32(count()) AS n FROM ${table}`);
  return row?.n ?? 0;
};

/** Answers the sequence of the records, once the sink has stored that it is past them. */
async function logged(records: readonly DeliveryRecord[]): Promise<number> {
  const before = await countOf('webhook_deliveries');
  const outcome = await log.append(deliveryRecordsSubject('n-1'), encodeDeliveryRecords(records));
  if (outcome.kind !== 'acked') throw new Error(JSON.stringify(outcome));
  const { sequence } = outcome;
  await until('the rows are there', async () => (await countOf('webhook_deliveries')) === before + records.length);
  await until('the position is stored', async () => {
    const entry = await log.bucket('POSITIONS').get('clickhouse-records');
    const position: { sequence: number } = JSON.parse(Buffer.from(entry?.value ?? '{}').toString());
    return position.sequence >= sequence;
  });
  return sequence;
}

describe('attempts', () => {
  it('become rows with all their columns, whatever a receiver returned', async () => {
    const answer = `\0\t\n\r\\N 'é' "🎮" \u{1F}`;
    await logged([
      anAttempt({ responseStart: answer }),
      anAttempt({
        outcome: 'exhausted',
        status: null,
        error: 'no answer in time',
        responseStart: '',
        nextAttemptAt: null,
      }),
      anAttempt({ environment: 'test', attempt: 0, outcome: 'overflowed', player: '', urlHost: '' }),
    ]);
    const rows = await rowsOf<Record<string, unknown>>(
      clickhouse,
      'SELECT * EXCEPT received_at, received_at > now() - INTERVAL 1 HOUR AS fresh FROM webhook_deliveries ORDER BY records_index',
    );
    expect(rows[0]).toEqual({
      delivery_id: '2f1b6a1e-0c1d-5b7e-8a55-1f2e3d4c5b6a',
      webhook_id: 'wh_1',
      game_id: 'demo',
      environment: 'live',
      kind: 'event.level_up',
      player_id: PLAYER,
      attempt: 1,
      attempted_at: '2026-01-02 03:04:05.678',
      duration_ms: 41,
      outcome: 'failed',
      status: 503,
      error: '',
      response_start: answer,
      url_host: 'hooks.example.com',
      next_attempt_at: '2026-01-02 03:05:05.678',
      facts_created: created,
      facts_sequence: 1,
      facts_index: 0,
      records_sequence: 1,
      records_index: 0,
      fresh: 1,
    });
    expect(rows[1]).toMatchObject({ status: null, next_attempt_at: null, error: 'no answer in time' });
    expect(rows[2]).toMatchObject({ environment: 'test', player_id: '00000000-0000-0000-0000-000000000000' });
  });

  it('are in the export of their player, all of them, page by page', async () => {
    // Three webhooks were told of one fact: the rows say the same of where it stands.
    await logged(['wh_1', 'wh_2', 'wh_3'].map((webhook) => anAttempt({ webhook })));
    const seen: string[] = [];
    let after = FIRST_PLACE;
    for (let page = 0; page < 3; page++) {
      const query = { game: 'demo', environment: 'live', playerId: PLAYER, after, limit: 1, bytes: 1 };
      const result = await analytics.playerRows({ ...query, table: 'webhook_deliveries' });
      if (result.kind === 'unavailable') throw new Error('ClickHouse does not answer');
      seen.push(...result.value.rows.map(({ row }) => String(row['webhook_id'])));
      after = result.value.rows[0]?.place ?? after;
    }
    expect(seen.toSorted()).toEqual(['wh_1', 'wh_2', 'wh_3']);
  });
});

it('a webhook that several processes report as disabled is one row', async () => {
  const record = { webhook: 'wh_1', game: 'demo', environment: 'live', reason: 'gone', disabledAt: AT } as const;
  for (const node of ['n-1', 'n-2']) await log.append(disablingRecordsSubject(node), encodeDisablings([record]));
  await until('it is there', async () => (await countOf('webhook_disablings')) >= 1);
  const rows = await rowsOf(clickhouse, 'SELECT * EXCEPT received_at FROM webhook_disablings FINAL');
  expect(rows).toEqual([
    {
      game_id: 'demo',
      environment: 'live',
      webhook_id: 'wh_1',
      reason: 'gone',
      disabled_at: '2026-01-02 03:04:05.678',
    },
  ]);
});

describe('an erased player', () => {
  it('leaves no row of earlier attempts; late rows are deleted when RECORDS has passed them', async () => {
    const erased = {
      kind: 'PlayerErased',
      game: 'demo',
      environment: 'live',
      entityId: PLAYER,
      at: Date.now(),
    } as const;
    const before = await commit(log, [aTrackedEvent()]);
    const other = '00000000-0000-5000-8000-000000000001';
    await logged([
      anAttempt({ place: { created, sequence: before, index: 0 } }),
      anAttempt({ place: { created, sequence: before, index: 0 }, player: other }),
    ]);
    const erasure = await commit(log, [erased]);
    await until('its rows are gone', async () => (await countOf('webhook_deliveries')) === 1);
    await until('the erasure is done', async () => {
      const [row] = await rowsOf<{ step: number }>(clickhouse, 'SELECT step FROM erasures FINAL');
      return row?.step === 2;
    });
    const last = await logged([
      anAttempt({ place: { created, sequence: before, index: 0 } }),
      anAttempt({ place: { created, sequence: erasure, index: 1 }, webhook: 'wh_next_life' }),
    ]);
    const createdMs = Date.parse((await log.info('RECORDS')).created);
    const target = createErasureTarget(clickhouse.address);
    const position = { stream: created, sequence: erasure };
    const done = await target.unfinished(position, 10);
    expect(done).toMatchObject([{ playerId: PLAYER, sequence: erasure, rows: expect.any(Number) }]);
    // A block above the stored position may be repeated, which is refused for ever if some of its rows are gone.
    for (const records of [undefined, { createdMs, sequence: last - 1 }]) {
      expect(await target.remove(done, records)).toBe('removed');
      expect(await countOf('webhook_deliveries')).toBe(3);
    }
    expect(await target.remove(done, { createdMs, sequence: last })).toBe('removed');
    await target.note('settled', done);
    expect(await target.unfinished(position, 10)).toEqual([]);
    await target.close();
    const left = await rowsOf(clickhouse, 'SELECT player_id, webhook_id FROM webhook_deliveries ORDER BY webhook_id');
    expect(left).toEqual([
      { player_id: other, webhook_id: 'wh_1' },
      { player_id: PLAYER, webhook_id: 'wh_next_life' },
    ]);
    const receipt = await analytics.erasure({ game: 'demo', environment: 'live', playerId: PLAYER });
    expect(receipt).toMatchObject({ kind: 'answered', value: { rowsDeleted: expect.any(Number) } });
  });
});
