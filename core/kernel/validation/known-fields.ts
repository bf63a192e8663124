import { editDistance } from '../text/edit-distance.ts';
import { isPlainObject } from './plain-object.ts';

/** Objects with more fields are not listed in a message: their documentation does that. */
const MOST_LISTED = 8;
/** Characters that may differ between a name and the one that was meant. */
const MOST_APART = 2;

/** The remedy for a field that an object's schema does not have: the one that was meant, or all of a small object. */
export function knownFields(schema: unknown, unknownName: string): string {
  const names = fieldsOf(schema);
  const meant = names.find((name) => isLike(name, unknownName));
  if (meant !== undefined) return `; the nearest is \`${meant}\``;
  return listed(names) === '' ? '' : `; the fields are ${listed(names)}`;
}

/** The remedy for a value that must be an object with certain fields. */
export function fieldsWanted(schema: unknown): string {
  const names = listed(fieldsOf(schema));
  return names === '' ? '' : `, with the fields ${names}`;
}

function fieldsOf(schema: unknown): string[] {
  const properties = isPlainObject(schema) ? schema['properties'] : undefined;
  return isPlainObject(properties) ? Object.keys(properties) : [];
}

const listed = (names: readonly string[]): string => (names.length > MOST_LISTED ? '' : names.join(', '));

function isLike(name: string, sent: string): boolean {
  if (sent.length < 3) return false;
  return name.startsWith(sent) || name.endsWith(`_${sent}`) || editDistance(name, sent, MOST_APART) <= MOST_APART;
}
