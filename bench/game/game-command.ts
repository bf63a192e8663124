import { Command, InvalidArgumentError } from 'commander';
import type { Bench } from '../bench.ts';
import { count, duration } from '../cli-options.ts';
import { gameTables } from '../report/game-tables.ts';
import { describeMachine, machineLine } from '../report/machine.ts';
import { saveResults } from '../report/save-results.ts';
import { measureGame, type GameFigures } from './game.ts';
import type { GameOptions } from './game-options.ts';

/** The options as the command line gives them. */
interface Flags {
  known: number[];
  players: number;
  rate: number;
  syncs: number;
  seconds: number;
  rounds: number;
  most: number;
  hot: number;
  connections: number;
  folder?: string;
  output: string;
}

/** `bench -- game`: players' lives, with more and more known players. */
export function gameCommand(withBench: (work: (bench: Bench) => Promise<void>) => Promise<void>): Command {
  return new Command('game')
    .description(
      "Measure players' lives (init, syncs of 20 events, end-session, then another player's life) in an open loop, " +
        'interleaved with a bare uWebSockets.js server that parses the same bodies and answers as much; what players take in ' +
        'memory and on disk; and restarts: all of it with more and more known players.',
    )
    .option('--known <n,…>', 'numbers of known players to measure at, ascending', counts, [10_000, 100_000, 1_000_000])
    .option('--players <n>', 'players who play at the same time', count, 10_000)
    .option('--rate <n>', 'syncs/s of the open loop', count, 1_000)
    .option('--syncs <n>', 'syncs in one life', count, 5)
    .option('--seconds <time>', 'length of one open loop', duration, 30)
    .option('--rounds <n>', 'open loops at each number of known players; medians are told', count, 3)
    .option('--most <time>', 'length of the closed loop', duration, 10)
    .option('--hot <n>', 'players in memory when memory is read', count, 100_000)
    .option('--connections <n>', 'connections of the open loop', count, 512)
    .option('--folder <path>', "where the service's folder is made (default: system temp)")
    .option('--output <folder>', 'where results go', 'bench/results')
    .action((flags: Flags) => withBench((bench) => measureAndTell(bench, flags)));
}

async function measureAndTell(bench: Bench, flags: Flags): Promise<void> {
  const startedAt = new Date();
  const machine = describeMachine(flags.folder);
  const options: GameOptions = {
    known: flags.known,
    players: flags.players,
    syncsPerSecond: flags.rate,
    syncsPerLife: flags.syncs,
    seconds: flags.seconds,
    rounds: flags.rounds,
    mostSeconds: flags.most,
    hot: flags.hot,
    connections: flags.connections,
    folder: flags.folder,
  };
  const figures: GameFigures[] = [];
  try {
    await measureGame(bench, options, (one) => figures.push(one));
  } finally {
    // What took many minutes to measure is told even if what came after it failed.
    if (figures.length > 0) tell();
  }

  function tell(): void {
    bench.report(['', machineLine(machine), gameTables(figures, options)].join('\n'));
    const results = { machine, settings: options, figures };
    const saved = saveResults({ folder: flags.output, name: 'game', startedAt, results, pictures: {} });
    bench.report(saved.map((path) => `written: ${path}`).join('\n'));
  }
}

/** Reads an option that is several ascending whole numbers with commas between. */
function counts(text: string): number[] {
  const values = text.split(',').map(count);
  const isAscending = values.every((value, index) => index === 0 || value > (values[index - 1] ?? 0));
  if (!isAscending) throw new InvalidArgumentError('Give ascending numbers with commas between.');
  return values;
}
