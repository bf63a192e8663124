import { webPlatform } from './browser/web-platform.ts';
import { startGame } from './client.ts';
import type { Game, UntypedGame } from './schema/game-types.ts';
import type { GameOptions } from './options.ts';
import type { AnyGame, GameSchema } from './schema/schema.ts';

/* The entry for browsers and React Native. In Node `game-node.ts` takes its place. */

export type { FlagState, Intervention } from './flags/answers.ts';
export type { Game, ShutdownReport, UnsentEvent } from './schema/game-types.ts';
export type { Operations } from './generated/operations.ts';
export type { GameOptions } from './options.ts';
export type { Platform } from './platform.ts';
export type { DroppedEvent, Problem } from './wire/problems.ts';
export type { AnyGame, GameSchema } from './schema/schema.ts';
export type { KeyValueStorage } from './events/storage.ts';

/** Starts the client of one player. Returns at once; `ready` resolves when the flags are fresh. */
export function createGame<S extends GameSchema = AnyGame>(options: GameOptions): Game<S>;
// The schema is the game's own word for what it tracks and the service serves; nothing here could prove it.
export function createGame(options: GameOptions): UntypedGame {
  return startGame(options, { ...webPlatform(options.storage ?? options.platform?.storage), ...options.platform });
}
