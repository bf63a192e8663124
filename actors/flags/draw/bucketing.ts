import { BUCKET_ATTRIBUTE, type BucketBy } from '../../../core/vocabulary/documents/flag-serve.ts';
import type { FlagDocument, FlagRule } from '../../../core/vocabulary/documents/documents.ts';
import type { Json } from '../../../core/kernel/text/json.ts';
import { attributesOf } from '../../conditions/player-attributes.ts';
import { pathReader } from '../../conditions/values.ts';
import type { Subject } from '../../decision/targeting.ts';
import { FLAG_LIMITS } from '../limits.ts';

/*
 * What puts players into buckets. Rules with the same salt and key look at one bucket of a player; the buckets of
 * others are independent of it.
 */

export interface Bucketing {
  salt: string;
  by: BucketBy;
}

export function bucketingOf(
  flag: Pick<FlagDocument, 'salt' | 'bucketBy'>,
  rule: Pick<FlagRule, 'salt' | 'bucketBy'> = {},
): Bucketing {
  return { salt: rule.salt ?? flag.salt, by: rule.bucketBy ?? flag.bucketBy ?? 'player' };
}

/** Identifies a bucketing. A key has no line breaks. */
export function bucketingId({ salt, by }: Bucketing): string {
  return `${by}\n${salt}`;
}

/** The text that is hashed; undefined: the player has none. */
export type KeyOf = (subject: Subject) => string | undefined;

const playerKey: KeyOf = ({ player }) => player.id;

const DEVICE = pathReader(['device_id']);

/** Reads the key of a player. What the context of a request names goes first, as in conditions. */
export function keyReader(by: BucketBy): KeyOf {
  if (by === 'player') return playerKey;
  if (by === 'device') {
    return ({ player, context }) =>
      keyText((context === undefined ? null : DEVICE(context)) ?? player.deviceId ?? null);
  }
  const read = pathReader(attributePath(by));
  return ({ player, context }) => keyText((context === undefined ? null : read(context)) ?? read(attributesOf(player)));
}

/** The names of the path of `attribute:<path>`; other keys have none. */
export function attributePath(by: BucketBy): string[] {
  return by.startsWith(BUCKET_ATTRIBUTE) ? by.slice(BUCKET_ATTRIBUTE.length).split('.') : [];
}

/** A longer text is none: each salt hashes it again, 100,000 times for the most rules of a game. */
function keyText(value: Json): string | undefined {
  if (typeof value === 'string') return value === '' || value.length > FLAG_LIMITS.bucketingText ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : undefined;
}
