import { createHmac } from 'node:crypto';

/** The two signature schemes of a delivery, as headers. */
export interface SignatureHeaders {
  'X-Service-Signature': string;
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/**
 * Signs one attempt.
 *
 * `X-Service-Signature` (contract: Webhook signing): lower-case hexadecimal HMAC-SHA256 of the exact body bytes, keyed with
 * the secret's full text. The other three are the Standard Webhooks set: HMAC-SHA256 in base64 over `id.timestamp.body`.
 * @param timestampSeconds when this attempt is made; receivers refuse what is much older
 */
export function signDelivery(secret: string, id: string, timestampSeconds: number, body: Uint8Array): SignatureHeaders {
  const standard = createHmac('sha256', standardKey(secret)).update(`${id}.${timestampSeconds}.`).update(body);
  return {
    'X-Service-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1,${standard.digest('base64')}`,
  };
}

const STANDARD_SECRET =
  /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/;

/** The Standard Webhooks key: the bytes behind a `whsec_` secret's base64, else the secret's UTF-8 bytes. */
function standardKey(secret: string): Buffer {
  const base64 = STANDARD_SECRET.exec(secret)?.[1];
  return base64 === undefined ? Buffer.from(secret, 'utf8') : Buffer.from(base64, 'base64');
}
