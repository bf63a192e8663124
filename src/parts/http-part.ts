import { readSegmentProgress } from '../../actors/runtime/sweep/segment-progress.ts';
import { createAnalytics } from '../../clickhouse-schema/queries/analytics.ts';
import { within } from '../../core/kernel/clock.ts';
import { failure } from '../../core/kernel/errors.ts';
import { ENGINE_LIMITS } from '../local/clickhouse/limits.ts';
import { PROCESS_LIMITS } from '../process/limits.ts';
import { QUERY_LIMITS } from '../../clickhouse-schema/queries/limits.ts';
import { createFreshnessReporter } from '../../streams/freshness/freshness-reports.ts';
import { createLiveFeed } from '../../streams/sinks/live/live-feed.ts';
import { createWebhookOperations } from '../../streams/sinks/webhooks/recovery/operations.ts';
import { createSqlReader } from '../api/console/sql/sql-reader.ts';
import { operationRoutes, routes } from '../api/routes.ts';
import { createSegmentPreviewer } from '../api/segments/segment-previews.ts';
import { openConsoleFiles } from '../gateway/console-files.ts';
import { createServer } from '../gateway/server.ts';
import { createClickhouseCheck } from '../health/clickhouse-check.ts';
import { clockCheck } from '../health/clock-check.ts';
import { createFreshness } from '../health/freshness.ts';
import { countMissedEvents } from '../health/missed-events.ts';
import { probePartitions } from '../health/partition-probe.ts';
import { createReadiness } from '../health/readiness.ts';
import { spaceChecks } from '../health/space-checks.ts';
import { guarded } from '../health/write-gate.ts';
import { groupMetrics, joinPort } from '../local/group/process-group.ts';
import { createOperations } from '../operations/operations.ts';
import { untilDemo } from '../process/demo.ts';
import type { Part } from '../process/stop-on-signal.ts';
import { createStoresThread } from '../receipts/stores-thread.ts';
import { startScoring } from '../scoring/start-scoring.ts';
import { clickhouseAddress, readerAddress } from '../settings/config.ts';
import { createEventTracer } from '../trace/trace-port.ts';
import type { Base } from './base.ts';

/** HTTP: the routes of the role `gateway`, or those for operators alone; the event stream; what they read. */
export async function startHttpPart(base: Base): Promise<Part> {
  const { config, clock, ids, logger, metrics, commandClient, has } = base;
  const scoring = has('gateway') ? await startModels(base) : undefined;
  const readers = openReaders(base);
  const { freshness, feed } = readers;
  const stores = createStoresThread(clock);
  if (has('sinks')) metrics.sinksBehindFrom(() => freshness.secondsBehind());
  if (has('gateway')) {
    const { configStore, dataDir } = base;
    if (config.supervised) {
      await untilDemo({ config: configStore, clock, ids, dataDir, group: config.group, logger });
    }
    void feed.start();
  }
  const probe = probePartitions({ clock, partitions: base.partitions, backend: commandClient, metrics });
  const clickhouse = createClickhouseCheck(clickhouseAddress(config), clock);
  const readiness = createReadiness([
    { name: 'log', required: true, read: () => ({ ok: base.log.connected }) },
    ...probe.checks,
    ...spaceChecks(base),
    clockCheck(base.brokerClock),
    clickhouse.check,
  ]);
  metrics.readinessFrom(() => readiness().details);
  const server = createServer({ ...serverOptions(base, readers, readiness, scoring), stores });
  const { group } = config;
  const listen = async (): Promise<void> => {
    const port = await server.listen(config.host, config.port);
    const { roles, node, partitions } = base;
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
      await stores.stop();
      await scoring?.stop();
      await readers.close();
      await clickhouse.stop();
      await within(clock, PROCESS_LIMITS.shutdownMs / 3, commandClient.drained());
    },
  };
}

type Scoring = Awaited<ReturnType<typeof startModels>>;

function startModels({ log, clock, ids, node, instance, config, writes, logger, metrics }: Base) {
  const accepts = () => writes.refusal() === undefined;
  const folder = config.modelPath;
  return startScoring({ log, clock, ids, node, writer: instance, folder, accepts, logger, metrics });
}

/** What answers of the log and of ClickHouse come from. */
function openReaders({ config, log, clock, ids, logger, metrics }: Base) {
  const { group } = config;
  const reporter = createFreshnessReporter({ log, clock });
  const analytics = createAnalytics({
    address: clickhouseAddress(config),
    statements: group === undefined ? QUERY_LIMITS.analyticsStatements : ENGINE_LIMITS.analyticsStatementsOfMany,
    clock,
    logger,
  });
  const sql = createSqlReader({ address: readerAddress(config), clock, logger });
  const feed = createLiveFeed({
    log,
    ...(group === undefined ? {} : { gatherMs: PROCESS_LIMITS.sinksGatherMs }),
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
  const webhookOperations = createWebhookOperations({
    log,
    clock,
    ids,
    timeoutMs: config.webhookTimeoutSeconds * 1000,
    allowPrivateHosts: config.webhookAllowPrivateHosts,
  });
  const eventTracer = createEventTracer({ log, clock, address: clickhouseAddress(config), logger });
  return {
    analytics,
    sql,
    feed,
    freshness,
    webhookOperations,
    eventTracer,
    async close(): Promise<void> {
      reporter.stop();
      freshness.stop();
      await feed.stop();
      await Promise.all([analytics.close(), sql.close(), eventTracer.close()]);
      webhookOperations.close();
    },
  };
}

function serverOptions(
  base: Base,
  readers: ReturnType<typeof openReaders>,
  readiness: ReturnType<typeof createReadiness>,
  scoring: Scoring | undefined,
): Omit<Parameters<typeof createServer>[0], 'stores'> {
  const { config, log, clock, ids, logger, metrics, partitions, commandClient, writes } = base;
  const { disk, forecaster, brokerClock, definitions } = base;
  const { group } = config;
  return {
    routes: base.has('gateway') ? routes(config) : operationRoutes(),
    config,
    configStore: base.sharedConfig,
    backend: guarded(commandClient, writes),
    writeRefusal: () => writes.refusal(),
    segmentPreviews: createSegmentPreviewer({
      partitions,
      query: (origin, partition, body) => commandClient.queryPartition(origin, partition, body),
      clock,
    }),
    log,
    holder: base.holder,
    clock,
    ids,
    logger,
    metrics,
    heartbeatMs: config.sseHeartbeatSeconds * 1000,
    metricsText: group && (() => groupMetrics(group, metrics)),
    sharesPorts: group !== undefined,
    readiness,
    segmentProgress: (question) => readSegmentProgress(log, partitions, question),
    feed: readers.feed,
    analytics: readers.analytics,
    sql: readers.sql,
    freshness: readers.freshness,
    webhookOperations: readers.webhookOperations,
    eventTracer: readers.eventTracer,
    scorer: scoring?.scorer ?? { score: async () => failure('MODEL_UNAVAILABLE') },
    scoringModels: () => scoring?.models() ?? { current: undefined, challenger: undefined },
    operations: createOperations({ log, clock, partitions, disk, forecaster, brokerClock, logger }),
    targeting: (game, environment) => definitions.of(game, environment),
    consoleFiles: openConsoleFiles({ clock, ids, logger }),
  };
}
