import { readEndpoints } from '../../src/local/run-files.ts';
import type { Bench } from '../bench.ts';
import { BenchError } from '../bench-error.ts';
import type { LocalService } from '../service/local-service.ts';
import { observerOf, startOwnHelper, type Observer } from './own-helper.ts';
import type { RowReaderSpec } from './row-reader-main.ts';

const SCRIPT = new URL('./row-reader-main.ts', import.meta.url);
/** Rarely enough that asking takes little of what is measured, often enough for a goal of a second. */
export const ROW_LOOK_MS = 50;

/** A reader of new rows of events in a process of its own; resolves when it reads. */
export async function startRowReader(
  bench: Pick<Bench, 'cleanup' | 'signal'>,
  { dataDir }: LocalService,
): Promise<Observer> {
  const clickhouse = readEndpoints(dataDir)?.clickhouse;
  if (clickhouse === undefined) throw new BenchError('the service does not say where its ClickHouse is');
  const spec: RowReaderSpec = { clickhouse, lookMs: ROW_LOOK_MS };
  const helper = startOwnHelper(bench, SCRIPT, spec);
  await helper.next();
  return observerOf(helper);
}
