import { join } from 'node:path';
import { startActors, type Actors } from '../actors/runtime/actors.ts';
import { createLiveDefinitions } from '../actors/runtime/definitions/live-definitions.ts';
import { readSegmentProgress } from '../actors/runtime/sweep/segment-progress.ts';
import { compactLmdbStores, openLmdbStores } from '../actors/runtime/store/store-lmdb.ts';
import { forecastFacts } from '../streams/facts/facts-held.ts';
import { watchFactsRoom } from '../streams/facts/facts-room.ts';
import { startFactsTrimmer } from '../streams/facts/facts-trimmer.ts';
import { createAnalytics } from '../clickhouse-schema/queries/analytics.ts';
import { createEventHistory } from '../clickhouse-schema/queries/events/event-history.ts';
import { createSqlReader } from './api/console/sql/sql-reader.ts';
import { createSnapshotSource } from '../clickhouse-schema/queries/snapshot-source.ts';
import { watchBrokerClock } from '../streams/broker-clock.ts';
import { openConfigStore } from '../streams/config/config-store.ts';
import { rewriteSecrets } from '../streams/config/rewrite-secrets.ts';
import { leaseHolder } from '../streams/leases/lease-holder.ts';
import { connectJetStream } from '../streams/log/jetstream/log-jetstream.ts';
import { createFormatGate } from '../streams/format-gate.ts';
import { createFreshnessReporter } from '../streams/freshness/freshness-reports.ts';
import { createLiveFeed } from '../streams/sinks/live/live-feed.ts';
import { createWebhookOperations } from '../streams/sinks/webhooks/recovery/operations.ts';
import { operationRoutes, routes } from './api/routes.ts';
import { createSegmentPreviewer } from './api/segments/segment-previews.ts';
import { about } from './process/about.ts';
import {
  clickhouseAddress,
  readerAddress,
  CONFIG_ERROR_EXIT,
  ConfigError,
  logAddress,
  readConfig,
  type Config,
  type Role,
} from './settings/config.ts';
import { clockCheck } from './health/clock-check.ts';
import { untilDemo } from './process/demo.ts';
import { agreeOnSecretsKey } from './process/deployment.ts';
import { watchDiskSpace } from './health/disk-space.ts';
import { createFreshness } from './health/freshness.ts';
import { createCommandClient } from './gateway/backend/command-client.ts';
import { openConsoleFiles } from './gateway/console-files.ts';
import { createServer } from './gateway/server.ts';
import { joinDeployment } from './process/join-deployment.ts';
import { spaceChecks } from './health/space-checks.ts';
import { sleep, systemClock, within } from '../core/kernel/clock.ts';
import { systemIds } from '../core/kernel/ids.ts';
import { failure } from '../core/kernel/errors.ts';
import { LIMITS } from '../core/kernel/limits.ts';
import { createLogger, type Logger } from '../core/kernel/logger.ts';
import { createMetrics } from '../core/kernel/metrics/metrics.ts';
import { lockDataDir } from './local/data-dir-lock.ts';
import { keepFilesPrivate, openDataDir } from './local/data-dir.ts';
import { serviceName } from './local/own-ports.ts';
import { keyFileWarnings } from './local/key-file-modes.ts';
import { NO_SECRETS_KEY, serviceSecretBox } from './settings/secrets-key.ts';
import { countMissedEvents } from './health/missed-events.ts';
import { createGroupConfig } from './local/group/group-config.ts';
import { nameInGroup, nodeName } from './process/node-identity.ts';
import { handOverOwnFacts } from './process/own-facts.ts';
import { probePartitions } from './health/partition-probe.ts';
import { groupMetrics, joinPort } from './local/group/process-group.ts';
import { createReadiness } from './health/readiness.ts';
import { createClickhouseCheck } from './health/clickhouse-check.ts';
import { createEventTracer } from './trace/trace-port.ts';
import { createOperations } from './operations/operations.ts';
import { BROKER_STORES_NOTHING } from './local/processes/supervisor.ts';
import { createWriteGate, guarded } from './health/write-gate.ts';
import { startScoring } from './scoring/start-scoring.ts';
import { createReportedSilences } from './health/silent-streams.ts';
import { startSinksThread } from './process/sinks-thread.ts';
import { type Part, stopOnSignal } from './process/stop-on-signal.ts';

/**
 * One process of the service: connects to the log, starts its roles and serves HTTP. On SIGTERM it stops in order:
 * HTTP, sinks, owners, log. The only file that connects the parts.
 */
async function main(config: Config, logger: Logger): Promise<void> {
  const clock = systemClock;
  const ids = systemIds;
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
  // More owning processes than partitions would own nothing.
  const roles = config.roles.filter((role) => role !== 'actors' || group === undefined || group.number <= partitions);
  const has = (role: Role): boolean => roles.includes(role);
  await sealSecrets();
  const sharedConfig =
    group === undefined
      ? configStore
      : createGroupConfig({ store: configStore, group, groupName: nodeName(group.dataDir, ids), log, clock });
  const incarnation = ids.uuidv4().slice(0, 8);
  const node = group === undefined ? nodeName(dataDir, ids) : nameInGroup(group, partitions, ids);
  const [instance, holder] = [`${node}-${incarnation}`, leaseHolder(node, incarnation)];
  const formats = createFormatGate({ bucket: log.bucket('OWNERS'), node, roles, about: about(clock), clock, logger });
  const parts: Part[] = [{ name: 'formats', stop: () => formats.stop() }];

  /** Ends the process if its key differs from the deployment's key: it could not open the secrets it signs with. */
  async function sealSecrets(): Promise<void> {
    for (;;) {
      const agreed = await agreeOnSecretsKey(configStore, box, config.secrets.replaces);
      if (agreed.kind === 'agreed') break;
      if (agreed.kind === 'refused') throw new ConfigError(agreed.message);
      await sleep(clock, LIMITS.leaseRenewMs);
    }
    if (box === undefined) return;
    rewriteSecrets(configStore).then(
      ({ written, failed }) => {
        if (written + failed > 0) logger.info({ written, failed }, 'sealed stored secrets with the current key');
      },
      (error: unknown) => logger.error({ err: error }, 'could not seal stored secrets; the next start tries again'),
    );
  }

  const commandClient = createCommandClient({
    log,
    clock,
    gateway: instance,
    partitions,
    configRevision: () => configStore.revision,
    logger,
    metrics,
  });

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
  const ownFacts = handOverOwnFacts({ log, clock, logger, room, partitions, shared: group !== undefined });
  const definitions = createLiveDefinitions(configStore, logger, metrics);
  if (has('actors')) parts.push(await actorsPart());
  if (has('sinks')) parts.push(sinksPart());
  parts.push(await httpPart());
  const close = async (): Promise<void> => {
    definitions.stop();
    forecaster.stop();
    room.stop();
    commandClient.close();
    brokerClock.stop();
    writes.stop();
    disk.stop();
    sharedConfig.stop();
    await log.close();
  };
  stopOnSignal({ parts, close, supervised: config.supervised, clock, logger });

  async function actorsPart(): Promise<Part> {
    const path = join(dataDir, 'players');
    const lock = await lockDataDir(path);
    if (lock.kind === 'held') {
      // Not a ConfigError: the lock is free again once the other process has ended, so another start can succeed.
      throw new Error(`Another process uses DATA_DIR ${dataDir}. Set a separate DATA_DIR for each process.`);
    }
    if (await compactLmdbStores(path, clock.wallMs())) logger.info('compacted the local store after erasures');
    const stores = openLmdbStores(path);
    const actors: Actors = startActors({
      partitions,
      node,
      incarnation,
      log: ownFacts.log,
      clock,
      config: configStore,
      definitions,
      stores,
      source: createSnapshotSource(clickhouseAddress(config)),
      room,
      hotBytes: LIMITS.hotPlayersBytes,
      history: createEventHistory(clickhouseAddress(config)),
      computedUsable: () => formats.usable('fact', 'PropertiesChanged'),
      local: commandClient.local,
      clockFault: () => brokerClock.fault(),
      logger,
      metrics,
    });
    ownFacts.leads(() => actors.led);
    const retentionMs = LIMITS.factsRetentionMs;
    const trimmer = startFactsTrimmer({ log, clock, partitions, holder, retentionMs, room, logger });
    return {
      name: 'actors',
      async stop() {
        await Promise.all([trimmer.stop(), actors.stop()]);
        await stores.close();
      },
    };
  }

  function sinksPart(): Part {
    const onFailed = (error: unknown): void => {
      logger.error({ err: error }, 'the sinks failed; this process ends and must be restarted');
      process.exit(1);
    };
    const thread = startSinksThread(node, holder, ownFacts, onFailed, (silences) => silentToSinks.report(silences));
    metrics.sinksElsewhere(() => thread.metrics());
    return { name: 'sinks', stop: () => thread.stop() };
  }

  async function httpPart(): Promise<Part> {
    const accepts = () => writes.refusal() === undefined;
    const folder = config.modelPath;
    const scoring = has('gateway')
      ? await startScoring({ log, clock, ids, node, writer: instance, folder, accepts, logger, metrics })
      : undefined;
    const reporter = createFreshnessReporter({ log, clock });
    const analytics = createAnalytics({
      address: clickhouseAddress(config),
      statements: group === undefined ? LIMITS.analyticsStatements : LIMITS.analyticsStatementsOfMany,
      clock,
      logger,
    });
    const sql = createSqlReader({ address: readerAddress(config), clock, logger });
    const feed = createLiveFeed({
      log,
      readFacts: ownFacts.read,
      clock,
      logger,
      metrics,
      heartbeatMs: config.sseHeartbeatSeconds * 1000,
      // Each of several processes would otherwise read all records of the others for the few that have readers.
      onDemand: group !== undefined,
      countLost: (lost) => countMissedEvents(analytics, lost),
      traced: reporter.output('stream', {
        onDelay: (delayMs) => metrics.streamDelay.observe(delayMs / 1000),
        onNewest: (acceptedAtMs) => metrics.streamNewestEvent.set(acceptedAtMs / 1000),
      }),
    });
    const freshness = createFreshness({ log, clock, logger, feed });
    if (has('sinks')) metrics.sinksBehindFrom(() => freshness.secondsBehind());
    if (has('gateway')) {
      if (config.supervised) await untilDemo({ config: configStore, clock, ids, dataDir, group, logger });
      void feed.start();
    }
    const probe = probePartitions({ clock, partitions, backend: commandClient, metrics });
    const clickhouse = createClickhouseCheck(clickhouseAddress(config), clock);
    const readiness = createReadiness([
      { name: 'log', required: true, read: () => ({ ok: log.connected }) },
      ...probe.checks,
      ...spaceChecks({ forecaster, disk, writes }),
      clockCheck(brokerClock),
      clickhouse.check,
    ]);
    metrics.readinessFrom(() => readiness().details);
    const webhookOperations = createWebhookOperations({
      log,
      clock,
      ids,
      timeoutMs: config.webhookTimeoutSeconds * 1000,
      allowPrivateHosts: config.webhookAllowPrivateHosts,
    });
    const eventTracer = createEventTracer({ log, clock, address: clickhouseAddress(config), logger });
    const server = createServer({
      routes: has('gateway') ? routes(config) : operationRoutes(),
      config,
      configStore: sharedConfig,
      backend: guarded(commandClient, writes),
      writeRefusal: () => writes.refusal(),
      formats,
      segmentPreviews: createSegmentPreviewer({
        partitions,
        query: (origin, partition, body) => commandClient.queryPartition(origin, partition, body),
        clock,
      }),
      feed,
      log,
      clock,
      ids,
      logger,
      metrics,
      heartbeatMs: config.sseHeartbeatSeconds * 1000,
      metricsText: group && (() => groupMetrics(group, metrics)),
      sharesPorts: group !== undefined,
      readiness,
      segmentProgress: (question) => readSegmentProgress(log, partitions, question),
      analytics,
      sql,
      freshness,
      scorer: scoring?.scorer ?? { score: async () => failure('MODEL_UNAVAILABLE') },
      scoringModels: () => scoring?.models() ?? { current: undefined, challenger: undefined },
      operations: createOperations({ log, clock, partitions, formats, disk, forecaster, brokerClock, logger }),
      webhookOperations,
      eventTracer,
      targeting: (game, environment) => definitions.of(game, environment),
      consoleFiles: openConsoleFiles({ clock, ids, logger }),
    });
    const listen = async (): Promise<void> => {
      const port = await server.listen(config.host, config.port);
      logger.info({ host: config.host, port, roles, node, partitions }, 'listening');
    };
    const joining = group === undefined ? undefined : await joinPort({ server, readiness, listen, clock, logger });
    if (joining === undefined) await listen();
    return {
      name: 'http',
      async stop() {
        joining?.stop();
        probe.stop();
        await server.close();
        await scoring?.stop();
        reporter.stop();
        freshness.stop();
        await feed.stop();
        await Promise.all([analytics.close(), sql.close(), eventTracer.close(), clickhouse.stop()]);
        webhookOperations.close();
        await within(clock, LIMITS.shutdownMs / 3, commandClient.drained());
      },
    };
  }
}

let logger: Logger | undefined;
keepFilesPrivate();
try {
  const config = readConfig();
  logger = createLogger(config.logLevel, serviceName(config.group?.number ?? 1));
  await main(config, logger);
} catch (error) {
  if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
  else if (logger !== undefined) logger.error({ err: error }, 'could not start the service');
  else process.stderr.write(`${String(error)}\n`);
  process.exit(error instanceof ConfigError ? CONFIG_ERROR_EXIT : 1);
}
