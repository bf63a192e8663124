import { OWNER_LIMITS } from '../limits.ts';
import type { PlayerCounts } from '../store/player-counts.ts';
import type { SweptTenant } from './swept.ts';
import type { TenantProgress } from './tenant-progress.ts';

/**
 * Decides which tenants' players a sweep evaluates, and counts the progress of each tenant.
 *
 * A sweep goes through all players in passes. A tenant that takes more steps than its share while others wait is
 * deferred to the next pass, whose share is four times as large. So a tenant with expensive segments delays another by
 * at most its share.
 */
export interface SweepTurns {
  /** Begins a sweep. */
  begin(players: PlayerCounts): void;
  /** Updates the numbers of players. */
  recount(players: PlayerCounts): void;
  /** Whether to evaluate the player in this pass. */
  wants(tenant: string, entityId: string): boolean;
  took(swept: ReadonlyMap<string, SweptTenant>): void;
  /**
   * Ends a pass. Returns the id after which the next one begins (`''`: the first); `undefined`: all tenants are done.
   */
  endPass(): string | undefined;
  /** Whether the first pass is over: tenants without an entry have no players. */
  readonly firstPassDone: boolean;
  /** Evaluated and total players by tenant, and whether all are evaluated. */
  progress(): Record<string, TenantProgress>;
}

interface Turn {
  evaluated: number;
  total: number;
  /** Steps taken in this pass. */
  steps: number;
  /** The last player that was evaluated. */
  last: string;
  state: 'sweeping' | 'deferred' | 'done';
}

export function createSweepTurns(): SweepTurns {
  /** May lack tenants at first: a store may still be counting its players. */
  const turns = new Map<string, Turn>();
  let share: number = OWNER_LIMITS.sweepShareSteps;
  let firstPassDone = false;

  const isAlone = (): boolean => {
    let sweeping = 0;
    for (const { state } of turns.values()) if (state === 'sweeping') sweeping += 1;
    return sweeping <= 1;
  };

  return {
    begin(players) {
      turns.clear();
      share = OWNER_LIMITS.sweepShareSteps;
      firstPassDone = false;
      for (const [tenant, total] of players) {
        turns.set(tenant, { evaluated: 0, total, steps: 0, last: '', state: 'sweeping' });
      }
    },
    recount(players) {
      for (const [tenant, total] of players) {
        const turn = turns.get(tenant);
        if (turn === undefined) turns.set(tenant, { evaluated: 0, total, steps: 0, last: '', state: 'sweeping' });
        else turn.total = total;
      }
    },
    wants(tenant, entityId) {
      const turn = turns.get(tenant);
      if (turn === undefined) return !firstPassDone;
      return turn.state === 'sweeping' && entityId > turn.last;
    },
    took(swept) {
      for (const [tenant, { players, steps, last }] of swept) {
        const turn: Turn = turns.get(tenant) ?? { evaluated: 0, total: 0, steps: 0, last: '', state: 'sweeping' };
        turns.set(tenant, turn);
        turn.evaluated += players;
        turn.total = Math.max(turn.total, turn.evaluated);
        turn.steps += steps;
        turn.last = last;
        if (turn.steps > share && !isAlone()) turn.state = 'deferred';
      }
    },
    endPass() {
      firstPassDone = true;
      share *= 4;
      let from: string | undefined;
      for (const turn of turns.values()) {
        if (turn.state === 'sweeping') {
          turn.state = 'done';
          turn.total = turn.evaluated;
        }
        if (turn.state !== 'deferred') continue;
        turn.state = 'sweeping';
        turn.steps = 0;
        if (from === undefined || turn.last < from) from = turn.last;
      }
      return from;
    },
    get firstPassDone() {
      return firstPassDone;
    },
    progress: () =>
      Object.fromEntries(
        [...turns].map(([tenant, { evaluated, total, state }]) => [tenant, [evaluated, total, state === 'done']]),
      ),
  };
}
