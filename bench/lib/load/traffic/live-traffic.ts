import { temporaryFolder, type Bench } from '../../bench.ts';
import { latencyAt } from '../../figures/statistics.ts';
import { tableOf } from '../../report/table.ts';
import type { LocalService } from '../../service/service.ts';
import { registerPlayers } from '../calls.ts';
import { openLoop, type OpenLoopResult } from '../open-loop.ts';
import { eventWorkloads } from './workload.ts';

/* Single events of live players in an open loop, beside the work that is measured. */

/** Of one run; its latencies leave out what was due in the first second. */
const RUN_SECONDS = 5;
const SETTLING_SECONDS = 1;
const CONNECTIONS = 64;
const PLAYERS = 1_000;

/** Sends one run of live events. */
export type LiveTraffic = () => Promise<OpenLoopResult>;

/**
 * Registers the live players.
 * @param perSecond events/s
 * @param folder where the temporary bodies go; the system's folder when left out
 */
export async function liveTraffic(
  bench: Bench,
  service: LocalService,
  perSecond: number,
  options: { players?: number; seconds?: number; folder?: string | undefined } = {},
): Promise<LiveTraffic> {
  const { players = PLAYERS, seconds = RUN_SECONDS, folder } = options;
  const ids = await registerPlayers(service, players, bench.signal);
  const { single } = eventWorkloads(temporaryFolder(bench, 'bodies', folder), ids, 1);
  return () => {
    const spec = {
      url: service.baseUrl + single.path,
      key: service.key,
      bodiesFile: single.bodiesFile,
      requestsPerSecond: perSecond,
      seconds,
      settlingSeconds: SETTLING_SECONDS,
      connections: CONNECTIONS,
    };
    return openLoop.use(bench.signal, spec, (process) => process.ask('run'));
  };
}

/** Sends live events until the work ends, at least one run. */
export async function liveBeside<T>(run: LiveTraffic, work: Promise<T>): Promise<{ done: T; runs: OpenLoopResult[] }> {
  const progress = { isDone: false };
  const ended = work.finally(() => {
    progress.isDone = true;
  });
  // Whoever awaits it below sees its failure.
  ended.catch(() => {});
  const runs: OpenLoopResult[] = [];
  do runs.push(await run());
  while (!progress.isDone);
  return { done: await ended, runs };
}

export type LiveRun = readonly [when: string, result: OpenLoopResult];

/** Latencies in milliseconds. */
export function liveTable(runs: readonly LiveRun[]): string {
  return tableOf(runs, {
    'live events': ([when]) => when,
    p50: ([, { latency }]) => latencyAt(latency, 0.5),
    p99: ([, { latency }]) => latencyAt(latency, 0.99),
    max: ([, { latency }]) => latency.maxMs,
    'generator p99': ([, { lateness }]) => latencyAt(lateness, 0.99),
    refused: ([, { refused }]) => refused,
  });
}
