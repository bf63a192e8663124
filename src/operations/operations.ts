import type { StreamName } from '../../core/vocabulary/stream-name.ts';
import { FORMAT } from '../../core/vocabulary/formats.ts';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';
import type { BrokerClock } from '../../streams/broker-clock.ts';
import type { FactsForecaster } from '../../streams/facts/facts-forecast.ts';
import type { Log } from '../../streams/log/log.ts';
import { readSinkPosition } from '../../streams/positions/positions.ts';
import { SINKS, sinksOf, type SinkName } from '../../streams/positions/sink-registry.ts';
import { scheduledSubjects, SIZE_CLASSES } from '../../streams/sinks/webhooks/record/delivery.ts';
import { STREAMS } from '../../streams/log/stream-definitions.ts';
import type { DiskSpace } from '../health/disk-space.ts';
import { type Clock, within } from '../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from '../../streams/log/jetstream/limits.ts';
import { OPERATIONS_LIMITS } from '../api/operations/limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type {
  DeploymentStatus,
  Operations,
  SinkStatus,
  StreamStatus,
  WebhookQueue,
} from '../api/operations/deployment-status.ts';
import { entriesOf, ownersIn } from './read-owners.ts';

export interface OperationsOptions {
  log: Pick<Log, 'bucket' | 'info' | 'next' | 'countSubjects' | 'connected'>;
  clock: Clock;
  partitions: number;
  disk: Pick<DiskSpace, 'figures' | 'low'>;
  forecaster: Pick<FactsForecaster, 'latest'>;
  brokerClock: Pick<BrokerClock, 'aheadMs' | 'fault'>;
  logger: Logger;
}

/**
 * Reads the state of the deployment from the broker, on demand.
 *
 * Invariants
 * 1. What was read is given again for `opsStatusKeptMs`, and callers at one time share one reading. So many open
 *    screens cost the broker as much as one.
 * 2. A reading ends within `logApiMs`, with undefined if the broker does not answer.
 */
export function createOperations(options: OperationsOptions): Operations {
  const { log, clock, partitions, disk, forecaster, brokerClock, logger } = options;
  const deployment = shared(clock, 1, readDeployment);
  const webhooks = shared(clock, OPERATIONS_LIMITS.opsScopesKept, readQueue);

  async function readDeployment(): Promise<DeploymentStatus> {
    const [entries, streams] = await Promise.all([
      entriesOf(log.bucket('OWNERS')),
      Promise.all(Object.values(STREAMS).map(({ name }) => readStream(name))),
    ]);
    const measuredAt = clock.wallMs();
    const owners = ownersIn(entries, partitions, measuredAt - aheadMs());
    const names = [...sinksOf('FACTS'), ...sinksOf('RECORDS')];
    const sinks = await Promise.all(names.map((sink) => readSink(sink, owners.runnerOf(sink))));
    return {
      measuredAt,
      partitions: owners.partitions,
      processes: owners.processes,
      sinks,
      streams,
      format: { own: FORMAT, lowest: Math.min(FORMAT, ...owners.processes.map(({ format }) => format)) },
    };
  }

  /** How far this clock is ahead of the broker's, which stamps beats; 0 until it was measured. */
  function aheadMs(): number {
    const { aheadMs: bounds } = brokerClock;
    return bounds === undefined ? 0 : (bounds.least + bounds.most) / 2;
  }

  async function readStream(name: StreamName): Promise<StreamStatus> {
    const { records, sizeBytes, maxBytes } = await log.info(name);
    return { name, records, bytes: sizeBytes, maxBytes: Number.isFinite(maxBytes) ? maxBytes : undefined };
  }

  async function readSink(sink: SinkName, holder: string | undefined): Promise<SinkStatus> {
    const { stream } = SINKS[sink];
    const position = await readSinkPosition(log, sink);
    const { created, lastSequence } = await log.info(stream);
    const base = { sink, stream, holder, lost: position?.lost === true };
    if (position === undefined || position.stream !== created) {
      return { ...base, behind: undefined, oldestAt: undefined };
    }
    const next = await log.next(stream, STREAMS[stream].subjects[0], position.sequence + 1);
    return { ...base, behind: Math.max(0, lastSequence - position.sequence), oldestAt: next?.storedAtMs };
  }

  async function readQueue(scope: Scope): Promise<WebhookQueue> {
    const [{ records, sizeBytes }, ...counts] = await Promise.all([
      log.info('DELIVERIES'),
      ...SIZE_CLASSES.map((_, size) => log.countSubjects('DELIVERIES', scheduledSubjects(scope, size))),
    ]);
    return { records, bytes: sizeBytes, retries: counts.reduce((sum, count) => sum + count, 0) };
  }

  /** A closed log, or an entry that cannot be read. */
  function failed(error: unknown): undefined {
    logger.warn({ err: error }, 'the state of the deployment cannot be read');
    return undefined;
  }

  return {
    deployment: () => deployment('').catch(failed),
    webhooks: (scope) => webhooks(`${scope.game}/${scope.environment}`, scope).catch(failed),
    process() {
      const { free_bytes: freeBytes, size_bytes: sizeBytes, reserve_bytes: reserveBytes } = disk.figures;
      const { latest } = forecaster;
      const bounds = brokerClock.aheadMs;
      return {
        disk: { freeBytes, sizeBytes, reserveBytes, low: disk.low },
        log: latest && { ...latest, oldestAt: latest.oldestMs },
        clock: bounds && { leastMs: bounds.least, mostMs: bounds.most, fault: brokerClock.fault() },
        brokerConnected: log.connected,
      };
    },
  };
}

/**
 * Shares what `read` returns among callers of one key, for `opsStatusKeptMs`, and until it has ended: while the broker
 * is silent, readings do not add up. A caller waits for `logApiMs`.
 * @param most keys that are kept
 */
function shared<T, Rest extends readonly unknown[]>(
  clock: Clock,
  most: number,
  read: (...rest: Rest) => Promise<T>,
): (key: string, ...rest: Rest) => Promise<T | undefined> {
  const kept = new Map<string, { value: Promise<T>; endedMs: number }>();
  return (key, ...rest) => {
    const known = kept.get(key);
    if (known !== undefined && clock.monotonicMs() - known.endedMs < OPERATIONS_LIMITS.opsStatusKeptMs) {
      return within(clock, JETSTREAM_LIMITS.logApiMs, known.value);
    }
    if (kept.size >= most) kept.clear();
    const value = read(...rest);
    const reading = { value, endedMs: Infinity };
    const end = (): void => {
      reading.endedMs = clock.monotonicMs();
    };
    value.then(end, end);
    kept.set(key, reading);
    return within(clock, JETSTREAM_LIMITS.logApiMs, value);
  };
}
