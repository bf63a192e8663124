import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { createMetrics } from '../../../../src/parts/metrics.ts';
import { encodeDeliveryRecords } from '../../../../core/codec/codec.ts';
import { createMemoryBroker } from '../../../../streams/log/memory/log-memory.ts';
import type { DeliveryRecord } from '../../../../core/vocabulary/records/delivery-record.ts';
import { type BlockTarget, createClickhouseTarget } from '../../../../streams/sinks/clickhouse/block-target.ts';
import { createEraser } from '../../../../streams/sinks/clickhouse/erasure/eraser.ts';
import { createErasureTarget } from '../../../../streams/sinks/clickhouse/erasure/erasure-target.ts';
import { createFactsWriter } from '../../../../streams/sinks/clickhouse/facts-writer.ts';
import { RECORDS_SOURCE } from '../../../../streams/sinks/clickhouse/records-source.ts';
import { createStreamWriter } from '../../../../streams/sinks/clickhouse/stream-writer.ts';
import { readSinkPosition } from '../../../../streams/positions/positions.ts';
import { aTrackedEvent, commit } from '../../../../streams/sinks/testing-commits.ts';
import { deliveryRecordsSubject } from '../../../../streams/subjects.ts';
import { rowsOf, type TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { startWithTables } from '../../../support/wire/made-tables.ts';
import { silentLogger } from '../../../support/in-memory/silent-logger.ts';
import { until } from '../../../support/until.ts';

let clickhouse: TestClickhouse;
beforeAll(async () => {
  clickhouse = await startWithTables();
});
afterAll(() => clickhouse.close());

it('an erasure between an insert and its repeat by another process leaves the repeat complete', async () => {
  const broker = createMemoryBroker({ clock: systemClock });
  const log = broker.connect('test');
  const { created } = broker.stream('FACTS').bounds();
  const erasedPlayer = aTrackedEvent().entityId;
  const otherPlayer = '00000000-0000-5000-8000-000000000001';
  const rows = async (): Promise<string[]> => {
    const found = await rowsOf<{ player_id: string }>(clickhouse, 'SELECT player_id FROM webhook_deliveries');
    return found.map((row) => row.player_id).toSorted();
  };
  const given = { clock: systemClock, logger: silentLogger, metrics: createMetrics() };

  // The first process inserts the block and dies before it moves the position.
  const first = broker.connect('first');
  const target = createClickhouseTarget(clickhouse.address);
  const dying: BlockTarget = {
    ...target,
    async insert(...block) {
      await target.insert(...block);
      first.kill();
      return new Promise(() => {});
    },
  };
  const writer = createStreamWriter({ ...given, log: first, holder: 'first', target: dying, source: RECORDS_SOURCE });
  const before = await commit(log, [aTrackedEvent()]);
  const attempts = [erasedPlayer, otherPlayer, otherPlayer].map((player) => anAttempt(player, created, before));
  await log.append(deliveryRecordsSubject('n-1'), encodeDeliveryRecords(attempts));
  writer.start();
  await until('the block is inserted', async () => (await rows()).length === 3);
  expect(await readSinkPosition(log, 'clickhouse-records')).toMatchObject({ sequence: 0, intent: { from: 1, to: 1 } });

  // Another process writes FACTS, and its eraser handles the player's erasure.
  const factsWriter = createFactsWriter({ ...given, log: broker.connect('second'), holder: 'second', target });
  const eraser = createEraser({
    ...given,
    log,
    target: createErasureTarget(clickhouse.address),
    leads: () => factsWriter.leads(),
    limits: { eraseCheckMs: 50, eraseAgainMs: 50 },
  });
  factsWriter.start();
  eraser.start();
  const at = Date.now();
  await commit(log, [{ kind: 'PlayerErased', game: 'demo', environment: 'live', entityId: erasedPlayer, at }]);
  await until('the erasure is done', async () => {
    const [row] = await rowsOf<{ step: number }>(clickhouse, 'SELECT step FROM erasures FINAL');
    return row?.step === 2;
  });

  // A third one repeats the block.
  const third = createStreamWriter({
    ...given,
    log: broker.connect('third'),
    holder: 'third',
    target,
    source: RECORDS_SOURCE,
  });
  third.start();
  await until('the position has moved', async () => {
    const position = await readSinkPosition(log, 'clickhouse-records');
    return position?.sequence === 1 && position.intent === undefined;
  });
  expect((await rows()).filter((player) => player === otherPlayer)).toHaveLength(2);
  // The row of the erased player goes when the erasure is settled; then the block is no longer repeated.
  const position = { createdMs: Date.parse(broker.stream('RECORDS').bounds().created), sequence: 1 };
  const erasures = createErasureTarget(clickhouse.address);
  const done = await erasures.unfinished({ stream: created, sequence: before + 1 }, 10);
  expect(await erasures.remove(done, position)).toBe('removed');
  expect(await rows()).toEqual([otherPlayer, otherPlayer]);
  await Promise.all([factsWriter.stop(), eraser.stop(), third.stop(), erasures.close()]);
  await target.close();
});

function anAttempt(player: string, stream: string, sequence: number): DeliveryRecord {
  return {
    deliveryId: '2f1b6a1e-0c1d-5b7e-8a55-1f2e3d4c5b6a',
    webhook: 'wh_1',
    game: 'demo',
    environment: 'live',
    type: 'event.level_up',
    player,
    place: { created: stream, sequence, index: 0 },
    attempt: 1,
    attemptedAt: Date.now(),
    durationMs: 41,
    outcome: 'failed',
    status: 503,
    error: '',
    responseStart: '',
    urlHost: 'hooks.example.com',
    nextAttemptAt: null,
  };
}
