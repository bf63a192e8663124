import { createHmac } from 'node:crypto';
import { standardKeyOf } from '../../../config/webhooks/webhook-secret.ts';

/** The two signature schemes of a delivery, as headers. */
export interface SignatureHeaders extends Record<string, string> {
  'X-Service-Signature': string;
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/**
 * Signs one attempt (docs/webhooks.md).
 *
 * `X-Service-Signature` is the lower-case hexadecimal HMAC-SHA256 of the exact body bytes, keyed with the secret's full
 * text. The other three headers follow Standard Webhooks: HMAC-SHA256 in base64 over `id.timestamp.body`.
 * After a rotation, a receiver with either secret can verify: `webhook-signature` lists both signatures, and
 * `X-Service-Signature-Previous` uses the previous secret.
 * @param timestampSeconds time of this attempt; receivers reject old timestamps
 */
export function signDelivery(
  secret: string,
  id: string,
  timestampSeconds: number,
  body: Uint8Array,
  previousSecret?: string,
): SignatureHeaders {
  const plain = (key: string): string => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
  const standard = (key: string): string =>
    `v1,${createHmac('sha256', standardKey(key)).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')}`;
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  return {
    'X-Service-Signature': plain(secret),
    ...(previousSecret === undefined ? {} : { 'X-Service-Signature-Previous': plain(previousSecret) }),
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map(standard).join(' '),
  };
}

function standardKey(secret: string): Buffer {
  return standardKeyOf(secret) ?? Buffer.from(secret, 'utf8');
}
