import type { Pids } from '../measure/usage-meter.ts';

/** The service under test, wherever it runs. */
export interface Service {
  kind: 'local' | 'remote';
  /** Without a path. */
  baseUrl: string;
  /** A server key without a rate limit. */
  key: string;
  /** Its processes; none when it runs elsewhere. */
  pids(): Pids;
  /** Events in ClickHouse now; undefined when that cannot be asked. */
  countRows: (() => Promise<number>) | undefined;
  stop(): Promise<void>;
}
