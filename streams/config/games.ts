import type { Clock } from '../../core/kernel/clock.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import type { DocumentAddress, GameDocument } from '../../core/vocabulary/documents/documents.ts';

/** A game's id is part of subjects and keys of the log, of URLs and of rows in ClickHouse. */
const GAME_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Whether `text` can be a game's id: lower-case letters, digits and dashes, at most 63. */
export function isGameId(text: string): boolean {
  return GAME_ID.test(text);
}

/** The address of a game's document, which both environments share. */
export function gameAddress(game: string): DocumentAddress<'game'> {
  return { game, environment: '_', kind: 'game', key: 'settings' };
}

/** A new game with its own namespace for player ids. */
export function createGame(name: string, tenant: string, clock: Clock, ids: Ids): GameDocument {
  return { name, tenant, namespace: ids.uuidv4(), createdAt: clock.wallMs() };
}
