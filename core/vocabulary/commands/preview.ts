import type { JsonText } from '../../kernel/text/json.ts';

/** Evaluate a condition, or changes of definitions, for some players of a partition, in the order of their ids. */
export interface PreviewSegment {
  kind: 'PreviewSegment';
  /** The condition, as JSON text. */
  conditions: JsonText;
  /** Ids of players who match, or not, in any case. */
  includes: readonly string[];
  excludes: readonly string[];
  /** Changes whose players are counted too. Absent: none. */
  changes?: readonly PreviewedChange[];
  /** The id after which to go on; empty: from the first. */
  after: string;
  /** How many matching players to name, at most. */
  examples: number;
}

/** A definition before and after a change, as JSON text; `null`: it is not there. */
export interface PreviewedChange {
  of: 'flag' | 'segment' | 'campaign';
  before: JsonText | null;
  after: JsonText | null;
}

/**
 * Players who were in one part of a definition and are in another one. The parts of a flag are its rules by their place
 * in the definition, from 0; segments and campaigns have the part 0.
 */
export interface Move {
  /** `NO_PART`: in none. */
  from: number;
  to: number;
  players: number;
}

export const NO_PART = -1;

/** How many of the evaluated players match. */
export interface PreviewedReply {
  kind: 'previewed';
  /** Players of the game and environment in the partition. */
  total: number;
  evaluated: number;
  matched: number;
  /** Evaluated players for whom the condition exceeded its steps. */
  overBudget: number;
  examples: PreviewedPlayer[];
  /** For each change who moved; `null`: one of its definitions does not compile. Absent: no changes were asked for. */
  moves?: (Move[] | null)[];
  /** The id after which the next query goes on; `null`: every player was evaluated. */
  next: string | null;
  /** Time that the query took of the owner, in milliseconds. Absent from an older owner. */
  tookMs?: number;
}

export interface PreviewedPlayer {
  playerId: string;
  externalId: string;
}
