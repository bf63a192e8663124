import type { Clock } from '../../core/kernel/clock.ts';
import { FACTS_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import type { FactsMetrics } from './metrics.ts';
import { decodeJson } from '../../core/codec/codec.ts';
import type { FactsRoom } from './facts-room.ts';
import type { Log, StreamBounds } from '../log/log.ts';
import { parseRebuildMark, rebuildKey } from './rebuild-mark.ts';
import { readSinkPosition } from '../positions/positions.ts';
import { sinksOf } from '../positions/sink-registry.ts';

/** Who keeps records of FACTS from being trimmed, and when it would be full for commands. */
export interface FactsForecast {
  usedBytes: number;
  /** Where commands are refused. */
  limitBytes: number;
  /** Bytes that cannot be trimmed yet, by what has not passed them: sinks, `partition-N` for its mark; most first. */
  held: readonly { holder: string; bytes: number }[];
  /** Seconds until held bytes reach the limit at their recent growth; `Infinity` while they do not grow. */
  fullInSeconds: number;
  /** When the oldest record was stored, epoch milliseconds; `undefined` while FACTS is empty. */
  oldestMs: number | undefined;
  /** Whether an operator should act: the limit is days away, or half of it is held. */
  warns: boolean;
}

export interface FactsForecaster {
  /** `undefined` until the first forecast. */
  readonly latest: FactsForecast | undefined;
  stop(): void;
}

export interface FactsForecasterOptions {
  log: Log;
  clock: Clock;
  partitions: number;
  room: Pick<FactsRoom, 'onPolled' | 'levels' | 'usedBytes'>;
  metrics: Pick<FactsMetrics, 'factsBytes' | 'factsLimit' | 'factsHeld' | 'factsFullIn' | 'factsReach'>;
  logger: Logger;
}

/**
 * Forecasts in every process when FACTS will be full for commands: at most once in `factsForecastMs`. A warning
 * is one log line an hour. Bytes of a range are estimated by its share of all records.
 */
export function forecastFacts(options: FactsForecasterOptions): FactsForecaster {
  const { log, clock, room, metrics, logger } = options;
  const samples: { atMs: number; heldBytes: number }[] = [];
  let latest: FactsForecast | undefined;
  let nextMs = -Infinity;
  let nextLineMs = -Infinity;
  let stopped = false;

  const stopPolled = room.onPolled((bounds) => {
    const nowMs = clock.monotonicMs();
    if (nowMs < nextMs) return;
    nextMs = nowMs + FACTS_LIMITS.factsForecastMs;
    void forecast(bounds).catch((error: unknown) => {
      if (!stopped) logger.warn({ err: error }, 'no forecast of FACTS could be made; the next one follows');
    });
  });

  async function forecast(bounds: StreamBounds): Promise<void> {
    const { firstSequence, lastSequence } = bounds;
    const usedBytes = room.usedBytes;
    const limitBytes = room.levels.commands;
    const passed = await passedBy(options, bounds.created);
    const oldest = await log.next('FACTS', 'facts.*', firstSequence);
    if (stopped) return;
    const records = Math.max(1, lastSequence - firstSequence + 1);
    const held = [...passed]
      .map(([holder, sequence]) => {
        const share = Math.min(1, Math.max(0, lastSequence - sequence) / records);
        return { holder, bytes: Math.round(usedBytes * share) };
      })
      .toSorted((a, b) => b.bytes - a.bytes);
    const heldBytes = held[0]?.bytes ?? 0;
    const growsToSeconds = secondsUntil(limitBytes, heldBytes);
    const isUsual = heldBytes < room.levels.trimFrom && (await isUsualLag(held[0]?.holder, passed));
    if (stopped) return;
    const fullInSeconds = isUsual ? Infinity : growsToSeconds;
    const isMuch = !isUsual && heldBytes > limitBytes * FACTS_LIMITS.factsHeldShare;
    const isSoon =
      fullInSeconds < FACTS_LIMITS.factsWarnMs / 1000 && heldBytes > limitBytes * FACTS_LIMITS.factsHeldNoise;
    latest = { usedBytes, limitBytes, held, fullInSeconds, oldestMs: oldest?.storedAtMs, warns: isMuch || isSoon };
    measure(latest);
    warn(latest);
  }

  /**
   * Whether a partition holds what is younger than the longest usual age of its mark: between two marks of an idle
   * partition its bytes only grow. Where FACTS needs room, marks come earlier (`FactsRoom.wantedBelow`).
   */
  async function isUsualLag(holder: string | undefined, passed: ReadonlyMap<string, number>): Promise<boolean> {
    if (holder === undefined || isSink(holder)) return false;
    const first = await log.next('FACTS', 'facts.*', (passed.get(holder) ?? 0) + 1);
    return first === undefined || clock.wallMs() - first.storedAtMs < FACTS_LIMITS.factsMarkLagMs;
  }

  /** Extrapolates the growth of held bytes over the last samples. */
  function secondsUntil(limitBytes: number, heldBytes: number): number {
    const nowMs = clock.monotonicMs();
    samples.push({ atMs: nowMs, heldBytes });
    while (samples.length > 2 && nowMs - (samples[0]?.atMs ?? nowMs) > FACTS_LIMITS.factsGrowthMs) samples.shift();
    const [first] = samples;
    if (heldBytes >= limitBytes) return 0;
    if (first === undefined || nowMs === first.atMs || heldBytes <= first.heldBytes) return Infinity;
    const perSecond = ((heldBytes - first.heldBytes) / (nowMs - first.atMs)) * 1000;
    return Math.round((limitBytes - heldBytes) / perSecond);
  }

  function measure({ usedBytes, limitBytes, held, fullInSeconds, oldestMs }: FactsForecast): void {
    metrics.factsBytes.set(usedBytes);
    metrics.factsLimit.set(limitBytes);
    for (const { holder, bytes } of held) metrics.factsHeld.set({ holder }, bytes);
    metrics.factsFullIn.set(fullInSeconds);
    metrics.factsReach.set(oldestMs === undefined ? 0 : Math.max(0, clock.wallMs() - oldestMs) / 1000);
  }

  function warn({ warns, held: [most], usedBytes, limitBytes, fullInSeconds }: FactsForecast): void {
    const nowMs = clock.monotonicMs();
    if (!warns || most === undefined || nowMs < nextLineMs) return;
    nextLineMs = nowMs + FACTS_LIMITS.factsLineMs;
    const { holder, bytes: heldBytes } = most;
    const remedy = remedyFor(holder);
    logger.warn({ holder, heldBytes, usedBytes, limitBytes, fullInSeconds, remedy }, FILLING);
  }

  return {
    get latest() {
      return latest;
    },
    stop() {
      stopped = true;
      stopPolled();
    },
  };
}

const isSink = (holder: string): boolean => sinksOf('FACTS').some((sink) => sink === holder);

/** A log message. */
export const FILLING = 'FACTS fills up with records that cannot be trimmed; at its limit writes are answered 503';

function remedyFor(holder: string): string {
  if (holder === 'clickhouse')
    return 'ClickHouse is behind: check that it runs, and the log lines of the sink clickhouse';
  if (holder === 'webhooks') return 'matching of webhooks is behind: check the log lines that begin with "webhooks:"';
  return 'the snapshots of this partition are behind: check that it has an owner, and that ClickHouse runs';
}

/**
 * The sequence that each sink and each partition's rebuild mark has passed; 0 without a position, and for a sink that
 * lost what it wrote.
 */
async function passedBy(
  { log, partitions }: Pick<FactsForecasterOptions, 'log' | 'partitions'>,
  created: string,
): Promise<Map<string, number>> {
  const passed = new Map<string, number>();
  for (const sink of sinksOf('FACTS')) {
    const position = await readSinkPosition(log, sink);
    passed.set(sink, position?.stream === created && position.lost === undefined ? position.sequence : 0);
  }
  const positions = log.bucket('POSITIONS');
  for (let partition = 0; partition < partitions; partition++) {
    const entry = await positions.get(rebuildKey(partition));
    const mark = entry?.value === undefined ? undefined : parseRebuildMark(decodeJson(entry.value));
    passed.set(`partition-${partition}`, mark?.stream === created ? mark.coveredTo : 0);
  }
  return passed;
}

/** What `/readyz?verbose` shows of a forecast. */
export function forecastInfo(forecast: FactsForecast | undefined): Readonly<Record<string, unknown>> {
  if (forecast === undefined) return {};
  const { usedBytes, limitBytes, held, fullInSeconds, oldestMs } = forecast;
  return {
    used_bytes: usedBytes,
    limit_bytes: limitBytes,
    held,
    // JSON has no infinity.
    full_in_seconds: fullInSeconds === Infinity ? null : fullInSeconds,
    reaches_back_to: oldestMs === undefined ? null : new Date(oldestMs).toISOString(),
  };
}
