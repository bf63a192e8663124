import type { Json } from '../../../core/kernel/text/json.ts';

/* Client keys are public, and so is every value of a flag that they may see. */

/** Names of members whose values are secrets. */
const SECRET_NAME = /secret|token|passw|api[_-]?key|private[_-]?key|credential/i;

/** Forms of keys and tokens that services give out, and addresses that contain a password. */
const SECRET_TEXT = [
  /^-----BEGIN /,
  /\b(sk|rk|whsec|ghp|gho|github_pat|glpat|xox[abprs]|AIza|AKIA|ASIA|ya29|SG)[_.-]?[\w-]{12}/,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\./,
  /\b(bearer|basic) [\w+/=.-]{12}/i,
  /:\/\/[^\s/@]*:[^\s/@]+@/,
  /[?&](sig|signature|token|key|api_key|access_token)=[\w%+-]{8}/i,
];

/** Whether a value of a flag looks like a secret. It may be wrong in both directions: it warns, it refuses nothing. */
export function looksSecret(value: Json, name = ''): boolean {
  if (typeof value === 'string') {
    if (SECRET_NAME.test(name) && value.length >= 6) return true;
    return SECRET_TEXT.some((form) => form.test(value)) || isRandom(value);
  }
  if (Array.isArray(value)) return value.some((item) => looksSecret(item, name));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => looksSecret(item, key));
}

/** One long word of small and capital letters and digits, as random keys are. */
function isRandom(text: string): boolean {
  return text.length >= 24 && /^[\w+/=-]+$/.test(text) && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(text));
}
