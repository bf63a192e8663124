import type { EndpointFigures } from './life-tally.ts';
import type { LifeStepKind } from './life-plan.ts';
import { lives, type LivesResult, type LivesSpec } from './lives.ts';
import { readMetrics } from '../figures/metrics.ts';
import { observeLoad, perThousand } from '../load/observe-load.ts';
import type { CatchUp } from '../service/row-watch.ts';
import type { Stage, Target } from '../stage.ts';
import { sum, type Latency } from '../figures/statistics.ts';

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
  /** CPUs that worked for other processes meanwhile: when this is far from 0, the figures mean little. */
  othersCpus: number;
  /** Resident memory at the end, by process. */
  rssMiB: Record<string, number>;
  /** Players in the service's memory at the end; undefined on the bare server. */
  hotPlayers: number | undefined;
  statuses: Record<string, number>;
  /** Failures by kind; empty when there were none. */
  errors: Record<string, number>;
  clickhouse: CatchUp | undefined;
  /** Lives that every slot has had at most. */
  lives: number;
}

/** Runs lives on a target: first sessions are opened before the load, and the last ones are ended after it. */
export function measureLives(
  stage: Stage,
  signal: AbortSignal,
  target: Target,
  spec: Omit<LivesSpec, 'baseUrl'>,
): Promise<LivesRun> {
  const { players, seconds } = spec;
  return lives.use(signal, { ...spec, baseUrl: stage.baseUrlOf(target) }, async (generator) => {
    const { result, usage, errorsOf, catchUp } = await observeLoad(stage, signal, {
      target,
      seconds,
      eventsIn: ({ events }: LivesResult) => events,
      start(onPid) {
        onPid(generator.pid);
        return generator.ask('load');
      },
    });
    const notOpened = players - (await generator.ask('opened'));
    const onService = target === 'service';
    const hotPlayers = onService ? (await readMetrics(stage.service))('owner_hot_players') : undefined;
    const left = await generator.ask('end');
    if (onService) stage.ledger.acknowledged += left.events;

    const { endpoints, lateness, statuses, errors } = result;
    const all = Object.values(endpoints);
    const refused = sum(all.map((one) => one.refused));
    const accepted = sum(all.map((one) => one.answered)) - refused;
    return {
      target,
      seconds,
      requestsPerSecond: accepted / seconds,
      syncsPerSecond: (endpoints.sync.answered - endpoints.sync.refused) / seconds,
      endpoints,
      lateness,
      cpuSecondsPerThousandRequests: perThousand(usage, accepted),
      othersCpus: usage.othersCpus,
      rssMiB: usage.rssMiB,
      hotPlayers,
      statuses,
      errors: errorsOf({ ...errors, refused, 'sessions not opened beforehand': notOpened }),
      clickhouse: catchUp,
      lives: result.lives,
    };
  });
}
