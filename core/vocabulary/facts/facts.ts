import type { JsonText } from '../../kernel/text/json.ts';
import type { QuarantineReason } from '../commands/commands.ts';
import type { FlagExposed, FlagOverridden, FlagsServed, GuardrailTripped } from './flag-facts.ts';
import type {
  PurchaseHeld,
  PurchaseRecorded,
  PurchaseRefunded,
  PurchaseReversed,
  ReceiptDecided,
} from './purchase-facts.ts';
import type { EntityState } from '../state/state.ts';
import type { ChurnRisk } from '../state/churn-risk.ts';
import type { CallerKind } from '../documents/scope.ts';
import type { LifecycleStage } from '../state/lifecycle-stages.ts';
import type { PlayerView } from '../state/player.ts';
import type { FactBase } from './fact-base.ts';
import type {
  SessionClosed,
  SessionFlagsReported,
  SessionOpened,
  SessionRecorded,
  SessionSynced,
} from './session-facts.ts';
import type {
  InterventionClicked,
  InterventionDismissed,
  InterventionOffered,
  InterventionShown,
  InterventionSuppressed,
  InterventionTriggered,
} from './campaign-facts.ts';
import type { ComputedFact, PropertiesChanged, PropertiesDropped, PropertyFilled } from '../documents/computed.ts';
import type { HistoryImported, ImportAdvanced, ImportFact } from './import-facts.ts';
import type { EventTracked } from './event-tracked.ts';
import type { PlayerListed } from '../documents/player-lists.ts';
import type { GuestReleased, MergeFact, PlayerAbsorbed } from '../merge/merge-facts.ts';

/** A player was registered. */
export interface PlayerRegistered extends FactBase {
  kind: 'PlayerRegistered';
  player: PlayerView;
}

/** A player changed: `player` is the whole view afterwards, `changed` holds the API names of the changed fields. */
export interface PlayerUpdated extends FactBase {
  kind: 'PlayerUpdated';
  changed: string[];
  player: PlayerView;
}

/** A partition of a game and environment has another number of test players. `entityId` is the ledger. */
export interface TestPlayersCounted extends FactBase {
  kind: 'TestPlayersCounted';
  count: number;
}

/**
 * An event was quarantined, because it violates an enforced schema. It is not counted and not sent to webhooks. It is
 * kept and can be released by a later `EventTracked` with the same id.
 */
export interface EventQuarantined extends FactBase {
  kind: 'EventQuarantined';
  eventId: string;
  /** Whether the player must store the id, because it can repeat. */
  remember: boolean;
  eventName: string;
  properties: JsonText;
  sessionId: string | null;
  timestamp: number;
  externalId: string;
  /** Counts all quarantined events of this player id, from 1. */
  number: number;
  reason: QuarantineReason;
  /** Absent in records older than kinds of callers. */
  by?: CallerKind;
}

/** An Idempotency-Key was used by a player's write, or by an API key's batch (then `entityId` is the ledger). */
export interface IdempotencyKeyUsed extends FactBase {
  kind: 'IdempotencyKeyUsed';
  key: string;
  bodyHash: string;
  /** As `encodeReply` writes it. */
  reply: Uint8Array;
  /** Absent in records older than kinds of callers. */
  by?: CallerKind;
}

/** A player's stage changed. `at` and `changedAt` of a timed change are its due time, even if it ran late. */
export interface LifecycleChanged extends FactBase {
  kind: 'LifecycleChanged';
  from: LifecycleStage;
  to: LifecycleStage;
  changedAt: number;
  externalId: string;
}

/** A player's churn risk became high, or is no longer high. `at` of a timed change is its due time. */
export interface ChurnRiskChanged extends FactBase {
  kind: 'ChurnRiskChanged';
  high: boolean;
  risk: ChurnRisk;
  externalId: string;
}

/** The due time of the next evaluation of the player's stage and churn risk; 0: never. */
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
  /** It follows from imported history, and triggers nothing. */
  imported?: true;
}

/** A player left a segment, or the segment was removed. */
export interface SegmentExited extends FactBase {
  kind: 'SegmentExited';
  segmentId: string;
  segmentKey: string;
  externalId: string;
  /** As in `SegmentEntered`. */
  imported?: true;
}

/** The due time of the next evaluation of the player's segments; 0: never. */
export interface SegmentsScheduled extends FactBase {
  kind: 'SegmentsScheduled';
  dueAt: number;
}

/**
 * A player was erased: its state is dropped, and sinks delete its earlier data. A later `PlayerRegistered` of the same
 * id begins an empty life, which this does not affect.
 */
export interface PlayerErased extends FactBase {
  kind: 'PlayerErased';
  /**
   * The number of quarantined events so far. Later numbers are higher, and none of these can be released in a later
   * life. Absent in records older than the quarantine.
   */
  quarantined?: number;
  /**
   * The player's device: its scores are deleted unless another player has it. Absent without a device and in older
   * records.
   */
  deviceId?: string;
}

/** The whole entity at `state.lastSeq`. Changes nothing; feeds ClickHouse `players` and rebuilds. */
export interface EntitySnapshot extends FactBase {
  kind: 'EntitySnapshot';
  state: EntityState;
}

/** Every change of this partition at or below `coveredTo` is in a snapshot before this mark in the log. */
export interface SnapshotMark {
  kind: 'SnapshotMark';
  partition: number;
  coveredTo: number;
  /**
   * At least so many players of the partition, erased ones included, are in snapshots before this mark, and so is every
   * ledger.
   */
  players: number;
}

/** Facts that change an entity. */
export type DomainFact =
  | PlayerRegistered
  | PlayerUpdated
  | PlayerErased
  | TestPlayersCounted
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
  | GuardrailTripped
  | SessionOpened
  | SessionSynced
  | SessionFlagsReported
  | SessionClosed
  | SessionRecorded
  | PurchaseRecorded
  | PurchaseHeld
  | ReceiptDecided
  | PurchaseReversed
  | PurchaseRefunded
  | InterventionTriggered
  | InterventionSuppressed
  | InterventionOffered
  | InterventionShown
  | InterventionClicked
  | InterventionDismissed
  | ComputedFact
  | ImportFact
  | PlayerListed
  | MergeFact;
export type Fact = DomainFact | EntitySnapshot | SnapshotMark;

/** Facts without rows of their own in ClickHouse: the player's next snapshot contains their changes. */
export type FactWithoutRows =
  | PlayerRegistered
  | TestPlayersCounted
  | IdempotencyKeyUsed
  | ChurnRiskChanged
  | LifecycleScheduled
  | SegmentsScheduled
  | GuardrailTripped
  | SessionOpened
  | SessionSynced
  | SessionFlagsReported
  | HistoryImported
  | ImportAdvanced
  | PropertiesChanged
  | PropertyFilled
  | PropertiesDropped
  | PlayerListed
  | Exclude<MergeFact, PlayerAbsorbed | GuestReleased>
  | SnapshotMark;
