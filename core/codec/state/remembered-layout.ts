import type { RememberedKey } from '../../vocabulary/state/state.ts';
import type { RecentEvent, RecordedPurchase } from '../../vocabulary/state/player.ts';

/* Layout of a player's stored requests that can repeat. `byClient` is absent where the caller has no kind. */

export type RecordedPurchaseTuple = [
  digest: string,
  amount: number,
  totalRevenue: number,
  purchaseCount: number,
  // Absent in purchases by server keys.
  byClient?: [] | ReportedTuple,
];
type ReportedTuple = [at: number, currency: string | null, productId: string | null];
export type KeyTuple = [key: string, bodyHash: string, at: number, reply: Uint8Array, byClient?: boolean];
export type EventTuple = [
  eventId: string,
  eventName: string,
  timestamp: number,
  receivedAt: number,
  quarantined?: true | null,
  byClient?: boolean,
];
export function eventToTuple(event: RecentEvent): EventTuple {
  const { eventId, eventName, timestamp, receivedAt, quarantined, by } = event;
  const tuple: EventTuple = [eventId, eventName, timestamp, receivedAt];
  if (quarantined === true) tuple.push(quarantined);
  else if (by !== undefined) tuple.push(null);
  if (by !== undefined) tuple.push(by === 'client');
  return tuple;
}

export function eventFromTuple(tuple: EventTuple): RecentEvent {
  const [eventId, eventName, timestamp, receivedAt, quarantined, byClient] = tuple;
  const event: RecentEvent = { eventId, eventName, timestamp, receivedAt };
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
  return tuple;
}

export function purchaseFromTuple(tuple: RecordedPurchaseTuple): RecordedPurchase {
  const [digest, amount, totalRevenue, purchaseCount, byClient] = tuple;
  const purchase: RecordedPurchase = { digest, amount, totalRevenue, purchaseCount };
  if (byClient === undefined) return purchase;
  const [at, currency = null, productId = null] = byClient;
  purchase.byClient = { told: at === undefined ? null : { at, currency, productId } };
  return purchase;
}

export function keyToTuple(remembered: RememberedKey): KeyTuple {
  const { key, bodyHash, at, reply, by } = remembered;
  const tuple: KeyTuple = [key, bodyHash, at, reply];
  if (by !== undefined) tuple.push(by === 'client');
  return tuple;
}

export function keyFromTuple(tuple: KeyTuple): RememberedKey {
  const [key, bodyHash, at, reply, byClient] = tuple;
  const remembered: RememberedKey = { key, bodyHash, at, reply: new Uint8Array(reply) };
  if (byClient !== undefined) remembered.by = byClient ? 'client' : 'server';
  return remembered;
}
