import type { ConfigStore } from '../../streams/config/config-store.ts';
import type { Log } from '../../streams/log/log.ts';
import type { JetStreamLog } from '../../streams/log/jetstream/log-jetstream.ts';
import type { ClickhouseAddress } from '../../clickhouse-schema/clickhouse-address.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Ids } from '../../core/kernel/ids.ts';

/** The dependencies of all commands; tests replace them. */
export interface CliContext {
  clock: Clock;
  ids: Ids;
  /** Prints a line of the result to standard output. */
  print: (line: string) => void;
  /** Prints a line for people to standard error. */
  note: (line: string) => void;
  /**
   * Opens the deployment's definitions while `use` runs. With `sealed: false`, writes store secrets in plain text.
   * `reason` says in the audit why they change.
   */
  withConfigStore: (
    use: (store: ConfigStore, log: Pick<Log, 'bucket'>) => Promise<void>,
    options?: { sealed?: boolean; reason?: string },
  ) => Promise<void>;
  /** Opens the deployment's definitions and its streams while `use` runs. */
  withDeployment: (
    use: (store: ConfigStore, log: JetStreamLog) => Promise<void>,
    options?: { reason?: string },
  ) => Promise<void>;
  /** DATA_DIR, where commands keep what they remember. */
  dataDir: string;
  /** The folder of the scoring model. */
  modelPath: string;
  /** The address of the service that runs on DATA_DIR; undefined if none does. */
  baseUrl: () => string | undefined;
  /** The address of ClickHouse. */
  clickhouse: () => ClickhouseAddress;
}
