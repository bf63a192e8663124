import type { Bench } from '../bench.ts';
import { settlingSeconds } from '../run.ts';
import type { LocalServiceOptions } from '../service/service.ts';
import type { Stage, Target } from '../stage.ts';
import { createGameStage, prepareGame } from './game-stage.ts';
import { registerKnown } from './known-players.ts';
import { measureLives, type LivesRun } from './lives-run.ts';

/** No life ends while the load runs: it consists of syncs alone. */
const SYNCS_PER_LIFE = 1_000_000;
const TURN_SECONDS = 5;

/** A load of syncs at a fixed rate. */
export interface Syncs {
  stage: Stage;
  measure: (target: Target, syncsPerSecond: number, seconds: number) => Promise<LivesRun>;
}

/** Starts the service with what a game defines, and registers players. */
export async function prepareSyncs(
  bench: Bench,
  options: LocalServiceOptions & { players: number; openConnections: number },
  observed: (stage: Stage) => Stage = (stage) => stage,
): Promise<Syncs> {
  const { players, openConnections } = options;
  const setup = await prepareGame(bench, options);
  await registerKnown(bench, setup.service, setup.idsFile, 0, players);
  const stage = observed(await createGameStage(bench, setup));
  return {
    stage,
    measure: (target, syncsPerSecond, seconds) =>
      measureLives(stage, bench.signal, target, {
        key: setup.service.clientKey,
        idsFile: setup.idsFile,
        known: players,
        players,
        earlierLives: 0,
        syncsPerLife: SYNCS_PER_LIFE,
        syncsPerSecond,
        connections: openConnections,
        settlingSeconds: settlingSeconds(seconds),
        turnSeconds: TURN_SECONDS,
        seconds,
      }),
  };
}
