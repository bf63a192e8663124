import { scopeKey } from '../record/scope-key.ts';
import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';
import { createAppendWindow } from './append-window.ts';
import type { DeliveryBatch } from './delivery-batches.ts';
import { createGameTasks, type GameTasks, type MatchTask } from './game-tasks.ts';
import { MATCHING_LIMITS } from './limits.ts';

export interface Next {
  task: MatchTask;
  deliveries: DeliveryBatch;
  /** Set once the webhook's quota has accepted the deliveries. */
  bytes: Uint8Array | undefined;
}

export interface Game {
  tasks: GameTasks;
  next: Next | undefined;
  appends: number;
  appendBytes: number;
  /** Bytes that it may still store in this turn. */
  deficit: number;
  isCounting: boolean;
}

/** The games with tasks that are not done. */
export interface TurnGames {
  of(scope: Scope): Game;
  /** By scope key. */
  get(game: string): Game | undefined;
  /** The game with the most bytes of tasks, except the games for which `except` is true. */
  largest(except: (game: string) => boolean): string | undefined;
}

export function createTurnGames(): TurnGames {
  const games = new Map<string, Game>();
  return {
    of(scope) {
      const key = scopeKey(scope);
      const known = games.get(key);
      if (known !== undefined) return known;
      const tasks = createGameTasks(scope, () => games.delete(key));
      const game: Game = { tasks, next: undefined, appends: 0, appendBytes: 0, deficit: 0, isCounting: false };
      games.set(key, game);
      return game;
    },
    get: (game) => games.get(game),
    largest(except) {
      let largest: GameTasks | undefined;
      for (const { tasks } of games.values()) {
        if (!except(tasks.game) && tasks.sizeBytes > (largest?.sizeBytes ?? 0)) largest = tasks;
      }
      return largest?.game;
    },
  };
}

/** Bounds the appends in progress: by number (append-window.ts) and bytes, half of each for one game. */
export interface AppendBudget {
  hasRoom(): boolean;
  hasRoomFor(game: Game): boolean;
  started(game: Game, sizeBytes: number): void;
  /** @param tookMs how long the broker took */
  completed(tookMs: number): void;
  ended(game: Game, sizeBytes: number): void;
}

export function createAppendBudget(): AppendBudget {
  const window = createAppendWindow();
  let appends = 0;
  let appendBytes = 0;

  function countAppend(game: Game, number: 1 | -1, sizeBytes: number): void {
    appends += number;
    appendBytes += sizeBytes;
    game.appends += number;
    game.appendBytes += sizeBytes;
  }

  return {
    hasRoom: () => appends < window.size && appendBytes < MATCHING_LIMITS.matcherAppendBytes,
    hasRoomFor: (game) => game.appends < window.size / 2 && game.appendBytes < MATCHING_LIMITS.matcherAppendBytes / 2,
    started: (game, sizeBytes) => countAppend(game, 1, sizeBytes),
    completed: (tookMs) => window.completed(tookMs),
    ended: (game, sizeBytes) => countAppend(game, -1, -sizeBytes),
  };
}
