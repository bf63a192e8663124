import { setFlagsFromString } from 'node:v8';
import { Worker, isMainThread, parentPort } from 'node:worker_threads';
import { openConfigStore } from '../../streams/config/config-store.ts';
import { extractedOf, gameAddress, zoneOf } from '../../streams/config/games.ts';
import { connectJetStream } from '../../streams/log/jetstream/log-jetstream.ts';
import { shareReader } from '../../streams/log/shared-reader.ts';
import { createClickhouseSink } from '../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { createFreshnessReporter } from '../../streams/freshness/freshness-reports.ts';
import { createWebhooks } from '../../streams/sinks/webhooks/webhooks.ts';
import { clickhouseAddress, logAddress, readConfig } from '../settings/config.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { PROCESS_LIMITS } from './limits.ts';
import { createLogger } from '../../core/kernel/logger.ts';
import { createSinkMetrics } from './sink-metrics.ts';
import { serviceSecretBox } from '../settings/secrets-key.ts';
import { reportSilences, type Silences } from '../health/silent-streams.ts';

/** The sinks' thread, as seen by the main thread. */
export interface SinksThread {
  /** The thread's metrics in Prometheus' text format. */
  metrics(): Promise<string>;
  /** Resolves when every sink has written its current batch and the thread has ended. */
  stop(): Promise<void>;
}

type ToThread = { kind: 'metrics' } | { kind: 'stop' };
type FromThread = { kind: 'metrics'; text: string } | { kind: 'silent'; silences: Silences };

/**
 * Starts the ClickHouse and webhook sinks in a separate thread: converting a large batch to rows, and the garbage
 * collection after it, must not delay requests. The threads share only the log.
 * @param node the writer's name in RECORDS
 * @param holder the holder of the sinks' leases, unique per process
 * @param onFailed called if the thread ends without `stop`
 * @param onSilences called with the streams that store nothing of what the thread appends
 */
export function startSinksThread(
  node: string,
  holder: string,
  onFailed: (error: unknown) => void,
  onSilences: (silences: Silences) => void,
): SinksThread {
  // A thread takes the nursery of the process, and not that of its resource limits (docs/decisions/0028).
  setFlagsFromString(`--max-semi-space-size=${PROCESS_LIMITS.sinksNurseryMiB}`);
  const worker = new Worker(new URL(import.meta.url), { argv: [node, holder] });
  const waiting: ((text: string) => void)[] = [];
  let stopping = false;
  worker.on('message', (message: FromThread) => {
    if (message.kind === 'silent') onSilences(message.silences);
    else waiting.shift()?.(message.text);
  });
  worker.on('error', onFailed);
  const ended = new Promise<void>((resolve) => {
    worker.on('exit', (code) => {
      for (const resolveText of waiting.splice(0)) resolveText('');
      if (!stopping) onFailed(new Error(`the sinks thread ended with exit code ${code}`));
      resolve();
    });
  });
  const send = (message: ToThread): void => worker.postMessage(message);
  return {
    metrics: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        send({ kind: 'metrics' });
      }),
    async stop() {
      stopping = true;
      send({ kind: 'stop' });
      await ended;
    },
  };
}

/** Runs inside the thread. */
async function runSinks(node: string, holder: string): Promise<void> {
  const config = readConfig();
  const clock = systemClock;
  const logger = createLogger(config.logLevel, 'sinks');
  const metrics = createSinkMetrics(config.group === undefined ? {} : { process: String(config.group.number) });
  metrics.collectThread(clock);
  // The main thread creates the streams; this thread uses them without changes.
  const log = await connectJetStream({ ...logAddress(config), asFound: true, logger, clock });
  const box = serviceSecretBox(config, config.dataDir, systemIds);
  const configStore = await openConfigStore(log, clock, logger, box);
  const readFacts = shareReader({
    log,
    clock,
    logger,
    stream: 'FACTS',
    gatherMs: PROCESS_LIMITS.sinksGatherMs,
  });
  const freshness = createFreshnessReporter({ log, clock });
  const tracedOf = (sink: 'clickhouse' | 'webhooks') =>
    freshness.output(sink, {
      onDelay: (delayMs) => metrics.sinkDelay.observe({ sink }, delayMs / 1000),
      onNewest: (acceptedAtMs) => metrics.sinkNewestEvent.set({ sink }, acceptedAtMs / 1000),
    });
  const clickhouse = createClickhouseSink({
    log,
    readFacts,
    clock,
    holder,
    traced: tracedOf('clickhouse'),
    zoneOf: (game) => zoneOf(configStore.get(gameAddress(game))?.document),
    extractedOf: (game) => extractedOf(configStore.get(gameAddress(game))?.document),
    clickhouse: clickhouseAddress(config),
    logger,
    metrics,
  });
  const webhooks = createWebhooks({
    log,
    readFacts,
    config: configStore,
    clock,
    traced: tracedOf('webhooks'),
    ids: systemIds,
    logger,
    metrics,
    node,
    retryDelaysMs: config.webhookRetryDelaysSeconds.map((seconds) => seconds * 1000),
    timeoutMs: config.webhookTimeoutSeconds * 1000,
    allowPrivateHosts: config.webhookAllowPrivateHosts,
  });
  configStore.onChange(({ address }) => {
    if (address.kind === 'game') clickhouse.zoneChanged();
  });
  clickhouse.start();
  webhooks.start();
  const silent = reportSilences(log, clock, (silences) => {
    parentPort?.postMessage({ kind: 'silent', silences } satisfies FromThread);
  });

  async function onMessage(message: ToThread): Promise<void> {
    if (message.kind === 'metrics') {
      parentPort?.postMessage({ kind: 'metrics', text: await metrics.registry.metrics() } satisfies FromThread);
      return;
    }
    await Promise.all([clickhouse.stop(), webhooks.stop()]);
    freshness.stop();
    configStore.stop();
    silent.stop();
    await log.close();
    process.exit(0);
  }
  parentPort?.on('message', (message: ToThread) => void onMessage(message));
}

if (!isMainThread) await runSinks(process.argv[2] ?? '', process.argv[3] ?? '');
