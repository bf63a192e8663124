import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookEvent } from './webhook-event.ts';

/** Headers as Node, `fetch`, or a framework has them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookOptions {
  /** How old or new the attempt's time may be, milliseconds; 5 minutes by default. Every attempt has its own time. */
  toleranceMs?: number;
  /** The time now, ms since 1970; tests set it. */
  nowMs?: number;
}

/** Why a delivery is not genuine. */
export type WebhookFault = 'missing-header' | 'too-old' | 'too-new' | 'wrong-signature' | 'not-an-event';

/** A delivery that is not genuine: answer 401. Its message holds nothing of the secrets. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly fault: WebhookFault;

  constructor(fault: WebhookFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

const TOLERANCE_MS = 300_000;
/** During a rotation there are two; a header with many must not cost a hash each. */
const MOST_SIGNATURES = 16;

/**
 * Checks the signature of a delivery (Standard Webhooks) and returns its event. Throws a `WebhookError` if the delivery
 * is not genuine, and a `TypeError` without a secret.
 * @param rawBody the exact bytes of the body, or their text; never JSON that was parsed and written again
 * @param secrets the webhook's secret, or several while you rotate it
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceMs = TOLERANCE_MS, nowMs = Date.now() }: WebhookOptions = {},
): WebhookEvent {
  const accepted = typeof secrets === 'string' ? [secrets] : secrets;
  if (accepted.length === 0 || accepted.some((secret) => typeof secret !== 'string' || secret === '')) {
    throw new TypeError('verifyWebhook: `secrets` is a text, or a list of texts, that is not empty.');
  }
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature').split(' ').slice(0, MOST_SIGNATURES);
  const ageMs = nowMs - Number(/^\d{1,12}$/.test(timestamp) ? timestamp : NaN) * 1000;
  // Also for a time that is no number.
  if (!(ageMs <= toleranceMs)) throw new WebhookError('too-old', `The delivery is more than ${toleranceMs} ms old.`);
  if (ageMs < -toleranceMs) throw new WebhookError('too-new', `The delivery is more than ${toleranceMs} ms ahead.`);
  const given = signatures.map((signature) => Buffer.from(signature));
  // All are compared, so that the time says nothing about which one fits.
  let isGenuine = false;
  for (const secret of accepted) {
    const hash = createHmac('sha256', signingKey(secret)).update(`${id}.${timestamp}.`).update(rawBody);
    const expected = Buffer.from(`v1,${hash.digest('base64')}`);
    for (const signature of given) {
      if (signature.length === expected.length && timingSafeEqual(signature, expected)) isGenuine = true;
    }
  }
  if (!isGenuine) throw new WebhookError('wrong-signature', 'No secret gives a signature of the delivery.');
  return eventOf(rawBody);
}

function eventOf(rawBody: string | Uint8Array): WebhookEvent {
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody);
  try {
    const event: unknown = JSON.parse(text);
    if (isEvent(event)) return event;
  } catch {
    // The same as another shape.
  }
  throw new WebhookError('not-an-event', 'The body is genuine but is no event.');
}

/** The signature proves that the service wrote it; this only guards against another kind of sender with the secret. */
function isEvent(value: unknown): value is WebhookEvent {
  const { id, type, data, metadata } = Object(value);
  return typeof id === 'string' && typeof type === 'string' && typeof data === 'object' && typeof metadata === 'object';
}

/** Exactly as the service derives it: the base64 part of a `whsec_` secret, else the bytes of the text. */
function signingKey(secret: string): Buffer {
  const base64 = STANDARD_SECRET.exec(secret)?.[1];
  return base64 === undefined ? Buffer.from(secret, 'utf8') : Buffer.from(base64, 'base64');
}

const STANDARD_SECRET =
  /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/;

function header(headers: WebhookHeaders, name: string): string {
  const value = 'get' in headers && typeof headers.get === 'function' ? headers.get(name) : valueOf(headers, name);
  const text = Array.isArray(value) ? value.join(' ') : value;
  if (typeof text === 'string' && text !== '') return text;
  throw new WebhookError('missing-header', `The delivery has no header \`${name}\`.`);
}

/** Node has names in lower case; serverless platforms may keep theirs. */
function valueOf(headers: object, name: string): unknown {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}
