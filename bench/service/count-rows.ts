import type { Endpoints } from '../../src/local/run-files.ts';
import { askClickhouse } from './ask-clickhouse.ts';

/** Tables whose rows are counted against what was acknowledged. */
export type CountedTable = 'events' | 'scores';

/** Rows of a table in ClickHouse, from its own bookkeeping: the count costs the engine next to nothing. */
export async function countRows(clickhouse: Endpoints['clickhouse'], table: CountedTable): Promise<number> {
  return Number(await askClickhouse(clickhouse, `SELECT count() FROM ${table}`));
}
