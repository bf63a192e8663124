import type { JsonText } from '../../src/kernel/json.ts';
import type { SuppressionReason } from '../campaigns/tally.ts';
import type { ChurnRisk } from '../churn/churn-risk.ts';
import type { CallerKind, QuarantineReason, Release, Scope } from './commands.ts';
import type { FlagExposed, FlagOverridden, FlagsServed } from '../flags/facts.ts';
import type { PurchaseRecorded, PurchaseReversed } from '../purchases/facts.ts';
import type { Reply } from './replies.ts';
import type { DeviceInfo, EntityState, LifecycleStage, PlayerView, SeenFlag } from './state.ts';

/** What every fact about an entity carries. `at` is the receive time of its command, epoch milliseconds. */
export interface FactBase extends Scope {
  /** The player's UUID, or a ledger's id. */
  entityId: string;
  at: number;
}

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

/** Who made an event: a caller by its kind of key, or the service itself when it recorded a session or a purchase. */
export type EventMaker = CallerKind | 'service';

/** An event was accepted. Complete enough for every sink: the player's columns stand on it. */
export interface EventTracked extends FactBase {
  kind: 'EventTracked';
  eventId: string;
  /** Whether the player must remember the id, as it can come again. */
  remember: boolean;
  eventName: string;
  properties: JsonText;
  sessionId: string | null;
  timestamp: number;
  externalId: string;
  lifecycleStage: LifecycleStage;
  isPayer: boolean;
  /** The `country` attribute, if it is a string; else ''. */
  country: string;
  /** With an event that was quarantined before. Who sent it is its `by`. */
  release?: Omit<Release, 'by'>;
  /** What its schema had against it, where that is not enforced: the first fault. */
  schemaFault?: string;
  /** Absent in records from before makers were kept. */
  by?: EventMaker;
  /** The name whose counter makes room for this one's, where that is not the one counted longest ago. */
  forgets?: string;
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

/** An init opened a session. `at` is when. */
export interface SessionOpened extends FactBase {
  kind: 'SessionOpened';
  sessionId: string;
  /** `null`: the init said nothing of it. */
  device: DeviceInfo | null;
  flagKeys: readonly string[] | null;
  /** How long it stays open without another call. */
  ttlMs: number;
  externalId: string;
}

/** A sync: what it added to the session. */
export interface SessionSynced extends FactBase {
  kind: 'SessionSynced';
  sessionId: string;
  eventCount: number;
  achievements: string[];
  interventionsShown: number;
  interventionsClicked: number;
}

/** What the answer to an init or sync tells of flags: decided after everything else that the call led to. */
export interface SessionFlagsTold extends FactBase {
  kind: 'SessionFlagsTold';
  sessionId: string;
  /** Those that differ from what the session was told before; a flag that is no more is not enabled. */
  flags: SeenFlag[];
}

/** A session is over. `at` of an expiry is its due time, however late it was noticed. Complete for ClickHouse. */
export interface SessionClosed extends FactBase {
  kind: 'SessionClosed';
  sessionId: string;
  /** `replaced`: the player opened more sessions than may be open at once, and this was the oldest. */
  reason: 'ended' | 'expired' | 'replaced';
  openedAt: number;
  endedAt: number;
  durationSeconds: number;
  eventCount: number;
  achievements: string[];
  interventionsShown: number;
  interventionsClicked: number;
  externalId: string;
}

/** A session was recorded by a caller, after it was played. */
export interface SessionRecorded extends FactBase {
  kind: 'SessionRecorded';
  sessionId: string;
  /** Of the session id; see `RecordedSession`. */
  digest: string;
  startedAt: number | null;
  endedAt: number | null;
  durationSeconds: number;
  externalId: string;
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

/** What facts about campaigns carry: the campaign as it was when it was triggered. */
interface CampaignFact extends FactBase {
  campaignId: string;
  campaignKey: string;
  campaignVersion: number;
  externalId: string;
}

/** A campaign gave a player something to see, to be delivered by a sync. */
export interface InterventionTriggered extends CampaignFact {
  kind: 'InterventionTriggered';
  interventionId: string;
  expiresAt: number;
  /** What set it off, as `event:level_failed` or `segment_entered:<segment id>`. */
  cause: string;
}

/** A campaign was triggered and gave the player nothing: once per campaign, player, reason and UTC day. */
export interface InterventionSuppressed extends CampaignFact {
  kind: 'InterventionSuppressed';
  reason: SuppressionReason;
  cause: string;
}

/** A sync delivered an intervention. */
export interface InterventionOffered extends CampaignFact {
  kind: 'InterventionOffered';
  interventionId: string;
  sessionId: string;
}

/** The player saw an intervention, as an event `intervention_shown` says. */
export interface InterventionShown extends CampaignFact {
  kind: 'InterventionShown';
  interventionId: string;
  sessionId: string | null;
}

/** The player clicked it, as an event `intervention_clicked` says. */
export interface InterventionClicked extends CampaignFact {
  kind: 'InterventionClicked';
  interventionId: string;
  sessionId: string | null;
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

/**
 * How far REQUESTS has been decided: command `index` of the message `sequence`, published at `publishedAtMs` (broker's
 * clock), of the stream created at `stream`. The time tells a stream that started over inside the same creation apart.
 */
export interface RequestPosition {
  stream: string;
  sequence: number;
  index: number;
  publishedAtMs: number;
  /**
   * The last command decided of every gateway heard of lately. When REQUESTS starts over it forgets which messages it
   * held, and an unanswered one may be stored a second time: what is at or below these was decided before.
   */
  gateways?: GatewayMark[];
}

/** `command` is the number in its request id; `publishedAtMs` (broker's clock) says when the mark may be forgotten. */
export interface GatewayMark {
  gateway: string;
  command: number;
  publishedAtMs: number;
}

/** One FACTS record: everything one commit of a partition's owner changed. */
export interface CommitRecord {
  partition: number;
  /** The sequence of the owner's barrier; 0 in the barrier itself, whose own sequence it is. */
  epoch: number;
  /** The incarnation that wrote it, so that an owner recognises its own record after an unanswered append. */
  owner: string;
  /** Owner's wall clock at the append, epoch milliseconds. */
  committedAt: number;
  position: RequestPosition | null;
  configRevision: number;
  facts: Fact[];
}
