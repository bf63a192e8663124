import { type Failure, failure } from '../../../core/kernel/errors.ts';
import { encodeReplies } from '../../../core/codec/codec.ts';
import { repliesSubject } from '../../../streams/subjects.ts';
import type { Log } from '../../../streams/log/log.ts';
import type { AddressedReply } from '../../../core/vocabulary/commands/replies.ts';
import { roughChars } from '../../../core/codec/rough-chars.ts';
import type { LocalGateway } from '../../../core/vocabulary/commands/local-gateway.ts';

/** A reply and the gateway that waits for it. */
export interface OutgoingReply extends AddressedReply {
  replyTo: string;
  /** To a command of work in bulk. */
  isBulk?: boolean;
}

/** The reply to a command or query of a newer version. Gateways of all versions know the code. */
export const notKnownHere = (): Failure =>
  failure(
    'SERVICE_UNAVAILABLE',
    'The owner of this player runs an older version, which does not know this request; retry after the upgrade.',
  );

/** The size of a message to a gateway: at three bytes a character it stays below the broker's payload limit. */
const MESSAGE_CHARS = 2_000_000;

export type ReplySender = (replies: readonly OutgoingReply[]) => void;

/** Sends replies at most once, grouped by gateway. For a lost reply the gateway returns 503. */
export function createReplySender(log: Log, local: LocalGateway | undefined): ReplySender {
  return (replies) => {
    const byGateway = new Map<string, AddressedReply[]>();
    for (const { replyTo, isBulk: _, ...addressed } of replies) {
      const list = byGateway.get(replyTo);
      if (list === undefined) byGateway.set(replyTo, [addressed]);
      else list.push(addressed);
    }
    for (const [gateway, list] of byGateway) {
      if (gateway === local?.gateway) local.receive(list);
      else for (const message of cut(list)) log.publish(repliesSubject(gateway), encodeReplies(message));
    }
  };
}

function* cut(replies: AddressedReply[]): Generator<AddressedReply[]> {
  let message: AddressedReply[] = [];
  let chars = 0;
  for (const addressed of replies) {
    const more = roughChars(addressed.reply);
    if (message.length > 0 && chars + more > MESSAGE_CHARS) {
      yield message;
      message = [];
      chars = 0;
    }
    message.push(addressed);
    chars += more;
  }
  if (message.length > 0) yield message;
}
