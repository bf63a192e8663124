import type { Moved } from '../merge/merged.ts';
import type { FactBase } from '../facts/fact-base.ts';

/*
 * Players in the lists of static segments.
 *
 * A list is loaded in many commands and takes effect at one moment, with the segment's document. So every load has an
 * id, a player's state names the loads that have the player, and the document names the current load.
 */

/** Add players to a load of a segment's list, or remove them. All belong to one partition. */
export interface ListPlayers {
  kind: 'ListPlayers';
  segmentId: string;
  /** The load to change: the current one, or one that is still being loaded. */
  load: string;
  /** The current load, as the sender sees it. */
  active: string;
  change: 'add' | 'remove';
  playerIds: string[];
}

export interface ListedReply {
  kind: 'listed';
  /** How many of the command's players the load has now. */
  members: number;
  /** Players for whom that is new. */
  changed: number;
  /** Places in `playerIds` of those that are no players. */
  unknown: number[];
  /** Those of `unknown` that were merged into others. Absent: none. */
  moved?: { place: number; moved: Moved }[];
}

/** A player joined or left a load of a segment's list. */
export interface PlayerListed extends FactBase {
  kind: 'PlayerListed';
  segmentId: string;
  /** The loads of the segment that have the player now. */
  loads: readonly string[];
  /** Deleted segments whose loads the player's state drops. */
  dropped?: readonly string[];
}

/** The loads of one segment's list that have a player. */
export interface PlayerList {
  segmentId: string;
  loads: readonly string[];
}

/**
 * The id of a load: when it began, random digits, and when the load began that it replaces (`base`).
 *
 * A load begins later than its base, whatever the clocks say. So of two loads that took effect, the later one also
 * began later by its id.
 */
export function newLoadId(atMs: number, random: Uint8Array, base: string): string {
  const baseBegan = loadBegan(base);
  const began = Math.max(atMs, baseBegan + 1);
  return [began.toString(36), Buffer.from(random).toString('hex'), baseBegan.toString(36)].join('.');
}

/** When a load began, epoch milliseconds; 0: there is none. */
export function loadBegan(load: string): number {
  return Number.parseInt(load, 36) || 0;
}

/** When the load began that a load replaces, epoch milliseconds; 0: it replaces none. */
export function loadBaseBegan(load: string): number {
  return loadBegan(load.split('.')[2] ?? '');
}
