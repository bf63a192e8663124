import type { PurchaseState, ReceiptReason } from '../state/receipt.ts';
import type { ErrorCode, Failure } from '../../kernel/errors.ts';
import type { JsonText } from '../../kernel/text/json.ts';
import type { Draw, FlagReason } from '../facts/flag-reason.ts';
import type { ChurnRisk } from '../state/churn-risk.ts';
import type { ImportedReply } from './import.ts';
import type { RenderedMessage } from '../message.ts';
import type { ListedReply } from '../documents/player-lists.ts';
import type { PreviewedReply } from './preview.ts';
import type { LifecycleStage } from '../state/lifecycle-stages.ts';
import type { Paid, PaidBack, PlayerFields, PlayerView } from '../state/player.ts';
import type { AbsorbedGuest, Moved } from '../merge/merged.ts';

/** The player after a register, patch or read. */
export interface PlayerReply {
  kind: 'player';
  player: PlayerView;
  created: boolean;
  /** The named computed properties by key, as JSON. Only in replies to queries, and absent without any. */
  computed?: JsonText;
  /** The guests that were merged into it. As `computed`. */
  merged?: readonly Pick<AbsorbedGuest, 'mergeId' | 'guestId' | 'guestExternalId' | 'at'>[];
  /** Differs from that of the same player before an erasure. As `computed`, and absent for a first life. */
  life?: number;
  replayed?: true;
}

export type TrackStatus = 'accepted' | 'duplicate' | 'rejected' | 'quarantined' | 'moved';

/** The result of one tracked event. Times are epoch milliseconds. */
export interface TrackResult {
  index: number;
  eventId: string;
  playerId: string;
  eventName: string;
  timestamp: number;
  receivedAt: number;
  status: TrackStatus;
  error?: { code: ErrorCode; message: string };
  /** With `quarantined`: an earlier request quarantined it. */
  repeated?: true;
  /** With `moved`: where to send the event. Nothing was decided. */
  moved?: Moved;
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

/** The result of one flag for a player. */
export interface FlagEvaluation extends Draw {
  flagKey: string;
  value: JsonText;
  variantKey: string | null;
  reason: FlagReason;
  /** The flag's period, in which exposures of this evaluation count; 0: they count in none, nothing was drawn. */
  period: number;
  /** With `segment_match`. */
  segmentId?: string;
  /** With `flag_disabled` because of another flag. */
  prerequisiteKey?: string;
}

export interface FlagsReply {
  kind: 'flags';
  evaluations: FlagEvaluation[];
  /** Requested keys without a flag. */
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

/** A recorded session, and the player's totals with it. A repeat gets the first reply. */
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
  /** Present if `amount` was converted. */
  paid?: Pick<Paid, 'amount' | 'currency'>;
  totalRevenue: number;
  purchaseCount: number;
  /** Absent: `recorded`. */
  state?: PurchaseState;
  /** Why it is rejected. */
  reason?: ReceiptReason;
  replayed?: true;
}

/** A refund, what remains of the purchase, and the player's totals after it. Money is in ten-thousandths. */
export interface PurchaseRefundedReply {
  kind: 'purchaseRefunded';
  playerId: string;
  amount: number;
  remaining: number;
  /** Present if the purchase was converted. */
  paid?: PaidBack;
  totalRevenue: number;
  purchaseCount: number;
  replayed?: true;
}

/** The result of a flag as `init` and `sync` send it. */
export interface SessionFlag {
  flagKey: string;
  /** Whether the flag is on for the player and serves neither `false` nor `null`. */
  enabled: boolean;
  variant: string | null;
  /** Absent if the values of the reply exceed their bound. */
  value?: JsonText;
  reason: FlagReason;
  /** As in `FlagEvaluation`. */
  period?: number;
}

/** An opened session: its player, flags and settings. Times are epoch milliseconds. */
export interface SessionOpenedReply {
  kind: 'sessionOpened';
  sessionId: string;
  player: Pick<PlayerView, 'id' | 'externalId' | 'firstSeenAt' | 'lastSeenAt' | 'attributes'>;
  flags: readonly SessionFlag[];
  /** Requested keys without a flag. */
  unknownFlags: readonly string[];
  segmentKeys: readonly string[];
  serverTime: number;
  replayed?: true;
}

/** An intervention as a sync delivers it. */
export interface Intervention {
  interventionId: string;
  type: 'in_app_message';
  /** As it is now. */
  campaign: { key: string; version: number };
  variant: string | null;
  content: RenderedMessage;
  displayRules: { priority: string; dismissAfterSeconds: number };
}

export interface SessionSyncedReply {
  kind: 'sessionSynced';
  /** Events accepted by this call, without repeats. */
  eventsAccepted: number;
  /** Most urgent first. */
  interventions: readonly Intervention[];
  /** Flags whose results differ from those the session has received. */
  flags: readonly SessionFlag[];
  replayed?: true;
}

/** A summary of the closed session. */
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

/** A player's lifecycle stage and the values it depends on. Times are epoch milliseconds. */
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

/** The player is merged into another one, and nothing was decided. Reply to every command and query of a player. */
export interface MovedReply extends Moved {
  kind: 'moved';
}

/** How far a merge is. */
export interface MergingReply extends Moved {
  kind: 'merging';
  externalId: string;
  /** When the merge began, epoch milliseconds. */
  at: number;
  /** When it began to be taken back. Absent: it is not. */
  leavingAt?: number;
  /** The guest as it was, as `encodeState` writes it. Empty once it is not needed. */
  guest: Uint8Array;
}

/** The account has absorbed the guest, now or before. */
export interface AbsorbedReply {
  kind: 'absorbed';
  playerId: string;
  mergeId: string;
}

/** A player was erased, and when. `null`: the player exists, and only ClickHouse records earlier erasures. */
export interface ErasedReply {
  kind: 'erased';
  playerId: string;
  erasedAt: number | null;
  replayed?: true;
}

/** All live state of a player. */
export interface ExportedReply {
  kind: 'exported';
  player: ExportedPlayer;
}

/** Reply to a command of the owner itself, and to a step of a merge that says nothing else. */
export interface NotedReply {
  kind: 'noted';
}

/** The owner's reply to a command or query. A failure changed nothing. */
export type Reply =
  | PlayerReply
  | TrackedReply
  | ClaimedReply
  | FlagsReply
  | OverriddenReply
  | SessionRecordedReply
  | PurchaseRecordedReply
  | PurchaseRefundedReply
  | SessionOpenedReply
  | SessionSyncedReply
  | SessionEndedReply
  | LifecycleReply
  | ChurnRiskReply
  | ErasedReply
  | ExportedReply
  | NotedReply
  | MovedReply
  | MergingReply
  | AbsorbedReply
  | ImportedReply
  | ListedReply
  | PreviewedReply
  | Failure;

/** A reply on its way to the waiting gateway. */
export interface AddressedReply {
  requestId: string;
  /** The epoch of the owner that answers; gateways ignore answers of an older owner. */
  epoch: number;
  partition: number;
  reply: Reply;
}

/** A complete player for export. Idempotency-Keys omit their replies, which only repeat its fields. */
export type ExportedPlayer = Omit<PlayerFields, 'olderEvents'> & { keys: readonly { key: string; at: number }[] };
