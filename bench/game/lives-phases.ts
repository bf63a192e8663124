import type { Bench } from '../bench.ts';
import { latencyAt } from '../measure/latency.ts';
import type { Stage, Target } from '../service/stage.ts';
import type { GameOptions } from './game-options.ts';
import type { LivesSpec } from './lives-main.ts';
import { measureLives, type LivesRun } from './measure-lives.ts';
import type { GameSetup } from './prepare-game.ts';

/** The same lives on both, one right after the other: what slows the machine for a while slows both. */
export interface LivesRound {
  bare: LivesRun;
  service: LivesRun;
}

/** What is measured of lives; each goes on with players who have not played lately. */
export interface LivesPhases {
  warmUp(known: number): Promise<void>;
  /** The open loop. */
  rounds(known: number): Promise<LivesRound[]>;
  /** The closed loop. */
  most(known: number): Promise<LivesRun>;
}

const WARM_UP_SECONDS = 10;
/** A short run on the bare server tells the generator's share. */
const BARE_SECONDS = 10;
const BARE_TURN_SECONDS = 3;
const SETTLING_SECONDS = 3;
/** How long it takes to open everybody's session, and to end them. */
const TURN_SECONDS = 10;
/** The service closes a connection that was idle for 10 s: each is to be used more often than that. */
const IDLE_SECONDS = 4;

export function livesPhases(
  { report, signal }: Bench,
  stage: Stage,
  { service, idsFile }: GameSetup,
  options: GameOptions,
): LivesPhases {
  let earlierLives = 0;

  async function measure(target: Target, known: number, changed: Partial<LivesSpec>): Promise<LivesRun> {
    const isBare = target === 'bare';
    const seconds = changed.seconds ?? (isBare ? Math.min(BARE_SECONDS, options.seconds) : options.seconds);
    const players = Math.min(options.players, known);
    const slowest = Math.min(players / TURN_SECONDS, options.syncsPerSecond);
    const run = await measureLives(stage, signal, target, {
      key: service.clientKey,
      idsFile,
      known,
      players,
      syncsPerLife: options.syncsPerLife,
      syncsPerSecond: options.syncsPerSecond,
      connections: Math.min(options.connections, Math.ceil(slowest * IDLE_SECONDS)),
      earlierLives,
      settlingSeconds: Math.min(SETTLING_SECONDS, seconds / 4),
      turnSeconds: isBare ? BARE_TURN_SECONDS : TURN_SECONDS,
      ...changed,
      seconds,
    });
    if (!isBare) earlierLives += run.lives;
    return run;
  }

  return {
    async warmUp(known) {
      report('  warming up');
      await measure('service', known, { seconds: WARM_UP_SECONDS });
    },
    async rounds(known) {
      const rounds: LivesRound[] = [];
      for (let round = 1; round <= options.rounds; round++) {
        const bare = await measure('bare', known, {});
        const ours = await measure('service', known, {});
        rounds.push({ bare, service: ours });
        report(`  round ${round} of ${options.rounds}: ${roundLine(ours)}; bare ${roundLine(bare)}`);
      }
      return rounds;
    },
    async most(known) {
      const most = await measure('service', known, {
        syncsPerSecond: undefined,
        seconds: options.mostSeconds,
      });
      report(`  as many as are answered: ${Math.round(most.syncsPerSecond)} syncs/s`);
      return most;
    },
  };
}

function roundLine({ syncsPerSecond, endpoints }: LivesRun): string {
  const [p50, p99] = [0.5, 0.99].map((share) => latencyAt(endpoints.sync.latency, share).toFixed(2));
  return `${Math.round(syncsPerSecond)} syncs/s, p50 ${p50} ms, p99 ${p99} ms`;
}
