import { encodeReplies } from '../../streams/codec.ts';
import { repliesSubject } from '../../streams/subjects.ts';
import type { Log, Stop } from '../../streams/log/log.ts';
import type { Query } from '../vocabulary/commands.ts';
import type { AddressedReply } from '../vocabulary/replies.ts';
import { replyChars } from '../vocabulary/reply-chars.ts';

/** A reply and the gateway that waits for it. */
export interface OutgoingReply extends AddressedReply {
  replyTo: string;
}

/** A message to a gateway is cut here, so that even three bytes a character stay below the broker's payload limit. */
const MESSAGE_CHARS = 2_000_000;

/** The gateway of this very process. What it waits for needs no message, nor what it asks an owner beside it. */
export interface LocalGateway {
  gateway: string;
  receive(replies: readonly AddressedReply[]): void;
  /** From now on the gateway's queries of a partition come to `take`, too; those asked again come as messages as well. */
  serve(partition: number, take: (queries: readonly Query[]) => void): Stop;
}

export type ReplySender = (replies: readonly OutgoingReply[]) => void;

/** Sends replies, grouped by gateway. At most once: a lost reply is the gateway's 503. */
export function createReplySender(log: Log, local: LocalGateway | undefined): ReplySender {
  return (replies) => {
    const byGateway = new Map<string, AddressedReply[]>();
    for (const { replyTo, ...addressed } of replies) {
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
    const more = replyChars(addressed.reply);
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
