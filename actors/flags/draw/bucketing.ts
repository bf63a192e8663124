import type { BucketBy } from '../../../core/vocabulary/documents/flag-serve.ts';
import type { FlagDocument, FlagRule } from '../../../core/vocabulary/documents/documents.ts';
import { type Cluster, SEVERAL_KEYS } from '../../../core/vocabulary/facts/flag-reason.ts';
import { textHash } from '../../conditions/buckets/hash.ts';

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

/** The cluster of the players with a key: the same one whatever the salts of flags and rules are. */
export function clusterOf(by: BucketBy, key: string): Cluster {
  return Math.max(textHash(`${by}\n${key}`), SEVERAL_KEYS + 1);
}
