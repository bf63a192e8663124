import { BUCKET_ATTRIBUTE, bucketByOf, type BucketBy } from '../../../core/vocabulary/documents/flag-serve.ts';
import type { Json } from '../../../core/kernel/text/json.ts';
import type { Subject } from '../../decision/targeting.ts';
import { CONDITION_LIMITS } from '../limits.ts';
import { attributesOf } from '../player-attributes.ts';
import { pathReader } from '../values.ts';

/* What puts players into buckets: their id, their device or an attribute. */

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
function attributePath(by: BucketBy): string[] {
  return by.startsWith(BUCKET_ATTRIBUTE) ? by.slice(BUCKET_ATTRIBUTE.length).split('.') : [];
}

/** The key that a condition names; undefined: there is no such key. */
export function readBucketBy(json: Json): BucketBy | undefined {
  if (json === 'player' || json === 'device') return json;
  return typeof json === 'string' && json.startsWith(BUCKET_ATTRIBUTE) ? bucketByOf(json) : undefined;
}

/** What is wrong with the path of an attribute. */
export function bucketByFault(by: BucketBy): string | undefined {
  const isBlank = attributePath(by).some((part) => part.trim() === '');
  return isBlank ? 'has an empty name in its path; write attribute:<path>' : undefined;
}

/** A longer text is none: each salt hashes it again, 100,000 times for the most rules of a game. */
function keyText(value: Json): string | undefined {
  if (typeof value === 'string')
    return value === '' || value.length > CONDITION_LIMITS.bucketingText ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? JSON.stringify(value) : undefined;
}
