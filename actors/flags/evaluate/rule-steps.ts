import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { BucketBy } from '../../../core/vocabulary/documents/flag-serve.ts';
import {
  type Cluster,
  type FlagReason,
  KEYED_STRATUM,
  SEVERAL_KEYS,
  type Stratum,
} from '../../../core/vocabulary/facts/flag-reason.ts';
import type { Subject } from '../../decision/targeting.ts';
import { type KeyOf, keyReader } from '../../conditions/buckets/bucket-key.ts';
import { bucketingOf, clusterOf } from '../draw/bucketing.ts';
import { BUCKETS } from '../../conditions/buckets/hash.ts';
import { defaultOffer, isDrawn, type Offer } from '../draw/offers.ts';
import { createSplit } from '../draw/split.ts';
import { booleanStrata, isTrue, mayDraw, stratumOfOffer } from '../draw/strata.ts';
import { NO_PERIOD, periodOf } from '../periods.ts';
import type { CompiledRule } from './compile-rule.ts';
import type { FlagStep, Step } from './explained-steps.ts';

/* The last steps of a flag: its rules, and the default. */

/** The strata of players of a boolean flag. */
interface Strata {
  /** `unknown`: not asked for. */
  of(subject: Subject): Stratum | undefined | 'unknown';
  /** The cluster of a player with a keyed stratum. */
  clusterOf(subject: Subject): Cluster;
}

export const UNKNOWN_STRATA: Strata = { of: () => 'unknown', clusterOf: () => SEVERAL_KEYS };
const NO_STRATA: Strata = { of: () => undefined, clusterOf: () => SEVERAL_KEYS };

/** The strata of the players of a boolean flag, as its rules divide them. */
export function strataOf(document: FlagDocument, rules: readonly CompiledRule[]): Strata {
  if (document.flagType !== 'boolean' || !mayDraw(document)) return NO_STRATA;
  const stratum = booleanStrata(rules, isTrue(defaultOffer(document)));
  const readers = new Map(rules.map(({ by, keyOf }) => [by, keyOf]));
  return {
    of: (subject) => stratum(({ isFor }) => isFor(subject)),
    clusterOf(subject) {
      const keys = new Set<BucketBy>();
      stratum(({ isFor }) => isFor(subject), keys);
      const [by, ...others] = keys;
      const key = by === undefined || others.length > 0 ? undefined : readers.get(by)?.(subject);
      return by === undefined || key === undefined ? SEVERAL_KEYS : clusterOf(by, key);
    },
  };
}

/** `undefined` if the rule has nothing to serve. */
export function ruleStep(
  document: FlagDocument,
  { rule, index, offer, checks, bucketOf, keyOf, explain }: CompiledRule,
  strata: Strata,
): Step | undefined {
  const { name, segmentId, percentage } = rule;
  const why =
    segmentId === null
      ? ({ reason: 'percentage_rollout' } as const)
      : ({ reason: 'segment_match', segmentId } as const);
  const served = servedBy(document, offer, why, strata, keyOf);
  if (served === undefined) return undefined;
  return {
    decide(subject) {
      for (const check of checks) if (!check.passes(subject)) return undefined;
      return served.serve(subject);
    },
    explain(subject, _, decided) {
      const failed = decided === undefined ? checks.find((check) => !check.passes(subject)) : undefined;
      const outcome = decided === 'not_reached' ? decided : (failed?.failure ?? 'served');
      const bucket = percentOf(bucketOf(subject));
      return [{ step: 'rule', index, name, outcome, segmentId, percentage, bucket, tests: explain(subject) }];
    },
    variant: (subject) => served.variant(subject),
  };
}

/** `undefined` if the default has nothing to serve. */
export function defaultStep(document: FlagDocument, strata: Strata): Step | undefined {
  const keyOf = keyReader(bucketingOf(document).by);
  const served = servedBy(document, defaultOffer(document), { reason: 'default' }, strata, keyOf);
  if (served === undefined) return undefined;
  return {
    decide: (subject) => served.serve(subject),
    explain: (_, __, decided) => (typeof decided === 'object' ? [{ step: 'default', value: decided.value }] : []),
    variant: (subject) => served.variant(subject),
  };
}

/** What a rule or the default serves, and how the explanation says which variant it is. */
interface ServedBy {
  serve(subject: Subject): FlagEvaluation;
  variant(subject: Subject): FlagStep[];
}

type Why = { reason: FlagReason; segmentId?: string };

function servedBy(
  document: FlagDocument,
  offer: Offer | undefined,
  why: Why,
  strata: Strata,
  keyOf: KeyOf,
): ServedBy | undefined {
  if (offer === undefined) return undefined;
  if (offer.kind === 'drawn') return drawnBy(document, offer, why, keyOf);
  const { variantKey, value } = offer;
  const variant = (): FlagStep[] => (variantKey === null ? [] : [{ step: 'variant', bucket: null, variantKey }]);
  if (document.flagType === 'boolean') return { serve: byStratum(document, why, strata, value), variant };
  const one = answer(document, why, undefined, { variantKey, value });
  return { serve: () => one, variant };
}

function drawnBy(
  document: FlagDocument,
  offer: Extract<Offer, { kind: 'drawn' }>,
  why: Why,
  keyOf: KeyOf,
): ServedBy | undefined {
  const { bucketing, parts } = offer;
  const stratum = stratumOfOffer(document, offer);
  const split = createSplit(
    bucketing.salt,
    parts.map(({ weight, variantKey, value }) => ({
      weight,
      item: answer(document, why, stratum, { variantKey, value }),
    })),
  );
  if (split === undefined) return undefined;
  const [only] = isDrawn(offer) ? [] : parts;
  // Rules check that the player has a key. The default does not.
  const none = only === undefined ? answer(document, why, undefined) : answer(document, why, undefined, only);
  return {
    serve:
      bucketing.by === 'player'
        ? ({ player }) => split.itemOf(player.id)
        : (subject) => {
            const key = keyOf(subject);
            if (key === undefined) return none;
            const found = split.itemOf(key);
            return found.stratum === undefined ? found : { ...found, cluster: clusterOf(bucketing.by, key) };
          },
    variant(subject) {
      const key = keyOf(subject);
      if (key === undefined) {
        return only === undefined ? [] : [{ step: 'variant', bucket: null, variantKey: only.variantKey }];
      }
      const { variantKey } = split.itemOf(key);
      return [{ step: 'variant', bucket: percentOf(split.bucketOf(key)), variantKey }];
    },
  };
}

/** The answer of a boolean flag, which is prepared for each stratum when that is first served. */
function byStratum(
  document: FlagDocument,
  why: Why,
  strata: Strata,
  value: string,
): (subject: Subject) => FlagEvaluation {
  const prepared = new Map<ReturnType<Strata['of']>, FlagEvaluation>();
  return (subject) => {
    const of = strata.of(subject);
    let found = prepared.get(of);
    if (found === undefined) {
      found = answer(document, why, of, { value });
      prepared.set(of, found);
    }
    return typeof of === 'number' && of >= KEYED_STRATUM ? { ...found, cluster: strata.clusterOf(subject) } : found;
  };
}

/** An evaluation with the default value, unless `what` has another. */
function answer(
  document: FlagDocument,
  why: Why,
  stratum: ReturnType<Strata['of']>,
  { variantKey = null, value }: { variantKey?: string | null; value?: string } = {},
): FlagEvaluation {
  const { key: flagKey, defaultValue } = document;
  const { reason, segmentId } = why;
  const period = stratum === undefined ? NO_PERIOD : periodOf(document);
  const of = typeof stratum === 'number' ? { stratum } : {};
  const more = segmentId === undefined ? {} : { segmentId };
  // In one order, so that readers meet few shapes of objects.
  return Object.freeze({
    flagKey,
    value: value ?? JSON.stringify(defaultValue),
    variantKey,
    reason,
    period,
    ...of,
    ...more,
  });
}

/** A bucket as a percentage, in steps of 0.01. */
export function percentOf(bucket: number): number;
export function percentOf(bucket: number | undefined): number | null;
export function percentOf(bucket: number | undefined): number | null {
  return bucket === undefined ? null : bucket / (BUCKETS / 100);
}
