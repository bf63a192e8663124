import type { RememberedKey } from '../../actors/vocabulary/state.ts';
import { replyFromWire, replyToWire, type WireReply } from './reply-layout.ts';
import type { RecentEvent, RecordedPurchase } from '../../actors/vocabulary/player.ts';

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
];
type ReportedTuple = [at: number, currency: string | null, productId: string | null];
export type KeyTuple = [key: string, bodyHash: string, at: number, reply: WireReply, byClient?: boolean];
export type EventTuple = [
  eventId: string,
  eventName: string,
  timestamp: number,
  receivedAt: number,
  quarantined?: true | null,
  byClient?: boolean,
];

export function eventToTuple({ eventId, eventName, timestamp, receivedAt, quarantined, by }: RecentEvent): EventTuple {
  const tuple: EventTuple = [eventId, eventName, timestamp, receivedAt];
  if (quarantined === true) tuple.push(quarantined);
  else if (by !== undefined) tuple.push(null);
  if (by !== undefined) tuple.push(by === 'client');
  return tuple;
}

export function eventFromTuple([
  eventId,
  eventName,
  timestamp,
  receivedAt,
  quarantined,
  byClient,
]: EventTuple): RecentEvent {
  const event: RecentEvent = { eventId, eventName, timestamp, receivedAt };
  if (quarantined === true) event.quarantined = quarantined;
  if (byClient !== undefined) event.by = byClient ? 'client' : 'server';
  return event;
}

export function purchaseToTuple(purchase: RecordedPurchase): RecordedPurchaseTuple {
  const { digest, amount, totalRevenue, purchaseCount, byClient } = purchase;
  if (byClient === undefined) return [digest, amount, totalRevenue, purchaseCount];
  const { told } = byClient;
  return [digest, amount, totalRevenue, purchaseCount, told === null ? [] : [told.at, told.currency, told.productId]];
}

export function purchaseFromTuple([digest, amount, totalRevenue, purchaseCount, byClient]: RecordedPurchaseTuple) {
  const purchase: RecordedPurchase = { digest, amount, totalRevenue, purchaseCount };
  if (byClient === undefined) return purchase;
  const [at, currency = null, productId = null] = byClient;
  purchase.byClient = { told: at === undefined ? null : { at, currency, productId } };
  return purchase;
}

export function keyToTuple({ key, bodyHash, at, reply, by }: RememberedKey): KeyTuple {
  if (by === undefined) return [key, bodyHash, at, replyToWire(reply)];
  return [key, bodyHash, at, replyToWire(reply), by === 'client'];
}

export function keyFromTuple([key, bodyHash, at, reply, byClient]: KeyTuple): RememberedKey {
  const remembered: RememberedKey = { key, bodyHash, at, reply: replyFromWire(reply) };
  if (byClient !== undefined) remembered.by = byClient ? 'client' : 'server';
  return remembered;
}
