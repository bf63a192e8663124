import type { Json, JsonObject } from '../../../core/kernel/text/json.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { bucketOf, keyIn } from './flags/model-buckets.ts';

/* Segments and shares of players in conditions, as documented: read again from the text of the conditions. */

/** Who is in which segment, and which segments there are. */
export interface Members {
  isIn: (segmentId: string) => boolean;
  isThere: (segmentId: string) => boolean;
}

/** What conditions of flags read: the memberships that the player has. */
export function membersOf({ segments }: PlayerState): Members {
  return { isIn: (id) => segments.some(({ segmentId }) => segmentId === id), isThere: () => true };
}

/** Whether `$inSegment` or `$bucket` holds; undefined: the member is another one. */
export function memberHolds(name: string, wanted: Json, state: PlayerState, members: Members): boolean | undefined {
  if (name === '$inSegment') return textsIn(wanted).some((id) => members.isIn(id) && members.isThere(id));
  if (name !== '$bucket') return undefined;
  const { salt, by, below } = shareIn(wanted);
  const key = keyIn(by, state);
  return key !== undefined && bucketOf(`${salt}:bucket`, key) < Math.round(below * 100);
}

/** Whether a condition may be negated: all players and segments that it asks for are there. */
export function isKnown(conditions: Json, state: PlayerState, members: Members): boolean {
  if (Array.isArray(conditions)) return conditions.every((part) => isKnown(part, state, members));
  if (typeof conditions !== 'object' || conditions === null) return true;
  return Object.entries(conditions).every(([name, wanted]) => {
    if (name === '$inSegment') return textsIn(wanted).every(members.isThere);
    if (name === '$bucket') return keyIn(shareIn(wanted).by, state) !== undefined;
    return !name.startsWith('$') || isKnown(wanted, state, members);
  });
}

interface Nested {
  id: string;
  conditions: JsonObject;
  load?: string;
}

/** The segments that a segment names. */
function namedIn({ conditions, load }: Nested): string[] {
  if (load !== undefined) return [];
  return [...JSON.stringify(conditions).matchAll(/"(segment-\d)"/g)].map(([, id = '']) => id);
}

/** Each after those that it names; equally deep ones by their ids. */
export function inOrderOfDepth<S extends Nested>(segments: readonly S[]): S[] {
  const depthOf = (segment: S): number =>
    Math.max(0, ...segments.filter(({ id }) => namedIn(segment).includes(id)).map((inner) => 1 + depthOf(inner)));
  const depths = new Map(segments.map((segment) => [segment.id, depthOf(segment)]));
  return segments.toSorted((a, b) => (depths.get(a.id) ?? 0) - (depths.get(b.id) ?? 0) || (a.id < b.id ? -1 : 1));
}

/** Some segments and all that name them, directly or not. */
export function withReaders<S extends Nested>(segments: readonly S[], ids: ReadonlySet<string>): S[] {
  const found = new Set(ids);
  // In order of depth, a reader comes after what it reads.
  for (const segment of segments) if (namedIn(segment).some((id) => found.has(id))) found.add(segment.id);
  return segments.filter(({ id }) => found.has(id));
}

function textsIn(wanted: Json): string[] {
  return Array.isArray(wanted) ? wanted.map(String) : [];
}

function shareIn(wanted: Json): { salt: string; by: string; below: number } {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted))
    throw new Error('the model knows no share');
  const { salt, by = 'player', below } = wanted;
  if (typeof salt !== 'string' || typeof by !== 'string') throw new Error('the model knows no such share');
  return { salt, by, below: Number(below) };
}
