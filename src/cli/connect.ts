import { openConfigStore, type ConfigStore } from '../../streams/config/config-store.ts';
import { withoutCredentials } from '../../streams/log/jetstream/access.ts';
import { connectJetStream } from '../../streams/log/log-jetstream.ts';
import type { Config } from '../config.ts';
import { SETTINGS } from '../deployment.ts';
import { within, type Clock } from '../kernel/clock.ts';
import { systemIds } from '../kernel/ids.ts';
import { LIMITS } from '../kernel/limits.ts';
import { createLogger } from '../kernel/logger.ts';
import { withoutSealing } from '../kernel/secret-box.ts';
import { readEndpoints, type Endpoints } from '../local/run-files.ts';
import { toolSecretBox } from '../local/secrets-key.ts';
import { CliError } from './cli-error.ts';

/** Opens the CONFIG bucket of the deployment that the configuration, or else DATA_DIR, names. */
export function withConfigStore(config: Config, { clock }: { clock: Clock }) {
  return async (use: (store: ConfigStore) => Promise<void>, { sealed } = { sealed: true }): Promise<void> => {
    const box = toolSecretBox(config, systemIds);
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
    const store = await within(
      clock,
      LIMITS.cliConnectMs,
      openConfigStore(log, clock, logger, box === undefined || sealed ? box : withoutSealing(box)),
    );
    if (store === undefined) {
      throw new CliError(`NATS at ${shown} holds no definitions yet: start the service there for the first time.`);
    }
    try {
      const deploymentKey = store.get(SETTINGS)?.document.secretsKey;
      if (deploymentKey !== undefined && box?.knows(deploymentKey) !== true) {
        throw new CliError(`Set SECRETS_KEY or SECRETS_KEY_FILE to the key of this deployment (id ${deploymentKey}).`);
      }
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
