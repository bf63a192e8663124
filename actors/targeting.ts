import type { FieldFault } from '../src/kernel/errors.ts';
import type { JsonObject } from '../src/kernel/json.ts';
import type { FlagDocument } from '../streams/config/documents.ts';
import type { Environment } from './commands.ts';
import type { LifecycleThresholds } from './player/thresholds.ts';
import type { FlagEvaluation } from './replies.ts';
import type { SegmentSet } from './segments/segment-set.ts';
import type { PlayerState } from './state.ts';

/** Who and when a condition is asked about. */
export interface Subject {
  player: PlayerState;
  /** Epoch milliseconds. */
  nowMs: number;
  /** The request's context; rules of flags see it over the player's own fields, segments never get one. */
  context?: JsonObject;
}

/** A compiled condition. */
export interface Condition {
  matches(subject: Subject): boolean;
  /**
   * When the answer may change with time alone, at the earliest: epoch milliseconds after `nowMs`, or `undefined` for never.
   */
  changesAt(player: PlayerState, nowMs: number): number | undefined;
}

/** `invalid`: paths are JSON pointers below the condition. */
export type CompiledCondition = { kind: 'compiled'; condition: Condition } | { kind: 'invalid'; faults: FieldFault[] };

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

/** Everything compiled for one game and environment. */
export interface Targeting {
  /** In order of their ids. */
  segments: readonly Segment[];
  segment(id: string): Segment | undefined;
  /** Not archived; disabled where they do not compile. */
  flags: ReadonlyMap<string, Flag>;
}

/** The definitions of one config revision. */
export interface Definitions {
  readonly revision: number;
  of(game: string, environment: Environment): Targeting;
  segments(game: string, environment: Environment): SegmentSet;
  settings(game: string): GameSettings;
}

/** What a game sets for itself, defaults filled in. */
export interface GameSettings {
  lifecycle: LifecycleThresholds;
}
