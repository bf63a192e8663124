import { audit } from '../../../src/cli/audit/audit.ts';
import { addressesOf } from '../../../src/cli/audit/read/addresses.ts';
import type { Bench } from '../bench.ts';
import { queryClickhouse } from '../service/clickhouse.ts';
import type { LocalService } from '../service/service.ts';
import type { MadeHistory } from './game-history.ts';

/** The days of players are built up to ten minutes after their rows. */
const WAIT_MS = 1_200_000;

/**
 * Compares an imported history with the log by the audit, and the events with what only its generator knows: how many
 * it made of each name.
 * @returns the differences
 */
export async function auditHistory(
  { report }: Bench,
  { clickhouse, dataDir }: LocalService,
  made: MadeHistory,
): Promise<string[]> {
  const counted = await queryClickhouse(
    clickhouse,
    `SELECT event_name, count(), uniqExact(event_id) FROM events
      WHERE game_id = 'demo' AND environment = 'live' AND source = 'import' GROUP BY event_name`,
  );
  const found = counted.trim().split('\n');
  const expected = Object.entries(made.events).map(([name, count]) => `${name}\t${count}\t${count}`);
  const missing = expected.filter((line) => !found.includes(line)).map((line) => `made, but not there: ${line}`);
  const unmade = found.filter((line) => !expected.includes(line)).map((line) => `there, but not made: ${line}`);
  const { differences, skipped } = await audit({
    addresses: addressesOf({ DATA_DIR: dataDir }),
    waitMs: WAIT_MS,
    note: report,
  });
  return [...missing, ...unmade, ...differences.lines(), ...skipped];
}
