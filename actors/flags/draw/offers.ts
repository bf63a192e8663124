import type { Json, JsonText } from '../../../core/kernel/text/json.ts';
import type { FlagDocument, FlagRule } from '../../../core/vocabulary/documents/documents.ts';
import type { FlagServe } from '../../../core/vocabulary/documents/flag-serve.ts';
import { type Bucketing, bucketingId, bucketingOf } from './bucketing.ts';
import { endsOf } from './split.ts';

/*
 * What a rule, or the default of a flag, offers to the players that it serves. Evaluation, strata and the effects of
 * edits read the same offers.
 */

export type Offer =
  /** `isDefault`: the default value of the flag. */
  | { kind: 'fixed'; variantKey: string | null; value: JsonText; isDefault?: true }
  /** Drawn by weight; each part has one above 0. */
  | { kind: 'drawn'; bucketing: Bucketing; parts: readonly OfferedVariant[] };

export interface OfferedVariant {
  variantKey: string;
  value: JsonText;
  weight: number;
}

/** @returns undefined if no variant has a weight, or the flag does not have the variant */
export function offerOf(flag: FlagDocument, rule: FlagRule): Offer | undefined {
  if (rule.serve !== undefined) return served(flag, rule.serve, bucketingOf(flag, rule));
  if (!rule.value) return defaultValue(flag);
  if (flag.flagType === 'boolean') return { kind: 'fixed', variantKey: null, value: 'true' };
  return weighted(flag, flag.variants, bucketingOf(flag, rule));
}

/** What players get whom no rule includes. */
export function defaultOffer(flag: FlagDocument): Offer | undefined {
  return flag.defaultServe === undefined ? defaultValue(flag) : served(flag, flag.defaultServe, bucketingOf(flag));
}

/** Whether an offer gives different things to players, by chance. */
export function isDrawn(offer: Offer | undefined): offer is Extract<Offer, { kind: 'drawn' }> {
  return offer?.kind === 'drawn' && offer.parts.length > 1;
}

/** Variants that are drawn. */
export interface Drawing {
  bucketing: Bucketing;
  parts: readonly Omit<OfferedVariant, 'value'>[];
}

/** Identifies a draw: with the same one a player gets the same variant. */
export function drawId({ bucketing, parts }: Drawing): string {
  const ends = endsOf(parts);
  const divided = parts.map(({ variantKey }, place) => [variantKey, ends[place]]);
  return `${bucketingId(bucketing)}\n${JSON.stringify(divided)}`;
}

function defaultValue({ defaultValue: value }: FlagDocument): Offer {
  return { kind: 'fixed', variantKey: null, value: JSON.stringify(value), isDefault: true };
}

function served(flag: FlagDocument, serve: FlagServe, bucketing: Bucketing): Offer | undefined {
  if ('weights' in serve) return weighted(flag, serve.weights, bucketing);
  if ('value' in serve) return { kind: 'fixed', variantKey: null, value: JSON.stringify(serve.value) };
  const found = flag.variants.find(({ key }) => key === serve.variant);
  return found && { kind: 'fixed', variantKey: found.key, value: JSON.stringify(found.value) };
}

function weighted(
  { variants }: FlagDocument,
  weights: readonly { key: string; weight: number }[],
  bucketing: Bucketing,
): Offer | undefined {
  const values = new Map(variants.map(({ key, value }): [string, Json] => [key, value]));
  const parts = weights.flatMap(({ key, weight }): OfferedVariant[] => {
    const value = values.get(key);
    return weight > 0 && value !== undefined ? [{ variantKey: key, value: JSON.stringify(value), weight }] : [];
  });
  return parts.length === 0 ? undefined : { kind: 'drawn', bucketing, parts };
}
