import { catchUpOf, type CatchUp } from '../service/row-watch.ts';
import { happened } from '../load/load-result.ts';
import { observeLoad, type Observation } from '../ingest/observe-load.ts';
import type { Latency } from '../measure/latency.ts';
import { readMetrics } from '../service/read-metrics.ts';
import type { Stage, Target } from '../service/stage.ts';
import type { LifeStepKind } from './life-plan.ts';
import type { EndpointFigures } from './life-tally.ts';
import { startLives } from './lives.ts';
import type { LivesResult, LivesSpec } from './lives-main.ts';

/** The figures of one stretch of players' lives on one target. */
export interface LivesRun {
  target: Target;
  seconds: number;
  /** Successful answers per second of load: all of them, and syncs alone. */
  requestsPerSecond: number;
  syncsPerSecond: number;
  endpoints: Record<LifeStepKind, EndpointFigures>;
  /** How late requests went out. */
  lateness: Latency;
  /** CPU seconds per 1,000 requests by process, from the begin of the load until ClickHouse had caught up. */
  cpuSecondsPerThousandRequests: Record<string, number>;
  /** CPUs that were busy with something else meanwhile: far from 0, the figures say little. */
  othersCpus: number;
  /** Resident memory at the end, by process. */
  rssMiB: Record<string, number>;
  /** Players in the service's memory at the end; undefined on the bare server. */
  hotPlayers: number | undefined;
  statuses: Record<string, number>;
  /** What went wrong, by kind; empty when nothing did. */
  errors: Record<string, number>;
  clickhouse: CatchUp | undefined;
  /** Lives that every slot has had at most. */
  lives: number;
}

/** Runs lives on a target: everybody's first session is opened before the load and the last ones are ended after it. */
export async function measureLives(
  stage: Stage,
  signal: AbortSignal,
  target: Target,
  spec: Omit<LivesSpec, 'baseUrl'>,
): Promise<LivesRun> {
  const lives = await startLives({ ...spec, baseUrl: stage.baseUrlOf(target) }, signal);
  try {
    const seen = await observeLoad(
      stage,
      {
        target,
        seconds: spec.seconds,
        memorySamples: 0,
        eventsIn: ({ events }: LivesResult) => events,
        start(onPid) {
          onPid(lives.pid);
          return lives.load();
        },
      },
      signal,
    );
    const run = runOf(stage, target, seen, spec.players - lives.opened.opened);
    const hotPlayers = target === 'service' ? (await readMetrics(stage.service))('owner_hot_players') : undefined;
    const left = await lives.end();
    if (target === 'service') stage.ledger.acknowledged += left.events;
    return { ...run, hotPlayers };
  } finally {
    await lives.stop();
  }
}

function runOf(
  { ledger }: Stage,
  target: Target,
  { result, rows, ...seen }: Observation<LivesResult>,
  notOpened: number,
): Omit<LivesRun, 'hotPlayers'> {
  const { seconds, startedMs, endpoints, lateness, statuses, errors, events, lives } = result;
  const refused = Object.values(endpoints).reduce((sum, one) => sum + one.refused, 0);
  const accepted = Object.values(endpoints).reduce((sum, one) => sum + one.answered, 0) - refused;
  const endMs = startedMs + seconds * 1000;
  return {
    target,
    seconds,
    requestsPerSecond: accepted / seconds,
    syncsPerSecond: (endpoints.sync.answered - endpoints.sync.refused) / seconds,
    endpoints,
    lateness,
    cpuSecondsPerThousandRequests: perThousand(seen.cpuSeconds, accepted),
    othersCpus: seen.othersCpus,
    rssMiB: seen.rssMiB,
    statuses,
    errors: {
      ...happened({ ...errors, refused, 'sessions not opened beforehand': notOpened }),
      ...Object.fromEntries(seen.restarted.map((name) => [`${name} restarted`, 1])),
    },
    clickhouse: rows === undefined ? undefined : catchUpOf(rows, ledger.acknowledged, endMs, events / seconds),
    lives,
  };
}

function perThousand(cpuSeconds: Readonly<Record<string, number>>, requests: number): Record<string, number> {
  return Object.fromEntries(Object.entries(cpuSeconds).map(([name, used]) => [name, (used * 1000) / requests]));
}
