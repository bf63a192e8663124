import type { GameFigures } from '../game/game.ts';
import type { GameOptions } from '../game/game-options.ts';
import type { HeldMemory } from '../game/held-memory.ts';
import type { LifeStepKind } from '../game/life-plan.ts';
import { LIFE_PATHS } from '../game/life-requests.ts';
import type { LivesRun } from '../game/measure-lives.ts';
import { latencyAt, medianLatency } from '../measure/latency.ts';
import { median } from '../measure/statistics.ts';
import { clickhouseTable, errorTable, perProcess, type NamedRuns } from './run-tables.ts';
import { latencyRow, section } from './sections.ts';
import { figure, table, type Row } from './table.ts';

/** Everything that was measured of players' lives, as text for a terminal. */
export function gameTables(figures: readonly GameFigures[], options: GameOptions): string {
  const named: NamedRuns<LivesRun> = figures.flatMap((one) => [
    [nameOf(one), one.rounds.map(({ service }) => service)],
    [`${nameOf(one)}, as many as answered`, [one.most]],
  ]);
  return [
    section('Known players: how they came, what they take on disk', knownTable(figures)),
    section('Restart, seconds until /readyz is 200 again; memory when it is', restartTable(figures)),
    section('Players in memory (in use: main thread, after a collection)', memoryTable(figures)),
    section(rateTitle(options), rateTable(figures)),
    section(
      'Latency in the open loop, ms (from the moment a request was due, after 3 s to settle; medians of the rounds)',
      latencyTable(figures),
    ),
    section(
      'CPU seconds per 1,000 requests',
      perProcess(named, (run) => run.cpuSecondsPerThousandRequests, true),
    ),
    section(
      'Resident memory at the end of a load, MiB',
      perProcess(named, (run) => run.rssMiB, false),
    ),
    section('ClickHouse', clickhouseTable(named)),
    section('Errors', errorTable(named)),
  ].join('\n');
}

const nameOf = ({ known }: GameFigures): string => `${figure(known.known)} known`;
const BYTES_PER_MIB = 1024 ** 2;

function knownTable(figures: readonly GameFigures[]): string {
  return table(
    [
      '',
      'registered/s',
      'then settled in s',
      'local store, bytes per player known',
      'log, bytes per player registered',
      'ClickHouse, same',
    ],
    figures.map((one) => {
      const { known, registered, registeredPerSecond, settledSeconds, diskBefore, diskAfter } = one.known;
      return [
        nameOf(one),
        figure(registeredPerSecond),
        figure(settledSeconds),
        figure(diskAfter.players / known),
        figure((diskAfter.log - diskBefore.log) / registered),
        figure((diskAfter.clickhouse - diskBefore.clickhouse) / registered),
      ];
    }),
  );
}

function restartTable(figures: readonly GameFigures[]): string {
  return table(
    ['', 'away', 'of it, start', 'MiB resident'],
    figures.flatMap((one) =>
      one.restarts.map(({ kind, awaySeconds, startSeconds, rssMiB }): Row => [
        `${nameOf(one)}, ${kind === 'killed' ? 'kill -9' : 'SIGTERM'}`,
        figure(awaySeconds),
        figure(startSeconds),
        figure(rssMiB),
      ]),
    ),
  );
}

function memoryTable(figures: readonly GameFigures[]): string {
  return table(
    [
      '',
      'players held',
      'MiB resident',
      'of it, mapped files',
      'with none',
      'MiB in use',
      'with none',
      'bytes in use per player held',
    ],
    figures.map((one) => {
      const { atStart, withHot } = one.memory;
      return [
        nameOf(one),
        figure(withHot.hotPlayers),
        figure(withHot.rssMiB),
        figure(withHot.mappedMiB),
        figure(atStart.rssMiB),
        figure(withHot.usedBytes / BYTES_PER_MIB),
        figure(atStart.usedBytes / BYTES_PER_MIB),
        figure(bytesPerHotPlayer(atStart, withHot)),
      ];
    }),
  );
}

/** What each player who came into memory between two readings takes there; NaN when none did. */
export function bytesPerHotPlayer(before: HeldMemory, after: HeldMemory): number {
  const players = after.hotPlayers - before.hotPlayers;
  return players <= 0 ? Number.NaN : (after.usedBytes - before.usedBytes) / players;
}

function rateTitle({ known, players, syncsPerSecond, syncsPerLife }: GameOptions): string {
  const most = Math.min(players, known.at(-1) ?? players);
  return `Lives of ${syncsPerLife} syncs of 20 events, ${figure(most)} players at a time, ${figure(syncsPerSecond)} syncs/s due`;
}

function rateTable(figures: readonly GameFigures[]): string {
  const first = figures[0]?.most.syncsPerSecond ?? Number.NaN;
  return table(
    [
      '',
      'syncs/s',
      'requests/s',
      'players held',
      'CPUs lost to others',
      'as many as answered: syncs/s',
      'against the fewest known',
      'p99 ms',
    ],
    figures.map((one) => {
      const runs = one.rounds.map(({ service }) => service);
      return [
        nameOf(one),
        figure(median(runs.map((run) => run.syncsPerSecond))),
        figure(median(runs.map((run) => run.requestsPerSecond))),
        figure(median(runs.map((run) => run.hotPlayers ?? Number.NaN))),
        figure(median(runs.map((run) => run.othersCpus))),
        figure(one.most.syncsPerSecond),
        `× ${(one.most.syncsPerSecond / first).toFixed(2)}`,
        figure(latencyAt(one.most.endpoints.sync.latency, 0.99)),
      ];
    }),
  );
}

const KINDS: readonly LifeStepKind[] = ['init', 'sync', 'end'];

function latencyTable(figures: readonly GameFigures[]): string {
  const rows = KINDS.flatMap((kind) =>
    figures.flatMap((one) =>
      (['bare', 'service'] as const).map((target) => {
        const runs = one.rounds.map((round) => round[target].endpoints[kind]);
        const name = `${LIFE_PATHS[kind].split('/').at(-1) ?? ''}, ${nameOf(one)}: ${target}`;
        const answered = runs.reduce((sum, run) => sum + run.answered, 0);
        if (answered === 0) return [name, '–', '–', '–', '–', '0'];
        return [...latencyRow(name, medianLatency(runs.map(({ latency }) => latency))), figure(answered)];
      }),
    ),
  );
  const late = figures.map((one) =>
    latencyRow(
      `  sent late, ${nameOf(one)}: service`,
      medianLatency(one.rounds.map(({ service }) => service.lateness)),
    ),
  );
  return table(['', 'p50', 'p99', 'p99.9', 'max', 'answered'], [...rows, ...late]);
}
