import type { FlagArm, FlagDocument, FlagRule, FlagSplit } from '../../../core/vocabulary/documents/documents.ts';
import type { BucketBy } from '../../../core/vocabulary/documents/flag-serve.ts';
import { KEYED_STRATUM, type Stratum } from '../../../core/vocabulary/facts/flag-reason.ts';
import { type Bucketing, bucketingId, bucketingOf } from './bucketing.ts';
import { BUCKETS, bucketsIn, textHash } from '../../conditions/buckets/hash.ts';
import { defaultOffer, drawId, type Drawing, isDrawn, offerOf, type Offer } from './offers.ts';

/*
 * What chance decides of a flag. Rules of one bucketing look at one bucket of the player, so that the rules that are
 * for a player divide its buckets among each other; the buckets of different ones are independent. Players like this
 * one differ only in their buckets.
 */

/** A rule as far as it decides what players like one of them get. */
export interface DividingRule {
  /** The number of buckets below which it includes players. */
  buckets: number;
  /** Of its bucketing. */
  group: string;
  by: BucketBy;
  /** Of a boolean flag: what it serves. */
  isTrue: boolean;
}

/** The rules of a flag in the order of their evaluation, with what they offer. */
export function dividingRules(flag: FlagDocument): (DividingRule & { rule: FlagRule; offer: Offer | undefined })[] {
  return flag.rules
    .toSorted((one, other) => one.priority - other.priority)
    .map((rule) => ({ rule, ...dividing(flag, rule) }));
}

export function dividing(flag: FlagDocument, rule: FlagRule): DividingRule & { offer: Offer | undefined } {
  const bucketing = bucketingOf(flag, rule);
  const offer = offerOf(flag, rule);
  return {
    buckets: bucketsIn(rule.percentage),
    group: bucketingId(bucketing),
    by: bucketing.by,
    isTrue: isTrue(offer),
    offer,
  };
}

export function isTrue(offer: Offer | undefined): boolean {
  return offer?.kind === 'fixed' && offer.value === 'true';
}

/**
 * Finds the stratum of the players of a boolean flag, by the rules that are for them.
 * @param keys to which the keys are added by which something is drawn
 */
export type BooleanStratum<R> = (isFor: (rule: R) => boolean, keys?: Set<BucketBy>) => Stratum | undefined;

/**
 * The strata of a boolean flag with these rules, in the order in which they are evaluated. `isFor` says whether a rule
 * is for the player, whatever its percentage; `undefined`: all such players get the same.
 */
export function booleanStrata<R extends DividingRule>(
  rules: readonly R[],
  isTrueByDefault: boolean,
): BooleanStratum<R> {
  const included = rules.filter(({ buckets }) => buckets > 0);
  const isOneGroup = included.every(({ group, by }) => group === included[0]?.group && by === 'player');
  return (isFor, keys) =>
    isOneGroup
      ? stratumOfOne(included, isFor, isTrueByDefault)
      : stratumOfGroups(included, isFor, isTrueByDefault, keys);
}

/** The rules divide the buckets of one bucketing among each other. */
function stratumOfOne<R extends DividingRule>(
  rules: readonly R[],
  isFor: (rule: R) => boolean,
  isTrueByDefault: boolean,
): Stratum | undefined {
  let covered = 0;
  let trues = 0;
  for (const each of rules) {
    if (each.buckets <= covered || !isFor(each)) continue;
    if (each.isTrue) trues += each.buckets - covered;
    covered = each.buckets;
    if (covered === BUCKETS) break;
  }
  if (isTrueByDefault) trues += BUCKETS - covered;
  return trues > 0 && trues < BUCKETS ? trues : undefined;
}

/**
 * A rule gets the buckets of its group that earlier rules leave, of the players whom the rules of no other group
 * include.
 */
function stratumOfGroups<R extends DividingRule>(
  rules: readonly R[],
  isFor: (rule: R) => boolean,
  isTrueByDefault: boolean,
  keys: Set<BucketBy> | undefined,
): Stratum | undefined {
  const covered = new Map<string, number>();
  let trues = 0;
  let isKeyed = false;
  /** The share of players whom no rule includes yet. */
  let left = 1;
  for (const each of rules) {
    const before = covered.get(each.group) ?? 0;
    if (each.buckets <= before || !isFor(each)) continue;
    const taken = (each.buckets - before) / (BUCKETS - before);
    if (each.isTrue) trues += left * taken;
    left *= 1 - taken;
    covered.set(each.group, each.buckets);
    if (each.by !== 'player' && each.buckets < BUCKETS) {
      isKeyed = true;
      keys?.add(each.by);
    }
    if (each.buckets === BUCKETS) break;
  }
  return partial(isTrueByDefault ? trues + left : trues, isKeyed);
}

/** @param share of 1. Sums of products differ from it in the last digits */
function partial(share: number, isKeyed: boolean): Stratum | undefined {
  if (share < LEAST || share > 1 - LEAST) return undefined;
  const buckets = Math.min(Math.max(Math.round(share * BUCKETS), 1), BUCKETS - 1);
  return isKeyed ? KEYED_STRATUM + buckets : buckets;
}

const LEAST = 1e-9;

/** Whether a flag may draw for anybody. */
export function mayDraw(flag: FlagDocument): boolean {
  const rules = dividingRules(flag).filter(({ buckets }) => buckets > 0);
  if (flag.flagType !== 'boolean') return isDrawn(defaultOffer(flag)) || rules.some(({ offer }) => isDrawn(offer));
  const isTrueByDefault = isTrue(defaultOffer(flag));
  const differs = rules.some((rule) => rule.isTrue !== isTrueByDefault);
  return differs && rules.some(({ buckets }) => buckets < BUCKETS);
}

/** The stratum of players who get this offer; `undefined`: all of them get the same. */
export function stratumOfOffer(flag: FlagDocument, offer: Offer | undefined): Stratum | undefined {
  if (!isDrawn(offer)) return undefined;
  const ofFlag = weightsOffer(flag);
  const id = drawId(offer);
  const isOfFlag = ofFlag?.kind === 'drawn' && drawId(ofFlag) === id;
  return isOfFlag ? keyed(BUCKETS, offer.bucketing) : stratumOfDraw(offer);
}

/** The stratum of a draw that has nothing to do with the flag's weights. */
export function stratumOfDraw(drawing: Drawing): Stratum {
  const own = BUCKETS + 1 + (textHash(drawId(drawing)) % (KEYED_STRATUM - BUCKETS - 1));
  return keyed(own, drawing.bucketing);
}

function keyed(stratum: Stratum, { by }: Bucketing): Stratum {
  return by === 'player' ? stratum : KEYED_STRATUM + stratum;
}

/** The variants of a flag by their weights. */
export function weightsOffer(flag: FlagDocument): Offer | undefined {
  return offerOf(flag, WHOLE);
}

const WHOLE: FlagRule = {
  name: '',
  segmentId: null,
  value: true,
  percentage: 100,
  priority: 0,
  startAt: null,
  endAt: null,
};

/**
 * Whether the draw of a player who names a variant is unknown: rules, or the default, serve in other ways, or players
 * have keys.
 */
export function servesByRule({ rules, defaultServe, bucketBy = 'player' }: FlagDocument): boolean {
  if (bucketBy !== 'player') return true;
  return defaultServe !== undefined || rules.some((rule) => [rule.serve, rule.salt, rule.bucketBy].some(Boolean));
}

/** The weights of each stratum of a flag with variants, those of the flag first. */
export function splitsOf(flag: FlagDocument): FlagSplit[] {
  if (flag.flagType === 'boolean') return [];
  const offers = [weightsOffer(flag), ...dividingRules(flag).map(({ offer }) => offer), defaultOffer(flag)];
  const splits = new Map<Stratum, FlagArm[]>();
  for (const offer of offers) {
    const stratum = stratumOfOffer(flag, offer);
    if (stratum === undefined || offer?.kind !== 'drawn' || splits.has(stratum)) continue;
    const weights = new Map(offer.parts.map(({ variantKey, weight }) => [variantKey, weight]));
    splits.set(
      stratum,
      flag.variants.map(({ key }) => ({ variantKey: key, weight: weights.get(key) ?? 0 })),
    );
  }
  return [...splits].map(([stratum, arms]) => ({ stratum, arms }));
}
