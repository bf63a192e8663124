import { utf8Bytes } from '../../src/events/entries.ts';
import { documentJson, nameFault } from '../../src/events/tracked.ts';
import type { Operations } from '../../src/generated/operations.ts';
import { isUuid } from '../../../../core/kernel/uuid.ts';

/* What a game server reports of its players, as it waits to be sent. Ids are set here, once, for all attempts. */

export interface TrackOptions {
  /** When it happened; now by default. */
  timestamp?: Date | string;
  session_id?: string;
  /** Your own id; a repeat for the same player counts once. By default a new one. */
  event_id?: string;
}

export interface PurchaseOptions {
  /** ISO 4217. */
  currency?: string;
  product_id?: string;
  /** The store's id; a repeat for the same player counts once. By default a new one. */
  transaction_id?: string;
}

/** An event as the batch endpoint takes it. */
export type TrackedEvent = Operations['POST /v1/events/events/batch']['body']['events'][number] & {
  readonly event_id: string;
};

export interface Purchase {
  readonly player_id: string;
  readonly amount: number;
  readonly transaction_id: string;
  readonly currency?: string;
  readonly product_id?: string;
}

/** One exposure as the service takes it. */
export type Exposure = Operations['POST /v1/flags/exposures']['body']['exposures'][number];

/** An item of a batch, with its JSON. */
export interface QueuedItem<Value> {
  readonly playerId: string;
  /** Of an event without its properties. */
  readonly value: Value;
  readonly json: string;
  readonly bytes: number;
}

export interface QueuedPurchase extends QueuedItem<Purchase> {
  /** Of every attempt. */
  readonly idempotencyKey: string;
}

export type Read<Item> = { kind: 'item'; item: Item } | { kind: 'invalid' | 'too-large'; message: string };

interface NewId {
  newId: () => string;
  nowMs: number;
}

export function readEvent(
  playerId: unknown,
  name: unknown,
  properties: unknown,
  options: TrackOptions,
  { newId, nowMs }: NewId,
): Read<QueuedItem<TrackedEvent>> {
  const fault = playerFault(playerId) ?? nameFault(name);
  if (fault !== undefined) return { kind: 'invalid', message: fault };
  const document = documentJson(properties);
  if (document.kind !== 'json') return { kind: document.kind, message: document.message };
  const timestamp = timeText(options.timestamp, nowMs);
  if (timestamp === undefined) return { kind: 'invalid', message: '`timestamp` is no time.' };
  const value: TrackedEvent = {
    player_id: String(playerId),
    event_name: String(name),
    event_id: options.event_id ?? newId(),
    timestamp,
    ...(options.session_id === undefined ? {} : { session_id: options.session_id }),
  };
  // The properties as they are now, as text: a later change of the object changes nothing.
  const own = document.text === '' ? '' : `,"properties":${document.text}`;
  return { kind: 'item', item: queued(value, `${JSON.stringify(value).slice(0, -1)}${own}}`) };
}

export function readPurchase(
  playerId: unknown,
  amount: unknown,
  { currency, product_id, transaction_id }: PurchaseOptions,
  { newId }: NewId,
): Read<QueuedPurchase> {
  const fault = playerFault(playerId);
  if (fault !== undefined) return { kind: 'invalid', message: fault };
  if (typeof amount !== 'number' || !Number.isFinite(amount) || amount <= 0) {
    return { kind: 'invalid', message: 'The amount of a purchase is a number greater than 0.' };
  }
  const value: Purchase = {
    player_id: String(playerId),
    amount,
    transaction_id: transaction_id ?? newId(),
    ...(currency === undefined ? {} : { currency }),
    ...(product_id === undefined ? {} : { product_id }),
  };
  return { kind: 'item', item: { ...queued(value, JSON.stringify(value)), idempotencyKey: newId() } };
}

export function queuedExposure(value: Exposure): QueuedItem<Exposure> {
  return queued(value, JSON.stringify(value));
}

/** The event as it was when it was tracked. */
export function asTracked({ json }: QueuedItem<TrackedEvent>): TrackedEvent {
  const event: TrackedEvent = JSON.parse(json);
  return event;
}

function queued<Value extends { readonly player_id: string }>(value: Value, json: string): QueuedItem<Value> {
  return { playerId: value.player_id, value, json, bytes: utf8Bytes(json) + 1 };
}

function playerFault(playerId: unknown): string | undefined {
  return typeof playerId === 'string' && isUuid(playerId)
    ? undefined
    : 'The player is its id by the service, a UUID: `id` in the answer to its registration, or `server.playerId(…)`.';
}

function timeText(time: Date | string | undefined, nowMs: number): string | undefined {
  if (typeof time === 'string') return time;
  const ms = time === undefined ? nowMs : time.getTime();
  return Number.isFinite(ms) && ms >= 0 && ms < END_MS ? new Date(ms).toISOString() : undefined;
}

/** The year 2300, the end of the times that the service stores. */
const END_MS = 10_413_792_000_000;
