import type { LifecycleThresholds } from '../../core/vocabulary/documents/game.ts';
import type { Environment } from '../../core/vocabulary/documents/scope.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import type { Campaign, Segment, Targeting } from './targeting.ts';

/*
 * What a decision reads of definitions: their compiled forms, as types. The rooms of segments, flags and campaigns make
 * them; they stand here so that these rooms need not import each other.
 */

/**
 * The segments of one game and environment, indexed by the events that may change them. All lists are in the order of
 * evaluation: a segment comes after those that it reads, and those that are equally deep by their ids.
 */
export interface SegmentSet {
  readonly all: readonly Segment[];
  /** Whether a segment reads another one, be that there or not. */
  readonly isNested: boolean;
  get(id: string): Segment | undefined;
  /** The segments that an event of this name may make a player enter or leave. */
  touchedBy(eventName: string): readonly Segment[];
  /** The segment and all that read it, directly or not. */
  withReaders(id: string): readonly Segment[];
  /** Ids of all static segments, disabled ones too. Absent: unknown. */
  readonly lists?: ReadonlySet<string>;
}

/** The enabled, compiled campaigns of one game and environment, indexed by what triggers them. */
export interface CampaignSet {
  /** Sorted by priority, the most urgent first. */
  readonly all: readonly Campaign[];
  get(id: string): Campaign | undefined;
  /** Sorted by priority. Does not check conditions, times and audiences. */
  triggeredBy(fact: DomainFact): readonly Campaign[];
  /** The campaigns scheduled in the window, sorted by priority. */
  scheduledIn(window: ScheduleWindow): readonly Campaign[];
}

/** The times after `after`, up to and including `until`; epoch milliseconds. */
export interface ScheduleWindow {
  after: number;
  until: number;
}

/** The definitions of one config revision. */
export interface Definitions {
  readonly revision: number;
  of(game: string, environment: Environment): Targeting;
  segments(game: string, environment: Environment): SegmentSet;
  campaigns(game: string, environment: Environment): CampaignSet;
  settings(game: string): GameSettings;
}

/** The settings of a game, with defaults filled in. */
export interface GameSettings {
  lifecycle: LifecycleThresholds;
  /** In which the quiet hours of players without a zone are. */
  zone: string;
}
