import { createHmac } from 'node:crypto';

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

const STANDARD_SECRET =
  /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/;

/** The Standard Webhooks key: the decoded base64 of a `whsec_` secret, else the secret's UTF-8 bytes. */
function standardKey(secret: string): Buffer {
  const base64 = STANDARD_SECRET.exec(secret)?.[1];
  return base64 === undefined ? Buffer.from(secret, 'utf8') : Buffer.from(base64, 'base64');
}
