import type { Json } from '../../kernel/text/json.ts';

/** What a rule serves: one variant, variants by weights of its own, or a value of the flag's type. */
export type FlagServe = { variant: string } | { weights: readonly { key: string; weight: number }[] } | { value: Json };

/** What puts players into buckets: their id, their device, or an attribute. */
export type BucketBy = 'player' | 'device' | `${typeof BUCKET_ATTRIBUTE}${string}`;

/** Precedes the path of an attribute. */
export const BUCKET_ATTRIBUTE = 'attribute:';

/** @param text that matches the pattern of the API */
export function bucketByOf(text: string): BucketBy {
  if (text === 'player' || text === 'device') return text;
  return `${BUCKET_ATTRIBUTE}${text.slice(BUCKET_ATTRIBUTE.length)}`;
}
