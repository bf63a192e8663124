import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import type { CampaignDocument, FlagDocument } from '../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument } from '../../core/vocabulary/documents/experiments.ts';
import type { Holdout } from '../../core/vocabulary/documents/game.ts';
import type { PropertySpec } from '../../core/vocabulary/documents/computed.ts';
import type { FlagEvaluation } from '../../core/vocabulary/commands/replies.ts';
import type { RenderedMessage } from '../../core/vocabulary/message.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';

/** A stretch of quiet hours, epoch milliseconds; `until` is exclusive. */
export interface QuietSpan {
  since: number;
  until: number;
}

/** The player and the time for which a condition is evaluated. */
export interface Subject {
  player: PlayerState;
  /** Epoch milliseconds. */
  nowMs: number;
  /**
   * The request's context. For rules of flags it takes precedence over the player's own fields; segments never get one.
   */
  context?: JsonObject;
  /** The properties of the event that triggers a campaign. */
  properties?: JsonObject | undefined;
  /** Decides memberships instead of the player's state: for evaluations outside of the service. */
  isMember?(segmentId: string): boolean;
  /** Gives named computed properties instead of the player's state, likewise; null: none. */
  computedValue?(key: string): Json;
}

/** A named computed property. */
export interface NamedProperty {
  /** Of its content (`propertyIdOf`). */
  id: string;
  spec: PropertySpec;
}

/** Finds the definitions that conditions name, at every evaluation: they change apart from the conditions. */
export interface DefinitionLookup {
  /** The named computed property with this key. */
  computed(key: string): NamedProperty | undefined;
  /** Whether a segment has this id and is enabled. */
  hasSegment(id: string): boolean;
}

/** A compiled condition. */
export interface Condition {
  matches(subject: Subject): boolean;
  /**
   * The earliest time at which the result may change with time alone: epoch milliseconds after `nowMs`, or `undefined`
   * for never.
   */
  changesAt(player: PlayerState, nowMs: number): number | undefined;
}

export interface Segment {
  id: string;
  key: string;
  condition: Condition;
  /** The current load of its list. Absent in segments without a list. */
  load?: string;
}

/** A compiled flag. */
export interface Flag {
  key: string;
  document: FlagDocument;
  /**
   * @param served results of prerequisites for this subject. Flags pass the map on to each other, and a caller that
   *   evaluates several flags for one subject may share one map.
   */
  evaluate(subject: Subject, targeting: Targeting, served?: Served): FlagEvaluation;
}

/** By flag key; `open`: a flag that waits for its prerequisites, so that evaluating it again is a cycle. */
export type Served = Map<string, FlagEvaluation | 'open'>;

/** A compiled campaign. */
export interface Campaign {
  id: string;
  document: CampaignDocument;
  priority: string;
  /** The maximum number of interventions per player, in total and per UTC day; `null`: no maximum. */
  caps: { total: number | null; perDay: number | null };
  /** Whether the trigger's conditions hold; without `properties`, whether they may hold for some event. */
  accepts: (subject: Subject) => boolean;
  /** The quiet hours that the player is in, in which nothing is delivered. */
  quiet(player: PlayerState, nowMs: number): QuietSpan | undefined;
  /** Whether the player is in the holdout, which gets no interventions and serves for comparison. */
  isHeldOut(playerId: string): boolean;
  /** The key of the variant that the player is drawn for; `undefined`: the campaign has none. */
  variantOf(playerId: string): string | undefined;
  hasVariant(key: string): boolean;
  /** The message as the player gets it now. @param variant of one that is gone, the campaign's own content is used */
  render(subject: Subject, variant: string | undefined): RenderedMessage;
}

/** Everything compiled for one game and environment. */
export interface Targeting {
  /** In order of their ids. */
  segments: readonly Segment[];
  segment(id: string): Segment | undefined;
  /** Flags that are not archived; disabled if they do not compile. */
  flags: ReadonlyMap<string, Flag>;
  /** The experiment that runs or is paused on a flag. Absent: none does. */
  experimentOf?(flagKey: string): ExperimentDocument | undefined;
  /** The players of the game who take part in no experiment. Absent: none. */
  holdout?: Holdout;
  /** Names of events whose counters a definition reads. Such counters are never evicted for others. Absent: none. */
  countedEvents?: ReadonlySet<string>;
  /** Named computed properties by key. Absent: none. */
  computed?: ReadonlyMap<string, NamedProperty>;
}
