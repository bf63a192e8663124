import { HIDDEN } from '../../../streams/config/hidden-texts.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';

/**
 * A message that cannot be read, without what a readable one would keep apart: the API key that some clients put into
 * messages, and e-mail addresses at any depth, also in texts: some senders encode an object twice. Readers of
 * ClickHouse without a password see the rest.
 */
export function withoutSecrets(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(withoutSecrets);
  if (typeof message === 'string' && MAYBE_ADDRESS.test(message)) return HIDDEN;
  if (!isPlainObject(message)) return message;
  const kept = Object.entries(message).filter(([name]) => !isSecret(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutSecrets(value)]));
}

/** `%40`: in a URL. */
const MAYBE_ADDRESS = /@|%40/;
const SECRETS: ReadonlySet<string> = new Set(['writekey', 'email', 'emailaddress']);

/** Whatever its spelling: an unreadable message is one whose sender spells fields differently. */
const isSecret = (name: string): boolean => SECRETS.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''));
