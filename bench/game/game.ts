import type { Bench } from '../bench.ts';
import { startBareTarget } from '../service/bare-target.ts';
import { createStage, type Stage } from '../service/stage.ts';
import { callForPlayers } from './bulk.ts';
import type { GameOptions } from './game-options.ts';
import { readHeldMemory, type HeldMemory } from './held-memory.ts';
import { makeKnown, type KnownPlayers } from './known-players.ts';
import { LIFE_EVENTS, LIFE_PATHS } from './life-requests.ts';
import { livesPhases, type LivesPhases, type LivesRound } from './lives-phases.ts';
import type { LivesRun } from './measure-lives.ts';
import { measureRestart, type Restart } from './measure-restart.ts';
import { readPlayerIds } from './player-ids.ts';
import { prepareGame, type GameSetup } from './prepare-game.ts';
import { probeLife } from './probe-life.ts';

/** Everything that was measured with so many known players. */
export interface GameFigures {
  known: KnownPlayers;
  restarts: Restart[];
  memory: {
    /** In a process that has just started, and in another with players in memory. */
    atStart: HeldMemory;
    withHot: HeldMemory;
  };
  rounds: LivesRound[];
  /** As many as are answered. */
  most: LivesRun;
}

const HOT_CONNECTIONS = 64;

/**
 * Measures players' lives with more and more known players. What it starts is ended by `bench.cleanup`.
 * @param onFigures told the figures of each number of known players as they come
 */
export async function measureGame(
  bench: Bench,
  options: GameOptions,
  onFigures: (figures: GameFigures) => void,
): Promise<void> {
  const setup = await prepareGame(bench, options);
  let phases: LivesPhases | undefined;
  let registered = 0;
  for (const count of options.known) {
    const known = await makeKnown(bench, setup, registered, count);
    registered = count;
    phases ??= livesPhases(bench, await prepareStage(bench, setup), setup, options);

    const { restarts, memory } = await measureRestarts(bench, setup, Math.min(options.hot, count));
    await phases.warmUp(count);
    const rounds = await phases.rounds(count);
    const most = await phases.most(count);
    onFigures({ known, restarts, memory, rounds, most });
  }
}

/** The service beside a bare server whose answers are as large. */
async function prepareStage({ cleanup, report }: Bench, { service, idsFile }: GameSetup): Promise<Stage> {
  const answers = await probeLife(service, readPlayerIds(idsFile).at(0));
  const { init, sync, end } = answers;
  report(`answers of ${init.length} (init), ${sync.length} (sync) and ${end.length} (end-session) characters`);
  // The generator reads the session in an init's answer: the bare server answers the very same text.
  const sizes = { [LIFE_PATHS.init]: init, [LIFE_PATHS.sync]: sync.length, [LIFE_PATHS.end]: end.length };
  const bare = await startBareTarget({ answers: sizes });
  cleanup.add(() => bare.stop());
  const stage = createStage(service, bare, {});
  stage.ledger.acknowledged = LIFE_EVENTS.sync + LIFE_EVENTS.end;
  return stage;
}

/**
 * Restarts the service again and again: one process tells what it takes with no player in memory, the next with many, and
 * the last one, which nothing was measured in, is left for what follows.
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
  await callForPlayers(spec, signal, () => {});
  const withHot = await readHeldMemory(service, inspectorPort, signal);
  report(`  ${withHot.hotPlayers} players in memory: ${Math.round(withHot.rssMiB)} MiB resident`);

  restarts.push(await measureRestart(service, 'killed', signal));
  const away = restarts.map(({ kind, awaySeconds }) => `${awaySeconds.toFixed(2)} s after it was ${kind}`);
  report(`  ready ${away.join(', ')}`);
  return { restarts, memory: { atStart, withHot } };
}
