import type { Clock } from '../clock.ts';
import { fromZero, labelled } from './counter-from-zero.ts';
import { createFreshnessMetrics, createSinkFreshnessMetrics } from './freshness-metrics.ts';
import { createOwnerMetrics } from './owner-metrics.ts';
import { createReadinessMetric } from './readiness-metric.ts';
import { createStreamMetrics } from './stream-metrics.ts';
import { collectMainThread, collectSinksThread } from './thread-metrics.ts';
import { RequestCounter, RequestDurations } from './request-metrics.ts';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** The label of every metric of a process that shares its port with others; without labels otherwise. */
type ProcessLabels = { process: string } | Record<string, never>;

/**
 * Every metric of the service: its name, unit and meaning. Components take the ones they need by type.
 * The values of every label are bounded, and none names a tenant (metrics.test.ts).
 */
export function createMetrics(labels: ProcessLabels = {}) {
  const sinks = createSinkMetrics(labels);
  let workArrives = (): void => {};
  let sinkText = (): Promise<string> => sinks.registry.metrics();
  const registry = new Registry();
  registry.setDefaultLabels(labels);
  const registers = [registry];
  const group = new Registry();
  const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
  return {
    ...sinks,
    ...createOwnerMetrics(registers),
    ...createStreamMetrics(registers),
    ...createReadinessMetric(registers),
    ...createFreshnessMetrics(registers),
    /** All metrics in Prometheus' text format. */
    text: async (): Promise<string> => `${await registry.metrics()}\n${await sinkText()}\n${await group.metrics()}`,
    /** The same without those about the other processes of a group. */
    ownText: async (): Promise<string> => `${await registry.metrics()}\n${await sinkText()}`,
    /** Only those about the processes of a group. */
    groupText: (): Promise<string> => group.metrics(),
    processUp: new Gauge({
      name: 'local_process_up',
      help: 'Whether a process of `npm start` answered with its metrics, by its number; absent with one process.',
      labelNames: ['process'],
      registers: [group],
    }),
    contentType: registry.contentType,
    /** Includes the metrics of sinks that run in another thread. */
    sinksElsewhere(text: () => Promise<string>): void {
      sinkText = text;
    },
    httpRequests: new RequestCounter({
      name: 'http_requests_total',
      help: 'HTTP responses, by route and status.',
      labelNames: ['route', 'status'],
      registers,
    }),
    httpDuration: new RequestDurations({
      name: 'http_request_duration_seconds',
      help: 'Time from the first byte of a request to its response, by route.',
      labelNames: ['route'],
      buckets: seconds,
      registers,
    }),
    unreadAnswerBytes: new Gauge({
      name: 'http_unread_answer_bytes',
      help: 'Bytes of answers that wait for clients to read; event streams are apart (sse_buffered_bytes).',
      registers,
    }),
    slowReadersClosed: new Counter({
      name: 'http_slow_readers_closed_total',
      help:
        'Connections closed with an unread response, by reason: slow (not read in time), full (all unread responses ' +
        'together were too large, and this caller held the most).',
      labelNames: ['reason'],
      registers,
    }),
    commandBatchSize: new Histogram({
      name: 'gateway_batch_commands',
      help: 'Commands per REQUESTS message.',
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2000],
      registers,
    }),
    commandsHandedOver: new Counter({
      name: 'gateway_commands_handed_over_total',
      help: 'Commands that an owner in the same process took in memory, without a message.',
      registers,
    }),
    segmentMessages: new Counter({
      name: 'segment_messages_total',
      help:
        "Messages of Segment's protocol by type and outcome: accepted, duplicate, quarantined, refused (the key may not " +
        'send it).',
      labelNames: ['type', 'outcome'],
      registers,
    }),
    schemaViolations: new Counter({
      name: 'event_schema_violations_total',
      help: "Events that violate their schema, by the schema's mode: observe, warn, enforce.",
      labelNames: ['mode'],
      registers,
    }),
    commandsTimedOut: new Counter({
      name: 'gateway_commands_timed_out_total',
      help: 'Commands answered 503 because their deadline passed without a reply.',
      registers,
    }),
    partitionsWithoutOwner: new Gauge({
      name: 'gateway_partitions_without_owner',
      help: 'Partitions whose owner does not answer reads of this process.',
      registers,
    }),
    commitFacts: new Histogram({
      name: 'owner_commit_facts',
      help: 'Facts per FACTS record.',
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000],
      registers,
    }),
    commitDuration: new Histogram({
      name: 'owner_commit_duration_seconds',
      help: 'Time from an append to FACTS to its acknowledgement.',
      buckets: seconds,
      registers,
    }),
    conditionsOverBudget: fromZero(
      labelled('definition', ['segment', 'flag', 'campaign']),
      new Counter({
        name: 'owner_condition_budget_exceeded_total',
        help:
          'Evaluations of conditions that exceeded their step budget and counted as false, by the kind of definition: ' +
          'segment, flag, campaign.',
        labelNames: ['definition'],
        registers,
      }),
    ),
    factsBytes: new Gauge({ name: 'facts_bytes', help: 'Bytes that FACTS holds.', registers }),
    factsLimit: new Gauge({
      name: 'facts_limit_bytes',
      help: 'Bytes of FACTS at which commands are answered 503. The rest is the reserve.',
      registers,
    }),
    factsHeld: new Gauge({
      name: 'facts_held_bytes',
      help: 'Bytes of FACTS that cannot be trimmed yet, by what has not passed them: a sink, or the mark of partition-N.',
      labelNames: ['holder'],
      registers,
    }),
    factsFullIn: new Gauge({
      name: 'facts_full_in_seconds',
      help: 'Time until held bytes reach the limit at their growth over the last 10 minutes; +Inf without growth.',
      registers,
    }),
    factsReach: new Gauge({
      name: 'facts_reach_seconds',
      help: 'Age of the oldest record of FACTS: how far back streams and recoveries reach.',
      registers,
    }),
    commandsWithoutRoom: new Counter({
      name: 'owner_commands_without_room_total',
      help: 'Commands answered 503 because FACTS was full up to its reserve.',
      registers,
    }),
    flagExposures: new Counter({
      name: 'flag_exposures_total',
      help:
        'Exposures, by the origin of their variant: served, earlier, named, mismatch. unattributed counts events ' +
        'with a flag_key that recorded no exposure, because no variant was stored and the event named none.',
      labelNames: ['attribution'],
      registers,
    }),
    diskFreeBytes: new Gauge({
      name: 'disk_free_bytes',
      help: 'Free bytes of the file system that holds DATA_DIR.',
      registers,
    }),
    diskSizeBytes: new Gauge({
      name: 'disk_size_bytes',
      help: 'Size of the file system that holds DATA_DIR.',
      registers,
    }),
    writesRefused: fromZero(
      labelled('reason', ['disk', 'log']),
      new Counter({
        name: 'gateway_writes_refused_total',
        help:
          'Writes answered 503 before they reached the log, by reason: disk (almost full), log (its storage does not ' +
          'answer).',
        labelNames: ['reason'],
        registers,
      }),
    ),
    clockOffset: new Gauge({
      name: 'clock_offset_seconds',
      help: "How far this process's clock is ahead of the broker's; negative when it is behind.",
      registers,
    }),
    scoringBatchRows: new Histogram({
      name: 'scoring_batch_rows',
      help: 'Installs scored per run of a model.',
      labelNames: ['model'],
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 512],
      registers,
    }),
    scoringInference: new Histogram({
      name: 'scoring_inference_seconds',
      help: 'Duration of one run of a model on the main thread.',
      labelNames: ['model'],
      buckets: [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01],
      registers,
    }),
    scores: new Counter({
      name: 'scoring_scores_total',
      help: 'Stored scores, by model (current, challenger) and bucket, without those that test keys forced.',
      labelNames: ['model', 'bucket'],
      registers,
    }),
    modelLoads: new Counter({
      name: 'scoring_model_loads_total',
      help: 'Attempts to load a model, by role and outcome. refused and absent keep the model in use.',
      labelNames: ['role', 'outcome'],
      registers,
    }),
    modelInfo: new Gauge({
      name: 'scoring_model_info',
      help: '1 for each model in use, by role and version.',
      labelNames: ['role', 'version'],
      registers,
    }),
    /** Adds Node's process metrics and those of the main thread; called once by main. */
    collectProcess(clock: Clock): void {
      // Its own measurement of the event loop's delay would wake a thread at rest a hundred times a second.
      collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: MOST_TIMER_MS });
      for (const name of registry.getMetricsAsArray().map((metric) => metric.name)) {
        if (name.startsWith('nodejs_eventloop_lag')) registry.removeSingleMetric(name);
      }
      workArrives = collectMainThread(clock, registers);
    },
    /** A request arrives at this thread: how long its turn takes is measured. */
    requestArrives: (): void => workArrives(),
  };
}

/** The longest delay of a timer of Node. */
const MOST_TIMER_MS = 2_147_483_647;

export type Metrics = ReturnType<typeof createMetrics>;

/** The failures of the sinks that write ClickHouse. */
const SINK_FAILURES = ['clickhouse', 'clickhouse-records', 'clickhouse-audit'].flatMap((sink) =>
  ['unreachable', 'refused', 'lost'].map((reason) => ({ sink, reason })),
);

/** The metrics of the sinks. Sinks run in a separate thread, so these have a separate registry. */
export function createSinkMetrics(labels: ProcessLabels = {}) {
  const registry = new Registry();
  registry.setDefaultLabels(labels);
  const registers = [registry];
  return {
    registry,
    ...createSinkFreshnessMetrics(registers),
    /** Adds the metrics of the sinks' thread; called once, in that thread. */
    collectThread: (clock: Clock): void => collectSinksThread(clock, registers),
    sinkLag: new Gauge({
      name: 'sink_lag_records',
      help:
        'Records that are stored in a stream but not yet handled, by sink. clickhouse-records reads RECORDS, ' +
        'clickhouse-audit reads AUDIT, the others read FACTS.',
      labelNames: ['sink'],
      registers,
    }),
    sinkRows: new Counter({
      name: 'clickhouse_rows_total',
      help: 'Rows inserted into ClickHouse, by table.',
      labelNames: ['table'],
      registers,
    }),
    sinkFailures: fromZero(
      SINK_FAILURES,
      new Counter({
        name: 'sink_failures_total',
        help: 'Failed writes of a sink, by sink and reason. The sink repeats them; reason refused needs an operator.',
        labelNames: ['sink', 'reason'],
        registers,
      }),
    ),
    deliveries: new Counter({
      name: 'webhook_attempts_total',
      help: 'Webhook delivery attempts, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    attemptsUnlogged: new Counter({
      name: 'webhook_attempts_unlogged_total',
      help: 'Webhook delivery attempts missing from webhook_deliveries, because RECORDS did not accept them in time.',
      registers,
    }),
    webhookGamesBehind: new Gauge({
      name: 'webhook_games_behind',
      help: 'Games with more deliveries than can be queued at once. They are matched separately until they catch up.',
      registers,
    }),
    deliveriesOverflowed: new Counter({
      name: 'webhook_deliveries_overflowed_total',
      help: 'Deliveries not queued because too many were waiting for their webhook or game. A recovery queues them.',
      registers,
    }),
    webhooksDisabled: fromZero(
      labelled('reason', ['gone', 'failing']),
      new Counter({
        name: 'webhooks_disabled_total',
        help: 'Webhooks that this process disabled, by reason.',
        labelNames: ['reason'],
        registers,
      }),
    ),
    oldestUndelivered: new Gauge({
      name: 'webhook_oldest_undelivered_seconds',
      help:
        'Age of the oldest delivery that this process has not delivered yet, over all webhooks. ' +
        'Take the maximum over processes.',
      registers,
    }),
    deliveriesPending: new Gauge({
      name: 'webhook_deliveries_pending',
      help: 'Waiting records of 1 to 64 deliveries, due now or scheduled, over all webhooks and processes.',
      registers,
    }),
    deliveriesInFlight: new Gauge({
      name: 'webhook_deliveries_in_flight',
      help: 'Requests to receivers in flight in this process.',
      registers,
    }),
    openCircuits: new Gauge({
      name: 'webhook_open_circuits',
      help:
        'Webhooks whose receiver does not respond to this process. They receive one attempt at a time; ' +
        'other deliveries are deferred.',
      registers,
    }),
  };
}

export type SinkMetrics = ReturnType<typeof createSinkMetrics>;
