import type { JsonText } from '../../src/kernel/json.ts';
import type { QuarantineReason } from './commands.ts';
import type { FlagExposed, FlagOverridden, FlagsServed } from './flag-facts.ts';
import type { PurchaseRecorded, PurchaseReversed } from './purchase-facts.ts';
import type { Reply } from './replies.ts';
import type { EntityState } from './state.ts';
import type { ChurnRisk } from './churn-risk.ts';
import type { CallerKind } from './scope.ts';
import type { LifecycleStage, PlayerView } from './player.ts';
import type { FactBase } from './fact-base.ts';
import type {
  SessionClosed,
  SessionFlagsTold,
  SessionOpened,
  SessionRecorded,
  SessionSynced,
} from './session-facts.ts';
import type {
  InterventionClicked,
  InterventionOffered,
  InterventionShown,
  InterventionSuppressed,
  InterventionTriggered,
} from './campaign-facts.ts';
import type { EventTracked } from './event-tracked.ts';

/** A player came to be. */
export interface PlayerRegistered extends FactBase {
  kind: 'PlayerRegistered';
  player: PlayerView;
}

/** Something of a player changed: `player` is the whole view after it, `changed` names the fields of the wire. */
export interface PlayerUpdated extends FactBase {
  kind: 'PlayerUpdated';
  changed: string[];
  player: PlayerView;
}

/**
 * An event that broke an enforced schema was set aside: it counts for nothing and nobody is told of it, but it is kept, to be
 * released by an `EventTracked` of its own id later.
 */
export interface EventQuarantined extends FactBase {
  kind: 'EventQuarantined';
  eventId: string;
  /** Whether the player must remember the id, as it can come again. */
  remember: boolean;
  eventName: string;
  properties: JsonText;
  sessionId: string | null;
  timestamp: number;
  externalId: string;
  /** Counts the quarantined events that ever were under this player's id, from 1. */
  number: number;
  reason: QuarantineReason;
  /** Absent in records from before callers had kinds. */
  by?: CallerKind;
}

/** An Idempotency-Key was used, by a player's write or by an API key's batch (then `entityId` is the ledger). */
export interface IdempotencyKeyUsed extends FactBase {
  kind: 'IdempotencyKeyUsed';
  key: string;
  bodyHash: string;
  reply: Reply;
  /** Absent in records from before callers had kinds. */
  by?: CallerKind;
}

/** A player's stage changed. `at` and `changedAt` of a timed change are its due time, however late it was noticed. */
export interface LifecycleChanged extends FactBase {
  kind: 'LifecycleChanged';
  from: LifecycleStage;
  to: LifecycleStage;
  changedAt: number;
  externalId: string;
}

/** A player became a high churn risk, or is none any more. `at` of a timed change is its due time. */
export interface ChurnRiskChanged extends FactBase {
  kind: 'ChurnRiskChanged';
  high: boolean;
  risk: ChurnRisk;
  externalId: string;
}

/** When the player's stage and churn risk must be looked at next without any request; 0: never. */
export interface LifecycleScheduled extends FactBase {
  kind: 'LifecycleScheduled';
  dueAt: number;
}

/** A player joined a segment. `at` of a timed change is its due time. */
export interface SegmentEntered extends FactBase {
  kind: 'SegmentEntered';
  segmentId: string;
  segmentKey: string;
  externalId: string;
}

/** A player left a segment, or the segment is no more. */
export interface SegmentExited extends FactBase {
  kind: 'SegmentExited';
  segmentId: string;
  segmentKey: string;
  externalId: string;
}

/** When the player's segments must be looked at next without any request; 0: never. */
export interface SegmentsScheduled extends FactBase {
  kind: 'SegmentsScheduled';
  dueAt: number;
}

/**
 * A player was erased: nothing of what came before is held from here on, and sinks delete it. A later `PlayerRegistered` of the
 * same id begins an empty life, which this does not touch.
 */
export interface PlayerErased extends FactBase {
  kind: 'PlayerErased';
  /**
   * Quarantined events so far: their numbers never come again, and none of them is released into a later life. Absent in records
   * from before there was a quarantine.
   */
  quarantined?: number;
  /** The player's device: its scores are deleted if no other player has it. Absent when it had none, and in older records. */
  deviceId?: string;
}

/** The whole of an entity at `state.lastSeq`. Changes nothing; feeds ClickHouse `players` and rebuilds. */
export interface EntitySnapshot extends FactBase {
  kind: 'EntitySnapshot';
  state: EntityState;
}

/** Every change of this partition at or below `coveredTo` is in a snapshot that precedes this mark in the log. */
export interface SnapshotMark {
  kind: 'SnapshotMark';
  partition: number;
  coveredTo: number;
}

/** Facts that change an entity. */
export type DomainFact =
  | PlayerRegistered
  | PlayerUpdated
  | PlayerErased
  | EventTracked
  | EventQuarantined
  | IdempotencyKeyUsed
  | LifecycleChanged
  | ChurnRiskChanged
  | LifecycleScheduled
  | SegmentEntered
  | SegmentExited
  | SegmentsScheduled
  | FlagOverridden
  | FlagsServed
  | FlagExposed
  | SessionOpened
  | SessionSynced
  | SessionFlagsTold
  | SessionClosed
  | SessionRecorded
  | PurchaseRecorded
  | PurchaseReversed
  | InterventionTriggered
  | InterventionSuppressed
  | InterventionOffered
  | InterventionShown
  | InterventionClicked;
export type Fact = DomainFact | EntitySnapshot | SnapshotMark;

/** Facts without rows of their own in ClickHouse: what they change is in the player's next snapshot. */
export type FactWithoutRows =
  | PlayerRegistered
  | PlayerUpdated
  | IdempotencyKeyUsed
  | ChurnRiskChanged
  | LifecycleScheduled
  | SegmentsScheduled
  | FlagOverridden
  | SessionOpened
  | SessionSynced
  | SessionFlagsTold
  | SnapshotMark;
