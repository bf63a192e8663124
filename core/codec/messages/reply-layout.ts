import type {
  AddressedReply,
  Reply,
  TrackedReply,
  TrackResult,
  TrackStatus,
} from '../../vocabulary/commands/replies.ts';
import type { Moved } from '../../vocabulary/merge/merged.ts';
import { ownGuest } from './own-guest.ts';

/** Layout of a reply. Replies to tracked events are positional, the others are objects. */
export type ReplyTuple = [requestId: string, epoch: number, partition: number, reply: WireReply];

export type WireReply = TrackedTuple | Exclude<Reply, TrackedReply>;

type TrackedTuple = [replayed: boolean, results: ResultTuple[]];
type ResultTuple = [
  index: number,
  eventId: string,
  playerId: string,
  eventName: string,
  timestamp: number,
  receivedAt: number,
  status: number,
  error: TrackResult['error'] | null,
  // Omitted when all are absent, as in almost every reply.
  repeated?: true | null,
  moved?: Moved,
];

/** Statuses by number. Never reorder: append. */
const STATUSES = [
  'accepted',
  'duplicate',
  'rejected',
  'quarantined',
  'moved',
] as const satisfies readonly TrackStatus[];

export function addressedToTuple({ requestId, epoch, partition, reply }: AddressedReply): ReplyTuple {
  return [requestId, epoch, partition, replyToWire(reply)];
}

export function addressedFromTuple(tuple: ReplyTuple): AddressedReply {
  return { requestId: tuple[0], epoch: tuple[1], partition: tuple[2], reply: replyFromWire(tuple[3]) };
}

export function replyToWire(reply: Reply): WireReply {
  return reply.kind === 'tracked' ? [reply.replayed === true, reply.results.map(resultToTuple)] : reply;
}

export function replyFromWire(wire: WireReply): Reply {
  if (!Array.isArray(wire)) return wire.kind === 'merging' ? ownGuest(wire) : wire;
  const [replayed, tuples] = wire;
  const results = tuples.map(resultFromTuple);
  return replayed ? { kind: 'tracked', results, replayed } : { kind: 'tracked', results };
}

function resultToTuple(result: TrackResult): ResultTuple {
  const { index, eventId, playerId, eventName, timestamp, receivedAt, status, error, repeated, moved } = result;
  const number = STATUSES.indexOf(status);
  const tuple: ResultTuple = [index, eventId, playerId, eventName, timestamp, receivedAt, number, error ?? null];
  if (moved !== undefined) tuple.push(repeated ?? null, moved);
  else if (repeated !== undefined) tuple.push(repeated);
  return tuple;
}

function resultFromTuple(tuple: ResultTuple): TrackResult {
  const result: TrackResult = {
    index: tuple[0],
    eventId: tuple[1],
    playerId: tuple[2],
    eventName: tuple[3],
    timestamp: tuple[4],
    receivedAt: tuple[5],
    status: STATUSES[tuple[6]] ?? 'rejected',
  };
  const error = tuple[7];
  if (error !== null && error !== undefined) result.error = error;
  if (tuple[8] === true) result.repeated = tuple[8];
  if (tuple[9] !== undefined) result.moved = tuple[9];
  return result;
}
