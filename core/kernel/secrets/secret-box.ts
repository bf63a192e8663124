import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

/**
 * A text encrypted for storage: `v1.<key id>.<nonce, tag and ciphertext in base64url>`. It is an object, so a sealed
 * secret is never confused with one that was stored in plain text.
 */
export interface Sealed {
  sealed: string;
}

/**
 * Encrypts secrets that the service stores, so that access to the disk or the log does not reveal them (AES-256-GCM, a
 * random nonce of 96 bits each). One key seals; that key and the others open, so keys can be rotated without a stop.
 *
 *     const stored = box.seal(secret, `game/${id}/player-tokens`);
 *     const secret = box.open(stored, `game/${id}/player-tokens`);
 *
 * `open` returns `undefined` for another key, another context or a modified text. `context` names the secret's owner
 * and is authenticated with it: a sealed text that is copied elsewhere does not open. It must never change for a
 * secret.
 */
export interface SecretBox {
  /** Identifies the key that seals without revealing it: 16 hex digits. */
  readonly keyId: string;
  /** Whether the box can open texts that the key with that id sealed. */
  knows(keyId: string): boolean;
  seal(text: string, context: string): Sealed | string;
  open(sealed: Sealed, context: string): string | undefined;
  /** Whether a stored value has the form and the key that `seal` uses now. */
  isCurrent(stored: Sealed | string): boolean;
}

export const SECRET_KEY_BYTES = 32;
const FORM = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * @param keys 32 bytes each; the first seals, all open
 * @param randomBytes the source of nonces
 */
export function createSecretBox(
  keys: readonly [Uint8Array, ...Uint8Array[]],
  randomBytes: (sizeBytes: number) => Uint8Array,
): SecretBox {
  const [key] = keys;
  const keyId = keyIdOf(key);
  const byId = new Map(keys.map((each) => [keyIdOf(each), each]));
  return {
    keyId,
    knows: (id) => byId.has(id),
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context, 'utf8'));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const parts = Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
      return { sealed: `${FORM}.${keyId}.${parts.toString('base64url')}` };
    },
    open({ sealed }, context) {
      const [form, id = '', text = ''] = sealed.split('.');
      const opening = byId.get(id);
      const parts = Buffer.from(text, 'base64url');
      if (form !== FORM || opening === undefined || parts.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', opening, parts.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(context, 'utf8'))
        .setAuthTag(parts.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const opened = decipher.update(parts.subarray(NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([opened, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
    isCurrent: (stored) => typeof stored !== 'string' && stored.sealed.startsWith(`${FORM}.${keyId}.`),
  };
}

/** Opens as `box` does and seals nothing: for a downgrade to a version that cannot open. */
export function withoutSealing(box: SecretBox): SecretBox {
  return { ...box, seal: (text) => text, isCurrent: (stored) => typeof stored === 'string' };
}

function keyIdOf(key: Uint8Array): string {
  return createHmac('sha256', key).update('player-analytics secrets key id').digest('hex').slice(0, 16);
}
