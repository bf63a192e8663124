import { LIMITS } from '../../kernel/limits.ts';
import { isPlainObject } from '../plain-object.ts';
import { parseTimestamp, timeOfNumber } from '../../kernel/timestamp.ts';

/** What the messages of one request share. Times are epoch milliseconds. */
export interface Batch {
  sentAt: number | undefined;
  receivedAt: number;
}

/** Its `sentAt` is the time at which it closed the file with the events, which may be days before it sends them. */
const SENT_AT_IS_NO_CLOCK = 'Analytics-CSharp';

/**
 * When a message happened. If the sender's clock differs by more than `segmentSkewMs` from the service's, the
 * difference is corrected; without a readable time it is the time of receipt.
 */
export function timeOf(
  message: Readonly<Record<string, unknown>>,
  context: Readonly<Record<string, unknown>>,
  { sentAt: ofBatch, receivedAt }: Batch,
): number {
  const claimed = readTime(message['originalTimestamp']) ?? readTime(message['timestamp']);
  if (claimed === undefined) return receivedAt;
  const library = isPlainObject(context['library']) ? context['library']['name'] : undefined;
  const sentAt = readTime(message['sentAt']) ?? ofBatch;
  if (sentAt === undefined || library === SENT_AT_IS_NO_CLOCK) return claimed;
  const skewMs = receivedAt - sentAt;
  if (Math.abs(skewMs) <= LIMITS.segmentSkewMs) return claimed;
  return timeOfNumber(claimed + skewMs) ?? receivedAt;
}

/** A time as ISO 8601 or in epoch milliseconds; undefined for anything else. */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'string') return parseTimestamp(value);
  return typeof value === 'number' ? timeOfNumber(value) : undefined;
}
