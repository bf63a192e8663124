import { Command } from 'commander';
import { beginReport } from '../begin-report.ts';
import type { Bench, WithBench } from '../bench.ts';
import { addPlaceOptions, count, counts, duration, type PlaceFlags } from '../cli-options.ts';
import { gameTables } from '../report/game-tables.ts';
import { measureGame, type GameFigures } from './game.ts';
import type { GameOptions } from './game-options.ts';

/** The options as the command line gives them. */
interface Flags extends PlaceFlags {
  known: number[];
  players: number;
  rate: number;
  syncs: number;
  seconds: number;
  rounds: number;
  most: number;
  hot: number;
  connections: number;
}

/** `bench -- game`: players' lives, with more and more known players. */
export function gameCommand(withBench: WithBench): Command {
  const command = new Command('game')
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
    .option('--connections <n>', 'connections of the open loop', count, 512);
  return addPlaceOptions(command).action((flags: Flags) => withBench((bench) => measureAndTell(bench, flags)));
}

async function measureAndTell(bench: Bench, flags: Flags): Promise<void> {
  const tell = beginReport(bench, flags);
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
    if (figures.length > 0) {
      tell({ name: 'game', settings: options, results: { figures }, tables: gameTables(figures, options) });
    }
  }
}
