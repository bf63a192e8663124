import { ERRORS, type Failure } from '../../../core/kernel/errors.ts';
import type { TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import type { TrackedReply, TrackResult } from '../../../core/vocabulary/commands/replies.ts';

/** Items of one merged player, and what its account's owner answered. */
export interface TrackedPart {
  items: readonly TrackItem[];
  reply: TrackedReply | Failure;
}

/**
 * The reply to a command whose items of merged players were sent on. If that failed for all items, it is the failure;
 * otherwise an item that could not be sent on has it as its error.
 */
export function joinTracked(
  reply: TrackedReply,
  parts: readonly TrackedPart[],
  receivedAt: number,
): TrackedReply | Failure {
  const own = reply.results.filter(({ moved }) => moved === undefined);
  const failed = parts.map((part) => part.reply).filter((each) => each.kind === 'failure');
  const [first] = failed;
  if (first !== undefined && own.length === 0 && failed.length === parts.length) return first;
  const results = parts.flatMap((part) =>
    part.reply.kind === 'failure' ? refused(part.items, part.reply, receivedAt) : part.reply.results,
  );
  const replayed = reply.replayed === true && parts.every((part) => 'replayed' in part.reply && part.reply.replayed);
  return {
    kind: 'tracked',
    results: [...own, ...results].sort((one, other) => one.index - other.index),
    ...(replayed ? { replayed } : {}),
  };
}

function refused(items: readonly TrackItem[], { code, message }: Failure, receivedAt: number): TrackResult[] {
  const error = { code, message: message ?? ERRORS[code].message };
  return items.map(({ index, eventId, playerId, eventName, timestamp }) => ({
    index,
    eventId,
    playerId,
    eventName,
    timestamp,
    receivedAt,
    status: 'rejected',
    error,
  }));
}
