import { hostname, userInfo } from 'node:os';
import type { ClickhouseAddress } from '../../clickhouse-schema/clickhouse-address.ts';
import { auditedConfig } from '../../streams/audit/audited-config.ts';
import { createAuditTrail } from '../../streams/audit/audit-trail.ts';
import { openConfigStore, type ConfigStore } from '../../streams/config/config-store.ts';
import { withoutCredentials } from '../../streams/log/jetstream/access.ts';
import { connectJetStream, type JetStreamLog } from '../../streams/log/jetstream/log-jetstream.ts';
import type { AuditActor } from '../../core/vocabulary/records/audit-entry.ts';
import type { Config } from '../settings/config.ts';
import { SETTINGS } from '../process/deployment.ts';
import { within, type Clock } from '../../core/kernel/clock.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { CLI_LIMITS } from './limits.ts';
import { createLogger } from '../../core/kernel/logger.ts';
import { withoutSealing } from '../../core/kernel/secrets/secret-box.ts';
import { readEndpoints, type Endpoints } from '../local/processes/run-files.ts';
import { toolSecretBox } from '../settings/secrets-key.ts';
import { CliError } from './cli-error.ts';

/** Opens the CONFIG bucket of the deployment at NATS_URL, or else of the one that runs on DATA_DIR. */
export function withConfigStore(config: Config, { clock }: { clock: Clock }) {
  return async (
    use: (store: ConfigStore, log: JetStreamLog) => Promise<void>,
    { sealed = true, reason: why = '' }: { sealed?: boolean; reason?: string } = {},
  ): Promise<void> => {
    const box = toolSecretBox(config, systemIds);
    const url = nonEmpty(config.natsUrl) ?? running(config, 'NATS_URL').nats_url;
    const shown = withoutCredentials(url);
    const logger = createLogger('silent', 'cli');
    const log = await connectJetStream({
      url,
      access: config.natsAccess,
      replicas: 1,
      asFound: true,
      patienceMs: CLI_LIMITS.cliConnectMs,
      logger,
      clock,
    }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CliError(`Could not connect to NATS at ${shown}: ${reason}`);
    });
    const store = await within(
      clock,
      CLI_LIMITS.cliConnectMs,
      openConfigStore(log, clock, logger, box === undefined || sealed ? box : withoutSealing(box)),
    );
    if (store === undefined) {
      throw new CliError(`NATS at ${shown} has no data of this service. Start the service once, then try again.`);
    }
    const trail = createAuditTrail({ log, clock, ids: systemIds, logger, node: 'cli' });
    try {
      const deploymentKey = store.get(SETTINGS)?.document.secretsKey;
      if (deploymentKey !== undefined && box?.knows(deploymentKey) !== true) {
        throw new CliError(
          `This deployment seals secrets with the key ${deploymentKey}. Set SECRETS_KEY or SECRETS_KEY_FILE to it.`,
        );
      }
      await use(auditedConfig(store, trail, { actor: operator(), network: hostname(), reason: why }), log);
    } finally {
      await trail.close();
      store.stop();
      await log.close();
    }
  };
}

/** The account that runs the command. */
function operator(): AuditActor {
  let name = '';
  try {
    name = userInfo().username;
  } catch {
    // In a container the account may have no name.
  }
  return { kind: 'cli', id: name === '' ? String(process.getuid?.() ?? '') : name, name: '' };
}

/** The address of the ClickHouse at CLICKHOUSE_URL, or else of the one that runs on DATA_DIR. */
export function clickhouseTarget(config: Config): ClickhouseAddress {
  const url = nonEmpty(config.clickhouse.url);
  return url === undefined ? running(config, 'CLICKHOUSE_URL').clickhouse : { ...config.clickhouse, url };
}

function running(config: Config, variable: string): Endpoints {
  const endpoints = readEndpoints(config.dataDir);
  if (endpoints === undefined) {
    throw new CliError(
      `No service is running on ${config.dataDir}. Start it with npm start, or set DATA_DIR or ${variable}.`,
    );
  }
  return endpoints;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
