import type { RememberedKey } from '../../vocabulary/state/state.ts';
import { replyFromWire, replyToWire, type WireReply } from '../messages/reply-layout.ts';
import { laterOf, withLater } from '../later-fields.ts';
import type { RecentEvent, RecordedPurchase } from '../../vocabulary/state/player.ts';

/*
 * Layout of a player's stored requests that can repeat, version 1. A later field goes to the end, and reading supplies
 * its default. `byClient` is absent where the kind of the caller is unknown.
 */

export type RecordedPurchaseTuple = [
  digest: string,
  amount: number,
  totalRevenue: number,
  purchaseCount: number,
  // Absent in purchases by server keys, and in those older than kinds of callers.
  byClient?: [] | ReportedTuple,
  ...later: unknown[],
];
type ReportedTuple = [at: number, currency: string | null, productId: string | null];
export type KeyTuple = [
  key: string,
  bodyHash: string,
  at: number,
  reply: WireReply,
  byClient?: boolean,
  ...later: unknown[],
];
export type EventTuple = [
  eventId: string,
  eventName: string,
  timestamp: number,
  receivedAt: number,
  quarantined?: true | null,
  byClient?: boolean,
  ...later: unknown[],
];
/** The number of fields of each layout. */
const FIELDS = { event: 6, purchase: 5, key: 5 } as const;

export function eventToTuple(event: RecentEvent): EventTuple {
  const { eventId, eventName, timestamp, receivedAt, quarantined, by } = event;
  const tuple: EventTuple = [eventId, eventName, timestamp, receivedAt];
  if (quarantined === true) tuple.push(quarantined);
  else if (by !== undefined) tuple.push(null);
  if (by !== undefined) tuple.push(by === 'client');
  return withLater(tuple, FIELDS.event, event);
}

export function eventFromTuple(tuple: EventTuple): RecentEvent {
  const [eventId, eventName, timestamp, receivedAt, quarantined, byClient] = tuple;
  const event: RecentEvent = { eventId, eventName, timestamp, receivedAt, ...laterOf(tuple, FIELDS.event) };
  if (quarantined === true) event.quarantined = quarantined;
  if (byClient !== undefined) event.by = byClient ? 'client' : 'server';
  return event;
}

export function purchaseToTuple(purchase: RecordedPurchase): RecordedPurchaseTuple {
  const { digest, amount, totalRevenue, purchaseCount, byClient } = purchase;
  const tuple: RecordedPurchaseTuple = [digest, amount, totalRevenue, purchaseCount];
  if (byClient !== undefined) {
    const { told } = byClient;
    tuple.push(told === null ? [] : [told.at, told.currency, told.productId]);
  }
  return withLater(tuple, FIELDS.purchase, purchase);
}

export function purchaseFromTuple(tuple: RecordedPurchaseTuple): RecordedPurchase {
  const [digest, amount, totalRevenue, purchaseCount, byClient] = tuple;
  const later = laterOf(tuple, FIELDS.purchase);
  const purchase: RecordedPurchase = { digest, amount, totalRevenue, purchaseCount, ...later };
  if (byClient === undefined) return purchase;
  const [at, currency = null, productId = null] = byClient;
  purchase.byClient = { told: at === undefined ? null : { at, currency, productId } };
  return purchase;
}

export function keyToTuple(remembered: RememberedKey): KeyTuple {
  const { key, bodyHash, at, reply, by } = remembered;
  const tuple: KeyTuple = [key, bodyHash, at, replyToWire(reply)];
  if (by !== undefined) tuple.push(by === 'client');
  return withLater(tuple, FIELDS.key, remembered);
}

export function keyFromTuple(tuple: KeyTuple): RememberedKey {
  const [key, bodyHash, at, reply, byClient] = tuple;
  const remembered: RememberedKey = { key, bodyHash, at, reply: replyFromWire(reply), ...laterOf(tuple, FIELDS.key) };
  if (byClient !== undefined) remembered.by = byClient ? 'client' : 'server';
  return remembered;
}
