import { uuidv5 } from '../../../../core/kernel/ids.ts';
import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';
import { decodeJson, encodeJson } from '../../../../core/codec/codec.ts';
import { type Delivery, deliveryOf, messageIdOf } from './delivery.ts';

/*
 * A record of DELIVERIES: deliveries of one webhook. JSON, so that any NATS tool can show the queue. `v` is the version
 * of the shape: a worker leaves other versions in the queue.
 */

const VERSION = 1;

/** The webhook that all deliveries of a record are for. */
export type Receiver = Scope & { webhook: string };

export const encodeDelivery = (delivery: Delivery): Uint8Array => encodeDeliveries(delivery, [delivery]);

/** Deliveries of one webhook, or none: an empty record replaces one that is no longer needed. */
export function encodeDeliveries(receiver: Receiver, deliveries: readonly Delivery[]): Uint8Array {
  const { game, environment, webhook } = receiver;
  // `undefined` leaves out what all of them share.
  const each = deliveries.map((one) => ({ ...one, game: undefined, environment: undefined, webhook: undefined }));
  return encodeJson({ v: VERSION, game, environment, webhook, deliveries: each });
}

/** `undefined`: a record of an unknown version, or not a record of deliveries. */
export function decodeDeliveries(bytes: Uint8Array): readonly Delivery[] | undefined {
  let value: unknown;
  try {
    value = decodeJson(bytes);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { v, game, environment, webhook, deliveries } = value;
  if (v !== VERSION || !Array.isArray(deliveries)) return undefined;
  const decoded: Delivery[] = [];
  for (const fields of deliveries) {
    const one = isObject(fields) ? deliveryOf({ ...fields, game, environment, webhook }) : undefined;
    if (one === undefined) return undefined;
    decoded.push(one);
  }
  return decoded;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const NAMESPACE = '0d2f6f0e-8a3b-4f0c-9b55-6f3f4f5a7c21';

/**
 * Message id of the first record of deliveries, by which the broker drops repeated appends. It depends on all of them:
 * records with different deliveries must not count as repeats.
 */
export function recordMessageId(deliveries: readonly Delivery[]): string {
  const ids = deliveries.map(messageIdOf);
  const [only = ''] = ids;
  return ids.length === 1 ? only : uuidv5(NAMESPACE, ids.join(' '));
}
