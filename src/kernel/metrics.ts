import type { Clock } from './clock.ts';
import { threadCpuMs, watchStalls } from './event-loop-stalls.ts';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** Every metric of the service in one place: names, units and meaning. Components take what they need by type. */
export function createMetrics() {
  const sinks = createSinkMetrics();
  let sinkText = (): Promise<string> => sinks.registry.metrics();
  const registry = new Registry();
  const registers = [registry];
  const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
  return {
    ...sinks,
    /** Everything in Prometheus' text format. */
    text: async (): Promise<string> => `${await registry.metrics()}\n${await sinkText()}`,
    contentType: registry.contentType,
    /** The sinks run in another thread, which tells its metrics by this. */
    sinksElsewhere(text: () => Promise<string>): void {
      sinkText = text;
    },
    httpRequests: new Counter({
      name: 'http_requests_total',
      help: 'HTTP requests answered, by route and status.',
      labelNames: ['route', 'status'],
      registers,
    }),
    httpDuration: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'From the first byte of a request to its answer, by route.',
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
        'Connections closed with an unread answer, by reason: slow (not read in time), full (all unread answers together were ' +
        'too large, and this caller held the most).',
      labelNames: ['reason'],
      registers,
    }),
    commandBatchSize: new Histogram({
      name: 'gateway_batch_commands',
      help: 'Commands in one REQUESTS message.',
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2000],
      registers,
    }),
    schemaViolations: new Counter({
      name: 'event_schema_violations_total',
      help: "Events that broke their schema, by the schema's mode: observe, warn, enforce.",
      labelNames: ['mode'],
      registers,
    }),
    commandsTimedOut: new Counter({
      name: 'gateway_commands_timed_out_total',
      help: 'Commands answered 503 as no reply came before deadline and grace.',
      registers,
    }),
    commitFacts: new Histogram({
      name: 'owner_commit_facts',
      help: 'Facts in one FACTS record.',
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 5000],
      registers,
    }),
    commitDuration: new Histogram({
      name: 'owner_commit_duration_seconds',
      help: 'From sending an append to FACTS to its acknowledgement.',
      buckets: seconds,
      registers,
    }),
    conditionsOverBudget: new Counter({
      name: 'owner_condition_budget_exceeded_total',
      help: 'Conditions that exceeded their budget of steps and counted as false, by the kind of their definition: segment, flag, campaign.',
      labelNames: ['definition'],
      registers,
    }),
    flagExposures: new Counter({
      name: 'flag_exposures_total',
      help:
        'Exposures, by the origin of their variant: served, earlier, named, mismatch. unattributed: events with a flag_key that ' +
        'made no exposure, as no variant was recorded and none was named.',
      labelNames: ['attribution'],
      registers,
    }),
    ownedPartitions: new Gauge({ name: 'owner_partitions', help: 'Partitions owned by this process.', registers }),
    stepDowns: new Counter({
      name: 'owner_step_downs_total',
      help: 'Times an owner gave a partition up, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    hotPlayers: new Gauge({
      name: 'owner_hot_players',
      help: 'Players held in memory, by partition.',
      labelNames: ['partition'],
      registers,
    }),
    snapshotsWaiting: new Gauge({
      name: 'owner_snapshots_waiting',
      help: 'Players that changed since their newest snapshot, by partition.',
      labelNames: ['partition'],
      registers,
    }),
    scoringBatchRows: new Histogram({
      name: 'scoring_batch_rows',
      help: 'Installs scored in one run of a model.',
      labelNames: ['model'],
      buckets: [1, 2, 5, 10, 25, 50, 100, 250, 512],
      registers,
    }),
    scoringInference: new Histogram({
      name: 'scoring_inference_seconds',
      help: 'One run of a model, on the main thread.',
      labelNames: ['model'],
      buckets: [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01],
      registers,
    }),
    scores: new Counter({
      name: 'scoring_scores_total',
      help: 'Scores stored, by model (current, challenger) and bucket; forced ones of test keys are left out.',
      labelNames: ['model', 'bucket'],
      registers,
    }),
    modelLoads: new Counter({
      name: 'scoring_model_loads_total',
      help: 'Models looked at, by role and outcome; refused and absent leave in use what is.',
      labelNames: ['role', 'outcome'],
      registers,
    }),
    modelInfo: new Gauge({
      name: 'scoring_model_info',
      help: '1 for each model in use, by role and version.',
      labelNames: ['role', 'version'],
      registers,
    }),
    streamLag: new Gauge({
      name: 'sse_lag_records',
      help: 'FACTS records stored but not yet sent to the event stream of this process.',
      registers,
    }),
    streamReaders: new Gauge({ name: 'sse_readers', help: 'SSE connections open.', registers }),
    streamBehind: new Gauge({
      name: 'sse_readers_behind',
      help: 'SSE connections that catch up: resuming, slow, or waiting for the log.',
      registers,
    }),
    streamBuffered: new Gauge({
      name: 'sse_buffered_bytes',
      help: 'Bytes that wait for the network, over all SSE connections.',
      registers,
    }),
    streamGaps: new Counter({
      name: 'sse_gaps_total',
      help: 'SSE readers told of events they will not get any more.',
      registers,
    }),
    streamDisconnects: new Counter({
      name: 'sse_disconnects_total',
      help: 'SSE readers disconnected for being too slow, by reason: stalled, too_far_behind, buffers_full.',
      labelNames: ['reason'],
      registers,
    }),
    /** Node's own process metrics, and how the main thread spends its time; called once by main. */
    collectProcess(clock: Clock): void {
      collectDefaultMetrics({ register: registry });
      collectMainThread(clock, registers);
    },
  };
}

function collectMainThread(clock: Clock, registers: Registry[]) {
  const stalls = new Histogram({
    name: 'event_loop_stall_seconds',
    help: 'Turns of the main thread that lasted longer than 20 ms of its processor time.',
    buckets: [0.03, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  });
  const watch = watchStalls(clock, threadCpuMs, (seconds) => stalls.observe(seconds));
  const longestStall: Gauge = new Gauge({
    name: 'event_loop_longest_stall_seconds',
    help: 'The longest turn of the main thread since the last scrape.',
    registers,
    collect: () => longestStall.set(watch.takeLongestSeconds()),
  });
  const cpu: Gauge = new Gauge({
    name: 'main_thread_cpu_seconds',
    help: 'Processor time of the main thread since the process started.',
    registers,
    collect: () => cpu.set(threadCpuMs() / 1000),
  });
}

export type Metrics = ReturnType<typeof createMetrics>;

/** What the sinks count. They run in a thread of their own, so these have a registry of their own. */
export function createSinkMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    sinkLag: new Gauge({
      name: 'sink_lag_records',
      help: 'Records of its stream stored but not yet handled, by sink; clickhouse-records reads RECORDS, the others FACTS.',
      labelNames: ['sink'],
      registers,
    }),
    sinkRows: new Counter({
      name: 'clickhouse_rows_total',
      help: 'Rows inserted into ClickHouse, by table.',
      labelNames: ['table'],
      registers,
    }),
    sinkFailures: new Counter({
      name: 'sink_failures_total',
      help: 'Writes of a sink that failed and are repeated; reason refused: somebody must act.',
      labelNames: ['sink', 'reason'],
      registers,
    }),
    deliveries: new Counter({
      name: 'webhook_attempts_total',
      help: 'Webhook delivery attempts, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    attemptsUnlogged: new Counter({
      name: 'webhook_attempts_unlogged_total',
      help: 'Webhook delivery attempts missing in webhook_deliveries, as RECORDS took nothing in time.',
      registers,
    }),
    webhookGamesBehind: new Gauge({
      name: 'webhook_games_behind',
      help: 'Games with more deliveries than can be queued at once, matched separately until they have caught up.',
      registers,
    }),
    deliveriesOverflowed: new Counter({
      name: 'webhook_deliveries_overflowed_total',
      help: 'Deliveries not queued as too many waited for their webhook or game; a recovery queues them.',
      registers,
    }),
    webhooksDisabled: new Counter({
      name: 'webhooks_disabled_total',
      help: 'Webhooks this process disabled, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    oldestUndelivered: new Gauge({
      name: 'webhook_oldest_undelivered_seconds',
      help: 'Age of the oldest delivery this process could not make yet, over all webhooks; take the maximum over processes.',
      registers,
    }),
    deliveriesPending: new Gauge({
      name: 'webhook_deliveries_pending',
      help: 'Deliveries that wait, over all webhooks and processes: due now or scheduled.',
      registers,
    }),
    deliveriesInFlight: new Gauge({
      name: 'webhook_deliveries_in_flight',
      help: 'Requests to receivers under way in this process.',
      registers,
    }),
    openCircuits: new Gauge({
      name: 'webhook_open_circuits',
      help: 'Webhooks whose receiver gives this process no answer: one attempt at a time goes there, all else is put off.',
      registers,
    }),
  };
}

export type SinkMetrics = ReturnType<typeof createSinkMetrics>;
