import type { FieldFault } from '../src/kernel/errors.ts';
import type { JsonObject } from '../src/kernel/json.ts';
import type { CampaignDocument, FlagDocument } from './vocabulary/documents.ts';
import type { FlagEvaluation } from './vocabulary/replies.ts';
import type { PlayerState } from './vocabulary/state.ts';

/** Who and when a condition is asked about. */
export interface Subject {
  player: PlayerState;
  /** Epoch milliseconds. */
  nowMs: number;
  /** The request's context; rules of flags see it over the player's own fields, segments never get one. */
  context?: JsonObject;
  /** The properties of the event that a campaign's trigger is asked about. */
  properties?: JsonObject;
}

/** A compiled condition. */
export interface Condition {
  matches(subject: Subject): boolean;
  /**
   * When the answer may change with time alone, at the earliest: epoch milliseconds after `nowMs`, or `undefined` for never.
   */
  changesAt(player: PlayerState, nowMs: number): number | undefined;
}

/**
 * Paths are JSON pointers below the condition. `excess`: it is evaluated within its budget of steps, but too expensive for a new
 * definition.
 */
export type CompiledCondition =
  | { kind: 'compiled'; condition: Condition; excess: FieldFault | undefined }
  | { kind: 'invalid'; faults: FieldFault[] };

export interface Segment {
  id: string;
  key: string;
  condition: Condition;
}

/** A flag that compiled. */
export interface Flag {
  key: string;
  document: FlagDocument;
  /**
   * @param served what prerequisites served this subject before; flags hand it on to each other, and a caller that
   * evaluates several for one subject may give them one map.
   */
  evaluate(subject: Subject, targeting: Targeting, served?: Served): FlagEvaluation;
}

/** By flag key; `open`: a flag that waits for its prerequisites, so that asking it again is a cycle. */
export type Served = Map<string, FlagEvaluation | 'open'>;

/** A campaign that compiled. */
export interface Campaign {
  id: string;
  document: CampaignDocument;
  priority: string;
  /** How often a player gets it at most, ever and a UTC day; `null`: any number. */
  caps: { total: number | null; perDay: number | null };
  /** Whether the conditions of its trigger hold. */
  accepts(subject: Subject): boolean;
  /** Whether it is in its quiet hours for the player. */
  isQuiet(player: PlayerState, nowMs: number): boolean;
  /** Whether the player is among those who get nothing, for comparison. */
  isHeldOut(playerId: string): boolean;
}

/** Everything compiled for one game and environment. */
export interface Targeting {
  /** In order of their ids. */
  segments: readonly Segment[];
  segment(id: string): Segment | undefined;
  /** Not archived; disabled where they do not compile. */
  flags: ReadonlyMap<string, Flag>;
  /** Names of events whose counters a definition reads: they are never forgotten for others. Absent: none. */
  countedEvents?: ReadonlySet<string>;
}
