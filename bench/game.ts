import type { Bench } from './lib/bench.ts';
import { bulk } from './lib/load/bulk.ts';
import { count, counts, defineCase, duration } from './lib/case.ts';
import { createGameStage, prepareGame, type GameSetup } from './lib/lives/game-stage.ts';
import { registerKnown, type KnownPlayers } from './lib/lives/known-players.ts';
import { LIFE_STEP_KINDS } from './lib/lives/life-plan.ts';
import { LIFE_PATHS } from './lib/lives/life-requests.ts';
import { measureLives, type LivesRun } from './lib/lives/lives-run.ts';
import type { LivesSpec } from './lib/lives/lives.ts';
import {
  bytesPerHotPlayer,
  measureRestart,
  readHeldMemory,
  type HeldMemory,
  type Restart,
} from './lib/lives/restarts.ts';
import { pairedRounds, settlingSeconds, type Pair } from './lib/run.ts';
import {
  bothTargets,
  endSections,
  latencyRows,
  medianOf,
  perProcess,
  type NamedRuns,
} from './lib/report/run-tables.ts';
import type { Stage, Target } from './lib/stage.ts';
import { latencyAt, sum } from './lib/figures/statistics.ts';
import { figure, section, table, tableOf, type Row } from './lib/report/table.ts';

/** Everything that was measured with so many known players. */
interface GameFigures {
  known: KnownPlayers;
  restarts: Restart[];
  /** In a process that has just started, and in another with players in memory. */
  memory: { atStart: HeldMemory; withHot: HeldMemory };
  rounds: Pair<LivesRun>[];
  /** The closed loop: as fast as the service answers. */
  most: LivesRun;
}

interface GameSettings {
  /** Players who play at the same time; all known ones where those are fewer. */
  players: number;
  syncsPerSecond: number;
  syncsPerLife: number;
  seconds: number;
  connections: number;
}

const WARM_UP_SECONDS = 10;
const BARE_SECONDS = 10;
const HOT_CONNECTIONS = 64;

export const game = defineCase({
  name: 'game',
  description:
    "Measure players' lives (init, syncs of 20 events, end-session, then another player's life) in an open loop, " +
    'interleaved with a bare uWebSockets.js server that parses the same bodies and answers as much; memory and disk per ' +
    'player; and restarts: all of it with more and more known players.',
  options: {
    known: counts('--known <n,…>', 'numbers of known players to measure at, ascending', [10_000, 100_000, 1_000_000]),
    players: count('--players <n>', 'players who play at the same time', 10_000),
    syncsPerSecond: count('--rate <n>', 'syncs/s of the open loop', 1_000),
    syncsPerLife: count('--syncs <n>', 'syncs in one life', 5),
    seconds: duration('--seconds <time>', 'length of one open loop', 30),
    rounds: count('--rounds <n>', 'open loops at each number of known players; the report shows medians', 3),
    mostSeconds: duration('--most <time>', 'length of the closed loop', 10),
    hot: count('--hot <n>', 'players in memory when memory is read', 100_000),
    connections: count('--connections <n>', 'connections of the open loop', 512),
  },
  async run(bench, settings, save) {
    const { signal, report } = bench;
    const figures: GameFigures[] = [];
    try {
      const setup = await prepareGame(bench, settings);
      let stage: Stage | undefined;
      let registered = 0;
      let earlierLives = 0;
      for (const number of settings.known) {
        const known = await registerKnown(bench, setup.service, setup.idsFile, registered, number);
        registered = number;
        const current = (stage ??= await createGameStage(bench, setup));
        const { restarts, memory } = await measureRestarts(bench, setup, Math.min(settings.hot, number));

        const live = async (target: Target, seconds: number, changed: Partial<LivesSpec> = {}): Promise<LivesRun> => {
          const spec = { ...livesSpec(settings, setup, target, number, seconds), earlierLives, ...changed };
          const run = await measureLives(current, signal, target, spec);
          // The next run goes on with players who have not played lately.
          if (target === 'service') earlierLives += run.lives;
          return run;
        };
        report('  warming up');
        await live('service', WARM_UP_SECONDS);
        const measure = {
          bare: () => live('bare', Math.min(BARE_SECONDS, settings.seconds)),
          service: () => live('service', settings.seconds),
        };
        const line = ({ bare, service }: Pair<LivesRun>) => `${roundLine(service)}; bare ${roundLine(bare)}`;
        const rounds = await pairedRounds(bench, `  ${number} known`, settings.rounds, measure, line);
        const most = await live('service', settings.mostSeconds, { syncsPerSecond: undefined });
        report(`  closed loop: ${Math.round(most.syncsPerSecond)} syncs/s`);
        figures.push({ known, restarts, memory, rounds, most });
      }
    } finally {
      // Figures that took many minutes are saved even if a later step failed.
      if (figures.length > 0) save({ results: { figures }, tables: gameTables(figures, settings) });
    }
  },
});

const BARE_TURN_SECONDS = 3;
/** How long it takes to open every player's session, and to end them. */
const TURN_SECONDS = 10;
/** The service closes a connection that was idle for 10 s: each is to be used more often than that. */
const IDLE_SECONDS = 4;

function livesSpec(settings: GameSettings, setup: GameSetup, target: Target, known: number, seconds: number) {
  const players = Math.min(settings.players, known);
  const slowest = Math.min(players / TURN_SECONDS, settings.syncsPerSecond);
  return {
    key: setup.service.clientKey,
    idsFile: setup.idsFile,
    known,
    players,
    syncsPerLife: settings.syncsPerLife,
    syncsPerSecond: settings.syncsPerSecond,
    connections: Math.min(settings.connections, Math.ceil(slowest * IDLE_SECONDS)),
    settlingSeconds: settlingSeconds(seconds),
    turnSeconds: target === 'bare' ? BARE_TURN_SECONDS : TURN_SECONDS,
    seconds,
  };
}

function roundLine({ syncsPerSecond, endpoints }: LivesRun): string {
  const [p50, p99] = [0.5, 0.99].map((share) => latencyAt(endpoints.sync.latency, share).toFixed(2));
  return `${Math.round(syncsPerSecond)} syncs/s, p50 ${p50} ms, p99 ${p99} ms`;
}

/**
 * Restarts the service three times: memory is read in the first process with no player, in the second with many, and
 * the third, fresh one is left for the load.
 */
async function measureRestarts(
  { signal, report }: Bench,
  { service, inspectorPort, idsFile }: GameSetup,
  hot: number,
): Promise<Pick<GameFigures, 'restarts' | 'memory'>> {
  const restarts = [await measureRestart(service, 'killed', signal)];
  const atStart = await readHeldMemory(service, inspectorPort, signal);

  restarts.push(await measureRestart(service, 'stopped', signal));
  const { baseUrl, key } = service;
  const spec = { task: 'read', baseUrl, key, idsFile, from: 0, to: hot, connections: HOT_CONNECTIONS } as const;
  await bulk.use(signal, spec, (process) => process.ask('run'));
  const withHot = await readHeldMemory(service, inspectorPort, signal);
  report(`  ${withHot.hotPlayers} players in memory: ${Math.round(withHot.rssMiB)} MiB resident`);

  restarts.push(await measureRestart(service, 'killed', signal));
  const away = restarts.map(({ kind, awaySeconds }) => `${awaySeconds.toFixed(2)} s after it was ${kind}`);
  report(`  ready ${away.join(', ')}`);
  return { restarts, memory: { atStart, withHot } };
}

const nameOf = ({ known }: GameFigures): string => `${figure(known.known)} known`;
const BYTES_PER_MIB = 1024 ** 2;

function gameTables(figures: readonly GameFigures[], settings: GameSettings): string {
  const named: NamedRuns<LivesRun> = figures.flatMap((one) => [
    [nameOf(one), one.rounds.map(({ service }) => service)],
    [`${nameOf(one)}, closed loop`, [one.most]],
  ]);
  const atOnce = Math.min(settings.players, figures.at(-1)?.known.known ?? settings.players);
  return [
    section(
      'Known players: registration, and what they take on disk',
      tableOf(figures, {
        '': nameOf,
        'registered/s': ({ known }) => known.registeredPerSecond,
        'then settled in s': ({ known }) => known.settledSeconds,
        'local store, bytes per player known': ({ known }) => known.diskAfter.players / known.known,
        'log, bytes per player registered': ({ known }) =>
          (known.diskAfter.log - known.diskBefore.log) / known.registered,
        'ClickHouse, same': ({ known }) =>
          (known.diskAfter.clickhouse - known.diskBefore.clickhouse) / known.registered,
      }),
    ),
    section(
      'Restart, seconds until /readyz is 200 again; memory at that moment',
      tableOf(
        figures.flatMap((one) => one.restarts.map((restart) => ({ name: nameOf(one), ...restart }))),
        {
          '': ({ name, kind }) => `${name}, ${kind === 'killed' ? 'kill -9' : 'SIGTERM'}`,
          away: ({ awaySeconds }) => awaySeconds,
          'of it, start': ({ startSeconds }) => startSeconds,
          'MiB resident': ({ rssMiB }) => rssMiB,
        },
      ),
    ),
    section(
      'Players in memory (in use: main thread, after a collection)',
      tableOf(figures, {
        '': nameOf,
        'players held': ({ memory }) => memory.withHot.hotPlayers,
        'MiB resident': ({ memory }) => memory.withHot.rssMiB,
        'of it, mapped files': ({ memory }) => memory.withHot.mappedMiB,
        'resident with none': ({ memory }) => memory.atStart.rssMiB,
        'MiB in use': ({ memory }) => memory.withHot.usedBytes / BYTES_PER_MIB,
        'in use with none': ({ memory }) => memory.atStart.usedBytes / BYTES_PER_MIB,
        'bytes in use per player held': ({ memory }) => bytesPerHotPlayer(memory.atStart, memory.withHot),
      }),
    ),
    section(
      `Lives of ${settings.syncsPerLife} syncs of 20 events, ${figure(atOnce)} players at a time, ` +
        `${figure(settings.syncsPerSecond)} syncs/s due`,
      rateTable(figures),
    ),
    section(
      'Latency in the open loop, ms (from the moment a request was due, after 3 s to settle; medians of the rounds)',
      table(['', 'p50', 'p99', 'p99.9', 'max', 'answered'], latencyTableRows(figures)),
    ),
    section(
      'CPU seconds per 1,000 requests',
      perProcess(named, (run) => run.cpuSecondsPerThousandRequests, true),
    ),
    section(
      'Resident memory at the end of a load, MiB',
      perProcess(named, (run) => run.rssMiB),
    ),
    section(
      'Of it, mapped pages of files: the system takes them back when memory is short',
      perProcess(named, (run) => run.mappedMiB),
    ),
    ...endSections(named),
  ].join('\n');
}

function rateTable(figures: readonly GameFigures[]): string {
  const first = figures[0]?.most.syncsPerSecond ?? Number.NaN;
  const median = (pick: (run: LivesRun) => number) => (one: GameFigures) =>
    medianOf(one.rounds, ({ service }) => pick(service));
  return tableOf(figures, {
    '': nameOf,
    'syncs/s': median((run) => run.syncsPerSecond),
    'requests/s': median((run) => run.requestsPerSecond),
    'players held': median((run) => run.hotPlayers ?? Number.NaN),
    'CPUs of others': median((run) => run.othersCpus),
    'closed loop: syncs/s': ({ most }) => most.syncsPerSecond,
    'against the fewest known': ({ most }) => `× ${(most.syncsPerSecond / first).toFixed(2)}`,
    'p99 ms': ({ most }) => latencyAt(most.endpoints.sync.latency, 0.99),
  });
}

function latencyTableRows(figures: readonly GameFigures[]): Row[] {
  const endpoints = LIFE_STEP_KINDS.flatMap((kind) =>
    figures.flatMap((one) => {
      const rounds = one.rounds.map(({ bare, service }) => ({
        bare: bare.endpoints[kind],
        service: service.endpoints[kind],
      }));
      const name = `${LIFE_PATHS[kind].split('/').at(-1) ?? ''}, ${nameOf(one)}`;
      return bothTargets(name, rounds).flatMap(([of, runs]) => {
        const answered = sum(runs.map((run) => run.answered));
        return answered === 0
          ? [[of, '–', '–', '–', '–', '0']]
          : latencyRows([[of, runs]]).map((row) => [...row, answered]);
      });
    }),
  );
  const late = figures.map(
    (one) =>
      [
        `  sent late, ${nameOf(one)}: service`,
        one.rounds.map(({ service }) => ({ latency: service.lateness })),
      ] as const,
  );
  return [...endpoints, ...latencyRows(late)];
}
