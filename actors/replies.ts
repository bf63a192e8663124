import type { ErrorCode, Failure } from '../src/kernel/errors.ts';
import type { JsonText } from '../src/kernel/json.ts';
import type { FlagReason } from './flags/reason.ts';
import type { PlayerView } from './state.ts';

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
