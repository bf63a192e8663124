import { createHash } from 'node:crypto';

/** The next fact for a reader of the stream: fact `index` of the FACTS record `sequence`. */
export interface Cursor {
  sequence: number;
  index: number;
}

/**
 * Parses an SSE id; `undefined`: not one of ours. An id names the last fact or record that was sent; `next` is the fact
 * after it.
 */
export function parsePosition(text: string): { tag: string; next: Cursor } | undefined {
  if (text.length > LONGEST) return undefined;
  const [tag = '', sequence = '', index = '', ...rest] = text.split('-');
  if (tag.length !== 12 || !isOf(HEX, tag) || !isNumber(sequence, 15) || rest.length > 0) return undefined;
  if (index !== 'end' && !isNumber(index, 6)) return undefined;
  const next =
    index === 'end'
      ? { sequence: Number(sequence) + 1, index: 0 }
      : { sequence: Number(sequence), index: Number(index) + 1 };
  return { tag, next };
}

/** Characters of the longest position: a tag, a sequence and an index. */
const LONGEST = 12 + 1 + 15 + 1 + 6;
const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;

function isNumber(text: string, mostDigits: number): boolean {
  return text !== '' && text.length <= mostDigits && isOf(DIGITS, text);
}

function isOf(characters: string, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!characters.includes(text.charAt(i))) return false;
  return true;
}

/**
 * The incarnation of FACTS in an SSE id: twelve hexadecimal digits of a digest of its creation time. The time itself
 * holds dashes and colons, and ids come back in a header.
 */
export function streamTag(created: string): string {
  return createHash('sha256').update(created).digest('hex').slice(0, 12);
}

/** The SSE id of fact `index` of record `sequence`. */
export const factPosition = (tag: string, sequence: number, index: number): string => `${tag}-${sequence}-${index}`;

/** The SSE id of a position: every matching fact up to and including record `sequence` was sent. */
export const recordPosition = (tag: string, sequence: number): string => `${tag}-${sequence}-end`;
