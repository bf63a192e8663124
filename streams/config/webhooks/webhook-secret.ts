const PREFIX = 'whsec_';

/**
 * The key in a secret of Standard Webhooks: `whsec_` and base64 with its padding. Undefined for any other text, whose
 * UTF-8 bytes are the key then.
 */
export function standardKeyOf(secret: string): Buffer | undefined {
  const base64 = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(base64, 'base64');
  return key.length > 0 && key.toString('base64') === base64 ? key : undefined;
}

/** Whether a text was meant as such a secret, but is none: receivers' libraries could not read it. */
export function isBrokenStandardSecret(secret: string): boolean {
  return secret.toLowerCase().includes(PREFIX) && standardKeyOf(secret) === undefined;
}
