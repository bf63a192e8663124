import { createLiveDefinitions } from '../../actors/runtime/definitions/live-definitions.ts';
import { sleep, systemClock, type Clock } from '../../core/kernel/clock.ts';
import { systemIds, type Ids } from '../../core/kernel/ids.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import type { SecretBox } from '../../core/kernel/secrets/secret-box.ts';
import { watchBrokerClock } from '../../streams/broker-clock.ts';
import { openConfigStore, type ConfigStore } from '../../streams/config/config-store.ts';
import { rewriteSecrets } from '../../streams/config/rewrite-secrets.ts';
import { forecastFacts } from '../../streams/facts/facts-forecast.ts';
import { watchFactsRoom } from '../../streams/facts/facts-room.ts';
import { startProcessBeat } from '../process/process-beat.ts';
import { leaseHolder } from '../../streams/leases/lease-holder.ts';
import { connectJetStream } from '../../streams/log/jetstream/log-jetstream.ts';
import { createCommandClient } from '../gateway/backend/command-client.ts';
import { watchDiskSpace } from '../health/disk-space.ts';
import { createReportedSilences } from '../health/silent-streams.ts';
import { createWriteGate } from '../health/write-gate.ts';
import { openDataDir } from '../local/data-dir.ts';
import { createGroupConfig } from '../local/group/group-config.ts';
import { keyFileWarnings } from '../local/key-file-modes.ts';
import { BROKER_STORES_NOTHING } from '../local/processes/supervisor.ts';
import { about } from '../process/about.ts';
import { agreeOnSecretsKey } from '../process/deployment.ts';
import { joinDeployment } from '../process/join-deployment.ts';
import { nameInGroup, nodeName } from '../process/node-identity.ts';
import { ConfigError, logAddress, type Config, type Role } from '../settings/config.ts';
import { NO_SECRETS_KEY, serviceSecretBox } from '../settings/secrets-key.ts';

/** What every part of a process uses. */
export type Base = Awaited<ReturnType<typeof openBase>>;

/** Connects to the log, joins the deployment, and starts what watches the process. Throws `ConfigError`. */
export async function openBase(config: Config, logger: Logger) {
  const found = await openDeployment(config, logger);
  const { clock, metrics, log, configStore, partitions } = found;
  const names = namesOf(found);
  // More owning processes than partitions would own nothing.
  const { group } = config;
  const roles = config.roles.filter((role) => role !== 'actors' || group === undefined || group.number <= partitions);
  const has = (role: Role): boolean => roles.includes(role);
  const { node } = names;
  const beat = startProcessBeat({ bucket: log.bucket('OWNERS'), node, roles, about: about(clock), clock });
  const commandClient = createCommandClient({
    log,
    clock,
    gateway: names.instance,
    partitions,
    configRevision: () => configStore.revision,
    logger,
    metrics,
  });
  const watches = await startWatches(found);
  const { room } = watches;
  const definitions = createLiveDefinitions(configStore, logger, metrics);
  return {
    ...found,
    ...names,
    ...watches,
    roles,
    has,
    beat,
    commandClient,
    definitions,
    /** Ends what the parts use, once they have stopped. */
    async close(): Promise<void> {
      definitions.stop();
      watches.forecaster.stop();
      room.stop();
      commandClient.close();
      watches.brokerClock.stop();
      watches.writes.stop();
      watches.disk.stop();
      names.sharedConfig.stop();
      await log.close();
    },
  };
}

interface Deployment {
  config: Config;
  logger: Logger;
  clock: Clock;
  ids: Ids;
  metrics: Metrics;
  dataDir: string;
  log: Awaited<ReturnType<typeof connectJetStream>>;
  configStore: ConfigStore;
  partitions: number;
}

/** The log, the configuration and the number of partitions, once the secrets are sealed with the deployment's key. */
async function openDeployment(config: Config, logger: Logger): Promise<Deployment> {
  const [clock, ids] = [systemClock, systemIds];
  const { group } = config;
  const metrics = createMetrics(group === undefined ? {} : { process: String(group.number) });
  metrics.collectProcess(clock);
  const opened = openDataDir(config.dataDir);
  if (opened.kind === 'shared') throw new ConfigError(opened.message);
  const dataDir = opened.path;

  const log = await connectJetStream({ ...logAddress(config), logger, clock });
  const box = serviceSecretBox(config, dataDir, ids);
  if (box === undefined) logger.warn(NO_SECRETS_KEY);
  for (const warning of [...opened.warnings, ...keyFileWarnings(config, dataDir)]) logger.warn(warning);
  const configStore = await openConfigStore(log, clock, logger, box);
  const settings = {
    partitions: config.partitions,
    firstPartitions: group?.count,
    replicas: config.natsReplicas,
    factsMaxBytes: config.factsMaxBytes,
  };
  const joined = await joinDeployment({ log, configStore, settings, clock, logger });
  if (joined.kind === 'refused') throw new ConfigError(joined.message);
  const { partitions } = joined.deployment;
  const deployment = { config, logger, clock, ids, metrics, dataDir, log, configStore, partitions };
  await sealSecrets(deployment, box);
  return deployment;
}

/** Ends the process if its key differs from the deployment's key: it could not open the secrets it signs with. */
async function sealSecrets(
  { config, configStore, clock, logger }: Deployment,
  box: SecretBox | undefined,
): Promise<void> {
  for (;;) {
    const agreed = await agreeOnSecretsKey(configStore, box, config.secrets.replaces);
    if (agreed.kind === 'agreed') break;
    if (agreed.kind === 'refused') throw new ConfigError(agreed.message);
    await sleep(clock, SHARED_LIMITS.leaseRenewMs);
  }
  if (box === undefined) return;
  rewriteSecrets(configStore).then(
    ({ written, failed }) => {
      if (written + failed > 0) logger.info({ written, failed }, 'sealed stored secrets with the current key');
    },
    (error: unknown) => logger.error({ err: error }, 'could not seal stored secrets; the next start tries again'),
  );
}

/** The names of this process, and the configuration as its group shares it. */
function namesOf({ config: { group }, dataDir, configStore, partitions, ids, log, clock }: Deployment) {
  const sharedConfig =
    group === undefined
      ? configStore
      : createGroupConfig({ store: configStore, group, groupName: nodeName(group.dataDir, ids), log, clock });
  const incarnation = ids.uuidv4().slice(0, 8);
  const node = group === undefined ? nodeName(dataDir, ids) : nameInGroup(group, partitions, ids);
  return {
    sharedConfig,
    incarnation,
    node,
    instance: `${node}-${incarnation}`,
    holder: leaseHolder(node, incarnation),
  };
}

/** What watches the disk, the broker and FACTS, and decides whether writes are accepted. */
async function startWatches({ config, dataDir, log, partitions, clock, logger, metrics }: Deployment) {
  const disk = await watchDiskSpace({ path: dataDir, clock, logger, metrics });
  const silentToSinks = createReportedSilences(clock);
  const writes = createWriteGate({
    disk: config.supervised ? disk : undefined,
    log: {
      unansweredFor: (ms) => [...new Set([...log.unansweredFor(ms), ...silentToSinks.unansweredFor(ms)])],
      ping: (timeoutMs) => log.ping(timeoutMs),
    },
    clock,
    logger,
    metrics,
    restartBroker: config.supervised ? () => process.send?.(BROKER_STORES_NOTHING) : undefined,
  });
  const brokerClock = watchBrokerClock({ bucket: log.bucket('OWNERS'), clock, logger, metrics });
  const room = watchFactsRoom({ log, clock, logger });
  const forecaster = forecastFacts({ log, clock, partitions, room, metrics, logger });
  return { disk, silentToSinks, writes, brokerClock, room, forecaster };
}
