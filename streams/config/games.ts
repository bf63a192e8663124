import type { Clock } from '../../core/kernel/clock.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { DEFAULT_ZONE } from '../../core/kernel/zoned-days.ts';
import type { DocumentAddress } from '../../core/vocabulary/documents/documents.ts';
import type { GameDocument, Holdout, HoldoutPeriod, Revenue } from '../../core/vocabulary/documents/game.ts';
import { CONFIG_LIMITS } from './limits.ts';

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

/** The time zone of the game that a document describes. */
export const zoneOf = (game: GameDocument | undefined): string => game?.timeZone ?? DEFAULT_ZONE;

/** The currency of its amounts; `undefined`: it has named none. */
export const currencyIn = (game: GameDocument | undefined): string | undefined => game?.currency || undefined;

/** Which of its purchases count. */
export const revenueOf = (game: GameDocument | undefined): Revenue => game?.revenue ?? 'all';

/** The properties of its events with columns of their own. */
export const extractedOf = (game: GameDocument | undefined): readonly string[] =>
  game?.extractedProperties ?? NO_PROPERTIES;
const NO_PROPERTIES: readonly string[] = [];

/** Its holdout; `undefined`: no player is in one. */
export const holdoutIn = (game: GameDocument | undefined): Holdout | undefined =>
  game?.holdout && game.holdout.percentage > 0 ? game.holdout : undefined;

/** Enough bytes that no two flags, experiments or games get the same salt. */
const SALT_BYTES = 12;

export const newSalt = (ids: Pick<Ids, 'bytes'>): string => Buffer.from(ids.bytes(SALT_BYTES)).toString('base64url');

export const versionOf = (game: GameDocument | undefined): number => game?.version ?? 1;

/** The next version of a game, with other settings. */
export function changedGame(game: GameDocument, changes: Partial<GameDocument>, nowMs: number): GameDocument {
  const next = { ...game, ...changes, version: versionOf(game) + 1 };
  const holdoutPeriods = holdoutPeriodsOf(game, next, nowMs);
  return { ...next, ...(holdoutPeriods.length === 0 ? {} : { holdoutPeriods }) };
}

/** A change of the percentage or the salt holds out other players: it ends a period, and begins one. */
function holdoutPeriodsOf(game: GameDocument, next: GameDocument, nowMs: number): readonly HoldoutPeriod[] {
  const { holdoutPeriods: held = [] } = game;
  const [before, after] = [holdoutIn(game), holdoutIn(next)];
  if (before?.percentage === after?.percentage && before?.salt === after?.salt) return held;
  const ended = held.map((one) => (one.until === null ? { ...one, until: nowMs } : one));
  if (after === undefined) return ended;
  const period = (held.at(-1)?.period ?? 0) + 1;
  const begun = { period, since: nowMs, until: null, percentage: after.percentage };
  return [...ended, begun].slice(-CONFIG_LIMITS.holdoutPeriods);
}

/** A new game with its own namespace for player ids. */
export function createGame(name: string, tenant: string, clock: Clock, ids: Ids): GameDocument {
  return { name, tenant, namespace: ids.uuidv4(), createdAt: clock.wallMs() };
}
