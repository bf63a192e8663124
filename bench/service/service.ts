import type { Pids } from '../measure/usage-meter.ts';
import type { CountedTable } from './count-rows.ts';

/** The service under test, wherever it runs. */
export interface Service {
  kind: 'local' | 'remote';
  /** Without a path. */
  baseUrl: string;
  /** A server key without a rate limit. */
  key: string;
  /** Its processes; none when it runs elsewhere. */
  pids(): Pids;
  /** Rows in ClickHouse now, of events when no table is named; undefined when that cannot be asked. */
  countRows: ((table?: CountedTable) => Promise<number>) | undefined;
  stop(): Promise<void>;
}
