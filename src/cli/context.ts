import type { ConfigStore } from '../../streams/config/config-store.ts';
import type { Endpoints } from '../local/run-files.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Ids } from '../kernel/ids.ts';

/** What commands work with; tests give them another. */
export interface CliContext {
  clock: Clock;
  ids: Ids;
  /** A line of the result, to standard output. */
  print: (line: string) => void;
  /** A remark for a person, to standard error. */
  note: (line: string) => void;
  /** Opens the deployment's definitions for the time of `use`. With `sealed: false` its writes store secrets in the clear. */
  withConfigStore: (use: (store: ConfigStore) => Promise<void>, options?: { sealed: boolean }) => Promise<void>;
  /** The folder of the scoring model. */
  modelPath: string;
  /** Where ClickHouse is. */
  clickhouse: () => Endpoints['clickhouse'];
}
