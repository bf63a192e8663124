import { openConfigStore, type ConfigStore } from '../../streams/config/config-store.ts';
import { withoutCredentials } from '../../streams/jetstream/access.ts';
import { connectJetStream } from '../../streams/log-jetstream.ts';
import type { Config } from '../config.ts';
import { within, type Clock } from '../kernel/clock.ts';
import { LIMITS } from '../kernel/limits.ts';
import { createLogger } from '../kernel/logger.ts';
import { readEndpoints, type Endpoints } from '../local/run-files.ts';
import { CliError } from './cli-error.ts';

/** Opens the CONFIG bucket of the deployment that the configuration, or else DATA_DIR, names. */
export function withConfigStore(config: Config, { clock }: { clock: Clock }) {
  return async (use: (store: ConfigStore) => Promise<void>): Promise<void> => {
    const url = nonEmpty(config.natsUrl) ?? running(config, 'NATS_URL').nats_url;
    const shown = withoutCredentials(url);
    const logger = createLogger('silent', 'cli');
    const log = await connectJetStream({
      url,
      access: config.natsAccess,
      replicas: config.natsReplicas,
      asFound: true,
      patienceMs: LIMITS.cliConnectMs,
      logger,
      clock,
    }).catch((error: unknown) => {
      throw new CliError(`NATS at ${shown} cannot be used: ${error instanceof Error ? error.message : String(error)}`);
    });
    const store = await within(clock, LIMITS.cliConnectMs, openConfigStore(log, clock, logger));
    if (store === undefined) {
      throw new CliError(`NATS at ${shown} holds no definitions yet: start the service there for the first time.`);
    }
    try {
      await use(store);
    } finally {
      store.stop();
      await log.close();
    }
  };
}

/** The ClickHouse that the configuration, or else DATA_DIR, names. */
export function clickhouseTarget(config: Config): Endpoints['clickhouse'] {
  const url = nonEmpty(config.clickhouse.url);
  return url === undefined ? running(config, 'CLICKHOUSE_URL').clickhouse : { ...config.clickhouse, url };
}

function running(config: Config, variable: string): Endpoints {
  const endpoints = readEndpoints(config.dataDir);
  if (endpoints === undefined) {
    throw new CliError(`Nothing runs on ${config.dataDir}. Start it (npm start), or set DATA_DIR or ${variable}.`);
  }
  return endpoints;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
