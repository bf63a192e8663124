import { afterAll, beforeAll, it } from 'vitest';
import { aPlayer } from '../../../actors/testing-players.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { encodeGuest } from '../../../core/codec/stored-guest.ts';
import type { GuestReleased, PlayerAbsorbed } from '../../../core/vocabulary/merge/merge-facts.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { createMemoryBroker, type MemoryLog } from '../../../streams/log/memory/log-memory.ts';
import { type ClickhouseSink, createClickhouseSink } from '../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { aTrackedEvent, commit } from '../../../streams/sinks/testing-commits.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { until } from '../../support/until.ts';

/* From facts about merges and erasures to the rows of events, through the whole sink. */

const ids = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;
const [GUEST, ACCOUNT] = [ids(1), ids(2)];
const BASE = { game: 'demo', environment: 'live', at: Date.now() } as const;
const OF = {
  ...BASE,
  entityId: ACCOUNT,
  externalId: 'bea',
  mergeId: 'm-1',
  guestId: GUEST,
  guestExternalId: 'guest',
  guest: encodeGuest(aPlayer({ id: GUEST, externalId: 'guest' })),
};
const absorbed: PlayerAbsorbed = { ...OF, kind: 'PlayerAbsorbed', mergedAt: BASE.at };
const released: GuestReleased = { ...OF, kind: 'GuestReleased' };
const event = (entityId: string, eventId: string) => aTrackedEvent({ ...BASE, timestamp: BASE.at, entityId, eventId });

let clickhouse: TestClickhouse;
let log: MemoryLog;
let sink: ClickhouseSink;
beforeAll(async () => {
  clickhouse = await startWithTables();
  const broker = createMemoryBroker({ clock: systemClock });
  log = broker.connect('test');
  const terms = { clock: systemClock, holder: 'sink', logger: silentLogger, metrics: createMetrics() };
  sink = createClickhouseSink({ ...terms, log: broker.connect('sink'), clickhouse: clickhouse.address });
  sink.start();
});
afterAll(async () => {
  await sink.stop();
  await clickhouse.close();
});

/** Waits until each event has its player, in a text as `e1:2 e2:2`. */
async function eventually(expected: string): Promise<void> {
  let found = '';
  await until(
    `the events are ${expected}`,
    async () => {
      const [row] = await rowsOf<{ found: string }>(
        clickhouse,
        `SELECT arrayStringConcat(arraySort(groupArray(concat(event_id, ':', right(toString(player_id), 1)))), ' ') AS found
          FROM events`,
      );
      found = row?.found ?? '';
      return found === expected;
    },
    60_000,
  ).catch((error: unknown) => {
    throw new Error(`the events are ${found}`, { cause: error });
  });
}

it('a merge, its take-back, a merge again and the erasure of both', { timeout: 300_000 }, async () => {
  await commit(log, [event(GUEST, 'e1')]);
  await commit(log, [event(ACCOUNT, 'e2')]);
  await eventually('e1:1 e2:2');
  await commit(log, [absorbed]);
  await commit(log, [event(ACCOUNT, 'e3')]);
  await eventually('e1:2 e2:2 e3:2');
  await until(
    'the days are those of one player',
    async () => {
      const days = await rowsOf(
        clickhouse,
        'SELECT toString(player_id) AS player, toUInt32(events) AS n FROM player_days FINAL',
      );
      return JSON.stringify(days) === JSON.stringify([{ player: ACCOUNT, n: 3 }]);
    },
    60_000,
  );
  await commit(log, [released]);
  await eventually('e1:1 e2:2 e3:2');
  await commit(log, [{ ...absorbed, mergeId: 'm-2' }]);
  // The erasures come while the merge waits.
  await commit(log, [
    { kind: 'PlayerErased', ...BASE, entityId: GUEST },
    { kind: 'PlayerErased', ...BASE, entityId: ACCOUNT },
  ]);
  await eventually('');
  await until(
    'nothing names either',
    async () => {
      const left = await rowsOf(
        clickhouse,
        'SELECT merge_id FROM player_merges UNION ALL SELECT toString(player_id) FROM player_days FINAL',
      );
      return left.length === 0;
    },
    60_000,
  );
});
