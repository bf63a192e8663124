import type { ErrorCode, Failure } from '../../src/kernel/errors.ts';
import type { JsonText } from '../../src/kernel/json.ts';
import type { FlagReason } from './flag-reason.ts';
import type { ChurnRisk } from './churn-risk.ts';
import type { LifecycleStage, PlayerFields, PlayerView, SeenFlag } from './player.ts';

/** A player as it is after a register, patch or read. */
export interface PlayerReply {
  kind: 'player';
  player: PlayerView;
  created: boolean;
  replayed?: true;
}

export type TrackStatus = 'accepted' | 'duplicate' | 'rejected' | 'quarantined';

/** What became of one tracked event. Times are epoch milliseconds. */
export interface TrackResult {
  index: number;
  eventId: string;
  playerId: string;
  eventName: string;
  timestamp: number;
  receivedAt: number;
  status: TrackStatus;
  error?: { code: ErrorCode; message: string };
  /** With `quarantined`: it was set aside by an earlier request. */
  repeated?: true;
}

export interface TrackedReply {
  kind: 'tracked';
  results: TrackResult[];
  replayed?: true;
}

export interface ClaimedReply {
  kind: 'claimed';
  replayed?: true;
}

/** What one flag serves a player. */
export interface FlagEvaluation {
  flagKey: string;
  value: JsonText;
  variantKey: string | null;
  reason: FlagReason;
  /** With `segment_match`. */
  segmentId?: string;
  /** With `flag_disabled` because of another flag. */
  prerequisiteKey?: string;
}

export interface FlagsReply {
  kind: 'flags';
  evaluations: FlagEvaluation[];
  /** Asked for, and not there. */
  unknownFlags: string[];
  /** Time the evaluation took, microseconds. */
  durationUs: number;
}

export interface OverriddenReply {
  kind: 'overridden';
  flagKey: string;
  value: JsonText | null;
  replayed?: true;
}

/** A recorded session, and the player's totals with it. A repeat says what the first was told. */
export interface SessionRecordedReply {
  kind: 'sessionRecorded';
  playerId: string;
  sessionId: string;
  sessionCount: number;
  totalPlaytimeSeconds: number;
  replayed?: true;
}

/** A recorded purchase, and the player's totals with it. Money is in ten-thousandths. */
export interface PurchaseRecordedReply {
  kind: 'purchaseRecorded';
  playerId: string;
  amount: number;
  totalRevenue: number;
  purchaseCount: number;
  replayed?: true;
}

/** A session was opened: who the player is, and what it gets. Times are epoch milliseconds. */
export interface SessionOpenedReply {
  kind: 'sessionOpened';
  sessionId: string;
  player: Pick<PlayerView, 'id' | 'externalId' | 'firstSeenAt' | 'lastSeenAt' | 'attributes'>;
  flags: readonly SeenFlag[];
  /** Asked for, and not there. */
  unknownFlags: readonly string[];
  segmentKeys: readonly string[];
  serverTime: number;
  replayed?: true;
}

/** An intervention as a sync delivers it. */
export interface Intervention {
  interventionId: string;
  type: 'in_app_message';
  content: { title: string; body: string; cta: string };
  displayRules: { priority: string; dismissAfterSeconds: number };
}

export interface SessionSyncedReply {
  kind: 'sessionSynced';
  /** Events accepted now: not those that came before. */
  eventsAccepted: number;
  /** The most urgent first. */
  interventions: readonly Intervention[];
  /** What changed since the session was last told. */
  flags: readonly SeenFlag[];
  replayed?: true;
}

/** A session was closed: what it was. */
export interface SessionEndedReply {
  kind: 'sessionEnded';
  sessionId: string;
  totalEvents: number;
  durationSeconds: number;
  achievements: readonly string[];
  interventionsShown: number;
  interventionsClicked: number;
  replayed?: true;
}

/** The stage of a player's life and what it rests on. Times are epoch milliseconds. */
export interface LifecycleReply {
  kind: 'lifecycle';
  playerId: string;
  stage: LifecycleStage;
  changedAt: number;
  firstSeenAt: number;
  lastSeenAt: number;
  sessionCount: number;
  totalPlaytimeSeconds: number;
}

export interface ChurnRiskReply {
  kind: 'churnRisk';
  playerId: string;
  risk: ChurnRisk;
}

/** Answer to what the owner asked itself. */
export interface NotedReply {
  kind: 'noted';
}

/** A player was erased, at the time given; `null`: it lives, and ClickHouse knows whether it was erased before. */
export interface ErasedReply {
  kind: 'erased';
  playerId: string;
  erasedAt: number | null;
  replayed?: true;
}

/** Everything that live state holds of a player. */
export interface ExportedReply {
  kind: 'exported';
  player: ExportedPlayer;
}

/** Answer to what the owner asked itself. */
export interface NotedReply {
  kind: 'noted';
}

/** What an owner answers to a command or query. A failure changed nothing. */
export type Reply =
  | PlayerReply
  | TrackedReply
  | ClaimedReply
  | FlagsReply
  | OverriddenReply
  | SessionRecordedReply
  | PurchaseRecordedReply
  | SessionOpenedReply
  | SessionSyncedReply
  | SessionEndedReply
  | LifecycleReply
  | ChurnRiskReply
  | ErasedReply
  | ExportedReply
  | NotedReply
  | Failure;

/** A reply on its way to the gateway that waits for it. */
export interface AddressedReply {
  requestId: string;
  /** The epoch of the owner that answers; gateways ignore answers of an older owner. */
  epoch: number;
  partition: number;
  reply: Reply;
}

/** A player as it is handed out whole: of an Idempotency-Key not the answer, which only repeats what is here. */
export type ExportedPlayer = PlayerFields & { keys: readonly { key: string; at: number }[] };
