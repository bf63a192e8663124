import { startGame } from './client.ts';
import type { Game, UntypedGame } from './schema/game-types.ts';
import { nodePlatform } from './node/node-platform.ts';
import type { GameOptions } from './options.ts';
import type { AnyGame, GameSchema } from './schema/schema.ts';

/* The entry for Node: the queue is kept in a folder. Its types are those of `game.ts`. */

/** Starts the client of one player. Returns at once; `ready` resolves when the flags are fresh. */
export function createGame<S extends GameSchema = AnyGame>(options: GameOptions): Game<S>;
// The schema is the game's own word for what it tracks and the service serves; nothing here could prove it.
export function createGame(options: GameOptions): UntypedGame {
  const { storage, folder, platform } = options;
  return startGame(options, { ...nodePlatform(storage ?? platform?.storage, folder), ...platform });
}
