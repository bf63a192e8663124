import { SEGMENT_CLIENT_LIMITS } from './limits.ts';
import { foreignTime, storable } from '../../../core/kernel/text/timestamp.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';

/** What the messages of one request share. Times are epoch milliseconds. */
export interface Batch {
  sentAt: number | undefined;
  receivedAt: number;
}

/** Their `sentAt` is the time at which they closed the file with the events, maybe days before they send it. */
const SENT_AT_IS_NO_CLOCK: ReadonlySet<string> = new Set(['analytics-csharp', 'analytics-swift', 'analytics-kotlin']);

/**
 * When a message happened: never later than its receipt. If the sender's clock differs by more than `segmentSkewMs`
 * from the service's, the difference is corrected; without a readable time it is the time of receipt.
 */
export function timeOf(
  message: Readonly<Record<string, unknown>>,
  context: Readonly<Record<string, unknown>>,
  { sentAt: ofBatch, receivedAt }: Batch,
): number {
  const original = readTime(message['originalTimestamp']);
  const explicit = readTime(message['timestamp']);
  // RudderStack's clients send both, if the caller chose a time of its own. Exports of Segment do: `timestamp` is
  // right.
  if (original !== undefined && explicit !== undefined) return Math.min(explicit, receivedAt);
  const claimed = original ?? explicit;
  if (claimed === undefined) return receivedAt;
  const sentAt = readTime(message['sentAt']) ?? ofBatch;
  if (sentAt === undefined || isFileTime(context['library'])) return Math.min(claimed, receivedAt);
  const skewMs = receivedAt - sentAt;
  if (Math.abs(skewMs) <= SEGMENT_CLIENT_LIMITS.segmentSkewMs && claimed <= receivedAt) return claimed;
  return Math.min(storable(claimed + skewMs) ?? receivedAt, receivedAt);
}

function isFileTime(library: unknown): boolean {
  const name = isPlainObject(library) ? library['name'] : undefined;
  return typeof name === 'string' && SENT_AT_IS_NO_CLOCK.has(name.toLowerCase());
}

/** A time that can be stored, in any form that clients send; undefined for anything else. */
export function readTime(value: unknown): number | undefined {
  return storable(foreignTime(value));
}
