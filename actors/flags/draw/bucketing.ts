import type { BucketBy } from '../../../core/vocabulary/documents/flag-serve.ts';
import type { FlagDocument, FlagRule } from '../../../core/vocabulary/documents/documents.ts';

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
