import type { JsonText } from '../../kernel/text/json.ts';

/** Evaluate a condition for some players of a partition, in the order of their ids. */
export interface PreviewSegment {
  kind: 'PreviewSegment';
  /** The condition, as JSON text. */
  conditions: JsonText;
  /** Ids of players who match, or not, in any case. */
  includes: readonly string[];
  excludes: readonly string[];
  /** The id after which to go on; empty: from the first. */
  after: string;
  /** How many matching players to name, at most. */
  examples: number;
}

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
  /** The id after which the next query goes on; `null`: every player was evaluated. */
  next: string | null;
  /** Time that the query took of the owner, in milliseconds. Absent from an older owner. */
  tookMs?: number;
}

export interface PreviewedPlayer {
  playerId: string;
  externalId: string;
}
