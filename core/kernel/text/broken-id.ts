/*
 * Texts that stand for a missing id: what a client sends when a variable was never set. Taken as ids, they would make
 * one player of everybody who has the bug. They are compared trimmed, without quotes and in lower case.
 */

const BROKEN: ReadonlySet<string> = new Set(['', 'undefined', 'null', '(null)', '<null>', '<nil>', 'nan', '-nan']);

/**
 * Placeholders that PostHog and Mixpanel refuse to tie to people, and Unity's `SystemInfo.unsupportedIdentifier`. A
 * game may have a player 0 or guest of its own, so only messages of third-party clients are held against them.
 */
export const PLACEHOLDERS: ReadonlySet<string> = new Set([
  '0',
  '-1',
  'none',
  'nil',
  'n/a',
  'na',
  'unknown',
  'anon',
  'anonymous',
  'guest',
  'not_authenticated',
  'distinctid',
  'distinct_id',
  'id',
  'email',
  'userid',
  'user_id',
  'true',
  'false',
  '[]',
  '{}',
]);

const OBJECT = '[object ';
const QUOTES = ['"', "'", '`'];

/** Whether a text can be no `external_id`. An empty text is left to the rule about lengths. */
export function isBrokenId(text: string): boolean {
  return text !== '' && isBroken(bare(text));
}

/** Whether a text is no id in a message of a third-party client. */
export function isPlaceholderId(text: string): boolean {
  const id = bare(text);
  return isBroken(id) || PLACEHOLDERS.has(id);
}

export const BROKEN_ID = 'is a missing value that became a text ("undefined", "null" and the like); send a real id';

function isBroken(id: string): boolean {
  return BROKEN.has(id) || (id.startsWith(OBJECT) && id.endsWith(']')) || isZeroUuid(id);
}

/** Blanks, also those of no width, and control characters. */
const INVISIBLE_ENDS = /^[\p{Z}\p{Cc}\p{Cf}]+|[\p{Z}\p{Cc}\p{Cf}]+$/gu;
/** The longest text that can be broken: quoted and padded ids are compared without both. */
const LONGEST = 64;

function bare(text: string): string {
  const short = text.trim();
  if (short.length > LONGEST) return short;
  const trimmed = short.replace(INVISIBLE_ENDS, '');
  const isQuoted = trimmed.length > 1 && QUOTES.some((quote) => trimmed.startsWith(quote) && trimmed.endsWith(quote));
  return (isQuoted ? trimmed.slice(1, -1).replace(INVISIBLE_ENDS, '') : trimmed).toLowerCase();
}

/** With or without hyphens, and braces or parentheses, as C# and Windows write it. */
function isZeroUuid(id: string): boolean {
  if (!id.includes('00000000')) return false;
  return id.replaceAll(/^(?:urn:uuid:|[({])|[)}]$|-/g, '') === '0'.repeat(32);
}
