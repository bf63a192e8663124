import type { EndpointFigures } from './life-tally.ts';
import type { LifeStepKind } from './life-plan.ts';
import { lives, type LivesResult, type LivesSpec } from './lives.ts';
import { readMetrics } from '../figures/metrics.ts';
import { observeLoad, type ObservedRun } from '../load/observe-load.ts';
import type { Stage, Target } from '../stage.ts';
import { sum, type Latency } from '../figures/statistics.ts';

/** The figures of one stretch of players' lives on one target. */
export interface LivesRun extends ObservedRun {
  /** Successful answers per second of load: all of them, and syncs alone. */
  requestsPerSecond: number;
  syncsPerSecond: number;
  endpoints: Record<LifeStepKind, EndpointFigures>;
  /** How late requests went out. */
  lateness: Latency;
  /** CPU seconds per 1,000 requests by process, from the begin of the load until ClickHouse had caught up. */
  cpuSecondsPerThousandRequests: Record<string, number>;
  /** Players in the service's memory at the end; undefined on the bare server. */
  hotPlayers: number | undefined;
  statuses: Record<string, number>;
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
    const { result, observed, perThousand } = await observeLoad(stage, signal, {
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
      ...observed({ ...errors, refused, 'sessions not opened beforehand': notOpened }),
      requestsPerSecond: accepted / seconds,
      syncsPerSecond: (endpoints.sync.answered - endpoints.sync.refused) / seconds,
      endpoints,
      lateness,
      cpuSecondsPerThousandRequests: perThousand(accepted),
      hotPlayers,
      statuses,
      lives: result.lives,
    };
  });
}
