import type { RememberedKey } from '../../vocabulary/state/state.ts';
import type { RecentEvent, RecordedPurchase, RecordedRefund } from '../../vocabulary/state/player.ts';
import type { PurchaseReceipt } from '../../vocabulary/state/receipt.ts';

/* Layout of a player's stored requests that can repeat. `byClient` is absent where the caller has no kind. */

export type RecordedPurchaseTuple = [
  digest: string,
  amount: number,
  totalRevenue: number,
  purchaseCount: number,
  // Absent fields at the end are left out.
  details?: DetailsTuple | null,
  byClient?: boolean,
  refunded?: number,
  paid?: PaidTuple | null,
  receipt?: PurchaseReceipt | null,
  uncounted?: true,
];
type PaidTuple = [amount: number, currency: string, rate: number, refunded?: number];
type DetailsTuple = [at: number, currency: string | null, productId: string | null];
export type RecordedRefundTuple = [
  digest: string,
  transaction: string,
  amount: number,
  remaining: number,
  totalRevenue: number,
  purchaseCount: number,
  paid?: [amount: number, remaining: number, currency: string],
];
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
  const { digest, amount, totalRevenue, purchaseCount, details, byClient = false, refunded = 0, paid } = purchase;
  const { receipt, uncounted } = purchase;
  const isByReceipt = receipt !== undefined || uncounted === true;
  const tuple: RecordedPurchaseTuple = [digest, amount, totalRevenue, purchaseCount];
  const hasMore = byClient || refunded > 0 || paid !== undefined || isByReceipt;
  if (details !== undefined) tuple.push([details.at, details.currency, details.productId]);
  else if (hasMore) tuple.push(null);
  if (hasMore) tuple.push(byClient);
  if (refunded > 0 || paid !== undefined || isByReceipt) tuple.push(refunded);
  if (paid !== undefined) {
    const head = [paid.amount, paid.currency, paid.rate] as const;
    tuple.push(paid.refunded === undefined ? [...head] : [...head, paid.refunded]);
  } else if (isByReceipt) tuple.push(null);
  if (isByReceipt) tuple.push(receipt ?? null);
  if (uncounted === true) tuple.push(true);
  return tuple;
}

export function purchaseFromTuple(tuple: RecordedPurchaseTuple): RecordedPurchase {
  const [digest, amount, totalRevenue, purchaseCount, details = null, byClient = false, refunded = 0, ...rest] = tuple;
  const [paid = null, receipt = null, uncounted] = rest;
  const purchase: RecordedPurchase = { digest, amount, totalRevenue, purchaseCount };
  if (refunded > 0) purchase.refunded = refunded;
  if (byClient) purchase.byClient = byClient;
  if (details !== null) purchase.details = { at: details[0], currency: details[1], productId: details[2] };
  if (receipt !== null) purchase.receipt = receipt;
  if (uncounted === true) purchase.uncounted = true;
  if (paid !== null) {
    purchase.paid = { amount: paid[0], currency: paid[1], rate: paid[2] };
    if (paid[3] !== undefined) purchase.paid.refunded = paid[3];
  }
  return purchase;
}

export function refundToTuple(refund: RecordedRefund): RecordedRefundTuple {
  const { digest, transaction, amount, remaining, totalRevenue, purchaseCount, paid } = refund;
  const tuple: RecordedRefundTuple = [digest, transaction, amount, remaining, totalRevenue, purchaseCount];
  if (paid !== undefined) tuple.push([paid.amount, paid.remaining, paid.currency]);
  return tuple;
}

export function refundFromTuple(tuple: RecordedRefundTuple): RecordedRefund {
  const [digest, transaction, amount, remaining, totalRevenue, purchaseCount, paid] = tuple;
  const refund: RecordedRefund = { digest, transaction, amount, remaining, totalRevenue, purchaseCount };
  if (paid !== undefined) refund.paid = { amount: paid[0], remaining: paid[1], currency: paid[2] };
  return refund;
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
