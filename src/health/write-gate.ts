import type { DiskSpace } from './disk-space.ts';
import type { Backend } from '../api/route/backend.ts';
import { nextTick, type Cancel, type Clock } from '../../core/kernel/clock.ts';
import { failure, type Failure } from '../../core/kernel/errors.ts';
import { HEALTH_LIMITS } from './limits.ts';
import { JETSTREAM_LIMITS } from '../../streams/log/jetstream/limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { HealthMetrics } from './metrics.ts';
import type { JetStreamLog } from '../../streams/log/jetstream/log-jetstream.ts';

/**
 * Whether this process accepts writes. It refuses them before they reach the log while the disk of a local deployment
 * is almost full, and while the log's storage does not answer. Reads are not affected.
 */
export interface WriteGate {
  /** The answer to a write; undefined: it is accepted. */
  refusal(): Failure | undefined;
  /** The broker is connected but does not store the records of some stream. */
  readonly storageSilent: boolean;
  stop(): void;
}

export interface WriteGateOptions {
  /** Only where broker and ClickHouse share this process's disk. */
  disk: DiskSpace | undefined;
  log: Pick<JetStreamLog, 'unansweredFor' | 'ping'>;
  clock: Clock;
  logger: Logger;
  metrics: Pick<HealthMetrics, 'writesRefused'>;
  /** Asks the supervisor to restart the broker; undefined without a supervisor. */
  restartBroker: (() => void) | undefined;
}

/** A backend that sends commands only while the gate is open. */
export function guarded(backend: Backend, gate: WriteGate): Backend {
  return {
    partitionOf: (entityId) => backend.partitionOf(entityId),
    query: (origin, entityId, body) => backend.query(origin, entityId, body),
    send(origin, entityId, body) {
      const refusal = gate.refusal();
      return refusal === undefined ? backend.send(origin, entityId, body) : Promise.resolve(refusal);
    },
  };
}

/** A write needs these. Scores, deliveries and positions of sinks have streams of their own, which stop no writes. */
const COMMAND_STREAMS: ReadonlySet<string> = new Set(['REQUESTS', 'FACTS']);
const DISK = 'The disk of the service is almost full. Nothing was changed; retry when space has been freed.';
const LOG = 'The storage of the log does not answer. Nothing was changed; retry later.';

export function createWriteGate(options: WriteGateOptions): WriteGate {
  const { disk, log, clock, logger, metrics, restartBroker } = options;
  let unanswered: readonly string[] = [];
  const commandsSilent = (): boolean => unanswered.some((stream) => COMMAND_STREAMS.has(stream));
  let cancel: Cancel = () => {};
  let stopped = false;

  /** nats-server does not write again after it met a full disk, so it must be restarted once the disk has space. */
  async function step(): Promise<void> {
    const before = unanswered;
    unanswered = log.unansweredFor(HEALTH_LIMITS.logSilentMs);
    if (unanswered.length > 0 && before.length === 0) {
      logger.error({ streams: unanswered }, 'the broker is connected but does not store records of these streams');
    }
    if (restartBroker !== undefined && needsRestart() && (await log.ping(JETSTREAM_LIMITS.logPingMs))) restartBroker();
    if (!stopped) cancel = nextTick(clock, HEALTH_LIMITS.diskWatchMs, () => void step());
  }

  function needsRestart(): boolean {
    if (unanswered.length === 0 || disk?.low === true) return false;
    const wasLow =
      disk?.lastLowMs !== undefined && clock.monotonicMs() - disk.lastLowMs < HEALTH_LIMITS.diskLowRecentMs;
    return wasLow || log.unansweredFor(HEALTH_LIMITS.logStuckMs).length > 0;
  }

  cancel = clock.timer(HEALTH_LIMITS.diskWatchMs, () => void step());
  return {
    refusal() {
      const reason = disk?.low === true ? 'disk' : commandsSilent() ? 'log' : undefined;
      if (reason === undefined) return undefined;
      metrics.writesRefused.inc({ reason });
      return failure('SERVICE_UNAVAILABLE', reason === 'disk' ? DISK : LOG);
    },
    get storageSilent() {
      return unanswered.length > 0;
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
