import { collectFreshnessReports } from '../../streams/freshness/freshness-reports.ts';
import { type AsOf, type Freshness, OUTPUTS, type OutputName } from '../../streams/freshness/output-freshness.ts';
import type { Log } from '../../streams/log/log.ts';
import type { RunningLiveFeed } from '../../streams/sinks/live/live-feed.ts';
import { readSinkAsOf } from '../../streams/sinks/sink-as-of.ts';
import type { SinkName } from '../../streams/positions/sink-registry.ts';
import { type Clock, within } from '../../core/kernel/clock.ts';
import { HEALTH_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';

export interface FreshnessOptions {
  log: Log;
  clock: Clock;
  logger: Logger;
  /** The event stream of this process. */
  feed: Pick<RunningLiveFeed, 'progress'>;
}

export interface RunningFreshness extends Freshness {
  /** Seconds that each sink is behind, for the metric; without those that cannot be read. */
  secondsBehind(): Promise<ReadonlyMap<SinkName, number>>;
  stop(): void;
}

/** The sinks whose positions say how far rows and deliveries are. */
const SINKS_MEASURED = [
  'clickhouse',
  'clickhouse-records',
  'clickhouse-audit',
  'webhooks',
] as const satisfies readonly SinkName[];

const SINK_OF = { FACTS: 'clickhouse', RECORDS: 'clickhouse-records', AUDIT: 'clickhouse-audit' } as const;

/**
 * The delays of outputs as this process sees them: positions of sinks from the broker, read at most once in
 * `freshAsOfKeptMs`, the event stream of its own, and delays as all processes report them.
 */
export function createFreshness({ log, clock, logger, feed }: FreshnessOptions): RunningFreshness {
  const reports = collectFreshnessReports({ log, clock });
  const reading = new Map<SinkName, { askedMs: number; asOf: Promise<AsOf | undefined> }>();

  function sinkAsOf(sink: SinkName): Promise<AsOf | undefined> {
    const nowMs = clock.monotonicMs();
    const known = reading.get(sink);
    if (known !== undefined && nowMs - known.askedMs < HEALTH_LIMITS.freshAsOfKeptMs) return known.asOf;
    const asOf = within(clock, HEALTH_LIMITS.freshAsOfWaitMs, readSinkAsOf(log, clock, sink)).catch(
      (error: unknown) => {
        logger.debug({ err: error, sink }, 'the position of a sink cannot be read');
        return undefined;
      },
    );
    reading.set(sink, { askedMs: nowMs, asOf });
    return asOf;
  }

  function streamAsOf(): AsOf | undefined {
    const { progress } = feed;
    if (progress === undefined) return undefined;
    const { behind, sequence, storedAtMs } = progress;
    const asOfMs = behind === 0 ? clock.wallMs() : storedAtMs;
    return asOfMs === undefined ? undefined : { asOfMs, behind, position: String(sequence) };
  }

  const asOf = async (output: OutputName) => (output === 'stream' ? streamAsOf() : sinkAsOf(output));

  return {
    rowsAsOf: (stream) => sinkAsOf(SINK_OF[stream]),
    outputs: () =>
      Promise.all(OUTPUTS.map(async (output) => ({ output, asOf: await asOf(output), ...reports.of(output) }))),
    async secondsBehind() {
      const found = await Promise.all(SINKS_MEASURED.map(async (sink) => [sink, await sinkAsOf(sink)] as const));
      const nowMs = clock.wallMs();
      return new Map(
        found.flatMap(([sink, at]) => {
          if (at === undefined) return [];
          return [[sink, at.behind === 0 ? 0 : Math.max(0, nowMs - at.asOfMs) / 1000]];
        }),
      );
    },
    stop: () => reports.stop(),
  };
}
