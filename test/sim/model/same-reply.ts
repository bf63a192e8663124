import { isDeepStrictEqual } from 'node:util';
import type { ImportedReply } from '../../../core/vocabulary/commands/import.ts';
import type { PlayerReply, Reply } from '../../../core/vocabulary/commands/replies.ts';

/** Whether a reply equals the model's. Clients rely on the code of a failure, not on its message. */
export function sameReply(received: Reply, expected: Reply): boolean {
  if (received.kind === 'failure' || expected.kind === 'failure') {
    return received.kind === 'failure' && expected.kind === 'failure' && received.code === expected.code;
  }
  if (received.kind === 'imported' && expected.kind === 'imported') {
    return isDeepStrictEqual(withoutMessages(received), withoutMessages(expected));
  }
  if (received.kind === 'player') return isDeepStrictEqual(withoutComputed(received), expected);
  return isDeepStrictEqual(received, expected);
}

/** Computed properties are compared apart: they change with definitions and time. */
function withoutComputed({ kind, player, created, replayed }: PlayerReply): PlayerReply {
  return { kind, player, created, ...(replayed === undefined ? {} : { replayed }) };
}

const withoutMessages = (reply: ImportedReply) => ({ ...reply, rejected: reply.rejected.map(({ line }) => line) });
