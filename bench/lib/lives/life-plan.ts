/** The requests of a player's life. */
export const LIFE_STEP_KINDS = ['init', 'sync', 'end'] as const;
export type LifeStepKind = (typeof LIFE_STEP_KINDS)[number];

/** A step of one of the simulated players. */
export interface LifeStep {
  kind: LifeStepKind;
  /** Which of the players that play at the same time: 0 to `players` − 1. */
  slot: number;
  /** The number of the slot's life, from 0; the first is opened before the first tick. */
  life: number;
}

/** Lives of players that play side by side, in ticks: at each of them one player syncs. */
export interface LifePlan {
  /** Steps due at a tick, in order; they are of different players unless there is only one player. */
  at(tick: number): LifeStep[];
  /** Which of the known players (0 to `known` − 1) lives a life: never the same one in two slots. */
  playerOf(slot: number, life: number): number;
  /** Lives that are begun in so many ticks by the slot that begins most, its first included. */
  livesIn(ticks: number): number;
}

export interface LifePlanOptions {
  /** Players that play side by side. */
  players: number;
  /** Players there are to choose from; at least `players`. */
  known: number;
  syncsPerLife: number;
  /** Lives that every slot had before: each goes on with another player. */
  earlierLives: number;
}

/**
 * Every player syncs once in as many ticks as there are players. A quarter of that time after its last sync its session
 * ends, and after half of it another player takes its place. First lives are cut short by different amounts, so that
 * lives begin and end at the average rate from the first tick on.
 */
export function createLifePlan({ players, known, syncsPerLife, earlierLives }: LifePlanOptions): LifePlan {
  const endAfter = Math.floor(players / 4);
  const initAfter = Math.floor(players / 2);
  /** A slot takes its players in turn from those whose number leaves it as the remainder. */
  const playersPerSlot = Math.floor(known / players);

  const slotAt = (tick: number): number => tick % players;
  /** Syncs of the slot before this one, as if it had begun its first life on time. */
  const turnAt = (tick: number): number => Math.floor(tick / players) + (slotAt(tick) % syncsPerLife);
  const lifeAt = (tick: number): number => Math.floor(turnAt(tick) / syncsPerLife);
  const isLastSync = (tick: number): boolean => tick >= 0 && turnAt(tick) % syncsPerLife === syncsPerLife - 1;

  return {
    at(tick) {
      const steps: LifeStep[] = [{ kind: 'sync', slot: slotAt(tick), life: lifeAt(tick) }];
      const ended = tick - endAfter;
      if (isLastSync(ended)) steps.push({ kind: 'end', slot: slotAt(ended), life: lifeAt(ended) });
      const left = tick - initAfter;
      if (isLastSync(left)) steps.push({ kind: 'init', slot: slotAt(left), life: lifeAt(left) + 1 });
      return steps;
    },
    playerOf: (slot, life) => slot + ((earlierLives + life) % playersPerSlot) * players,
    livesIn: (ticks) => Math.ceil((Math.ceil(ticks / players) + syncsPerLife) / syncsPerLife) + 1,
  };
}
