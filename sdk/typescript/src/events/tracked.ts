import { utf8Bytes } from './entries.ts';
import { textOf } from '../wire/text-of.ts';
import { isText } from '../wire/json.ts';

/* Turns what a game passes in into JSON text, once: a later change of the object changes nothing. */

export type Json = { kind: 'json'; text: string } | { kind: 'invalid' | 'too-large'; message: string };

/** The service's bound on `properties` and `attributes` as JSON. */
const DOCUMENT_BYTES = 65_536;
const NAME_LENGTH = 128;

/** Why an event cannot have this name; undefined if it can. */
export function nameFault(name: unknown): string | undefined {
  if (isText(name) && name.length <= NAME_LENGTH) return undefined;
  return `A name has 1 to ${NAME_LENGTH} characters.`;
}

/** Names of members that JSON leaves out. */
export function lostMembers(value: unknown): string[] {
  return Object.keys(Object(value)).filter((name) => /^(undefined|function|symbol)$/.test(typeof Object(value)[name]));
}

/** @param value a plain object; undefined is none and gives an empty text */
export function documentJson(value: unknown): Json {
  if (value === undefined) return { kind: 'json', text: '' };
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    return { kind: 'invalid', message: `No JSON: ${textOf(error)}` };
  }
  if (typeof text !== 'string' || !text.startsWith('{')) return { kind: 'invalid', message: 'No object.' };
  const bytes = text.length > DOCUMENT_BYTES ? text.length : utf8Bytes(text);
  if (bytes <= DOCUMENT_BYTES) return { kind: 'json', text };
  return { kind: 'too-large', message: `${bytes} bytes; the maximum is ${DOCUMENT_BYTES}.` };
}
