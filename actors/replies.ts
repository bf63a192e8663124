import type { ErrorCode, Failure } from '../src/kernel/errors.ts';
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

/** What an owner answers to a command or query. A failure changed nothing. */
export type Reply = PlayerReply | TrackedReply | ClaimedReply | Failure;

/** A reply on its way to the gateway that waits for it. */
export interface AddressedReply {
  requestId: string;
  /** The epoch of the owner that answers; gateways ignore answers of an older owner. */
  epoch: number;
  partition: number;
  reply: Reply;
}
