import type { Bench } from '../lib/bench.ts';
import { prepareIngest } from '../lib/ingest-stage.ts';
import { measureClosedLoop, type Run } from '../lib/run.ts';
import { cpuSection, endSections, latencyTable, medianOf, type NamedRuns } from '../lib/report/run-tables.ts';
import { createSegment, evaluated, putSegment } from '../lib/service/samples/segments.ts';
import type { LocalServiceOptions, Service } from '../lib/service/service.ts';
import { times } from '../lib/figures/statistics.ts';
import { section, tableOf } from '../lib/report/table.ts';

/* `npm run bench -- flags --upkeep`: what memberships of segments, which flags read, cost each event. */

/** Ingest of single events while so many segments are kept up to date. */
interface UpkeepFigures {
  segments: number;
  runs: Run[];
}

interface UpkeepSettings extends LocalServiceOptions {
  /** Length of one run. */
  seconds: number;
  rounds: number;
  players: number;
  wrkThreads: number;
}

const COUNTS = [0, 10, 100];
const MOST = Math.max(...COUNTS);
const CONNECTIONS = 512;
const WARM_UP_SECONDS = 10;

/**
 * Ingest of single events with all sinks on, at 0, 10 and 100 segments by turns. Segments are switched on and off, and
 * a run begins when every player is evaluated under that.
 */
export async function measureUpkeep(bench: Bench, settings: UpkeepSettings): Promise<UpkeepFigures[]> {
  const { signal, report } = bench;
  const stage = await prepareIngest(bench, { ...settings, batchSize: 1 });
  const segments = await createSegments(stage.service, signal);
  const load = (seconds: number): Promise<Run> =>
    measureClosedLoop(stage, signal, {
      target: 'service',
      workload: stage.workloads.single,
      connections: CONNECTIONS,
      seconds,
      wrkThreads: settings.wrkThreads,
    });

  report('warming up');
  await segments.enable(MOST);
  await load(WARM_UP_SECONDS);
  const figures = COUNTS.map((count): UpkeepFigures => ({ segments: count, runs: [] }));
  for (let round = 1; round <= settings.rounds; round++) {
    for (const { segments: count, runs } of figures) {
      await segments.enable(count);
      const run = await load(settings.seconds);
      runs.push(run);
      report(
        `${count} segments, round ${round} of ${settings.rounds}: ${Math.round(run.eventsPerSecond)} events/s, ` +
          `${Math.round(serviceUs(run))} µs of the service's CPU each`,
      );
    }
  }
  return figures;
}

/** Creates disabled segments. `enable` enables the first `count` of them and waits until every player is evaluated. */
async function createSegments(service: Service, signal: AbortSignal) {
  const created: { id: string; body: object; enabled: boolean }[] = [];
  for (const body of times(MOST, upkeepSegment)) {
    created.push({ id: await createSegment(service, { ...body, enabled: false }), body, enabled: false });
  }
  return {
    async enable(count: number): Promise<void> {
      let last = created.at(-1)?.id;
      for (const [turn, segment] of created.entries()) {
        const enabled = turn < count;
        if (segment.enabled === enabled) continue;
        await putSegment(service, segment.id, { ...segment.body, enabled });
        segment.enabled = enabled;
        last = segment.id;
      }
      if (last !== undefined) await evaluated(service, last, signal);
    },
  };
}

const EVENTS = ['match_end', 'level_completed', 'item_equipped', 'coins_spent', 'loot_opened', 'ad_watched'];

/**
 * Half of the segments are on the count of an event that is sent, a quarter on attributes, a quarter on the days since
 * the player was last seen, which every event changes.
 */
function upkeepSegment(turn: number): { key: string; conditions: Record<string, unknown> } {
  return { key: `upkeep-${turn}`, conditions: upkeepConditions(turn) };
}

function upkeepConditions(turn: number): Record<string, unknown> {
  switch (turn % 4) {
    case 0:
      return { 'attributes.level': { $gte: (turn * 7) % 60 } };
    case 1:
      return {
        days_since_last_seen: { $lte: 1 + Math.floor(turn / 4) },
        'attributes.level': { $gte: (turn * 11) % 60 },
      };
    default:
      return { [`events.${EVENTS[turn % EVENTS.length]}.count_7d`]: { $gte: 1 + turn } };
  }
}

/** The service's CPU time of one event, from CPU seconds per 1,000 events. */
function serviceUs({ cpuSecondsPerThousandEvents }: Run): number {
  return (cpuSecondsPerThousandEvents['service'] ?? Number.NaN) * 1000;
}

export function upkeepTables(figures: readonly UpkeepFigures[]): string {
  const named: NamedRuns = figures.map(({ segments, runs }) => [`${segments} segments`, runs]);
  const withNone = medianOf(figures[0]?.runs ?? [], serviceUs);
  return [
    section(
      'Single events, 512 connections (medians of the rounds)',
      tableOf(named, {
        '': ([name]) => name,
        'events/s': ([, runs]) => medianOf(runs, (run) => run.eventsPerSecond),
        "service's CPU µs per event": ([, runs]) => medianOf(runs, serviceUs),
        'more than with none': ([, runs]) => medianOf(runs, serviceUs) - withNone,
        'CPUs of others': ([, runs]) => medianOf(runs, (run) => run.othersCpus),
      }),
    ),
    section('Latency, ms (closed loop as wrk corrects it)', latencyTable(named)),
    cpuSection(named),
    ...endSections(named),
  ].join('\n');
}
