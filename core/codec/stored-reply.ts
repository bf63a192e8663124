import type { Reply } from '../vocabulary/commands/replies.ts';
import { decodeValue, encodeFrame } from './frame.ts';
import { replyFromWire, replyToWire } from './messages/reply-layout.ts';

/** A reply that a fact and a state hold under its Idempotency-Key: its length bounds what a state holds. */
export const encodeReply = (reply: Reply): Uint8Array => new Uint8Array(encodeFrame([replyToWire(reply)]));
export const decodeReply = (bytes: Uint8Array): Reply => replyFromWire(decodeValue(bytes, 0));
