import {
  type Comparison,
  fixedInterval,
  type Interval,
  relativeLift,
  sharesDraws,
  type Sample,
  type TooSmall,
} from './comparison.ts';
import { adjusted, type VariantResult, type VariantSample } from './experiment-results.ts';
import { type GuardrailRule, type GuardrailVerdict, verdictOf } from './guardrail.ts';
import { comparePooled, phaseWeight, type Stratum } from './pooled.ts';
import { sequentialInterval } from './sequential.ts';

/* Results of an experiment over one or several phases. Players of different phases are never compared. */

/** The samples of the variants of one phase. */
export type PhaseSamples = readonly VariantSample[];

/** A variant over several phases. */
export interface PooledVariant extends VariantResult {
  /** Places of the phases in which it is compared with the control; of the control those in which it has players. */
  comparedIn: readonly number[];
}

/**
 * Compares every variant with the first one, the control, over the phases that both have.
 * @param keys of all variants, the control first
 * @param alpha error rate of every interval and decision
 */
export function phaseResults(phases: readonly PhaseSamples[], keys: readonly string[], alpha: number): PooledVariant[] {
  const compared = keys.map((key, place) => (place === 0 ? undefined : comparedWith(phases, keys[0] ?? '', key)));
  const isTested = keys.map((key, place) => place > 0 && isTestedIn(phases, key));
  const intervalsBy = (of: (comparison: Comparison) => Interval): (Interval | null)[] =>
    compared.map((one) => (one === undefined ? null : typeof one === 'string' ? unknownFor(one) : of(one)));
  const fixed = adjusted(
    intervalsBy((one) => fixedInterval(one, alpha)),
    isTested,
  );
  const sequential = adjusted(
    intervalsBy((one) => sequentialInterval(one, alpha)),
    isTested,
  );
  return keys.map((key, place) => {
    const figures = figuresOf(phases, key);
    const [interval = null, anytime = null] = [fixed[place], sequential[place]];
    const lift = place === 0 ? null : liftOf(phases, keys[0] ?? '', key);
    const isDecided = anytime !== null && anytime.pAdjusted !== null && anytime.pAdjusted < alpha && lift !== null;
    const decision = place === 0 ? null : !isDecided ? 'undecided' : isHigher(compared[place]) ? 'higher' : 'lower';
    const comparedIn = placesOf(phases, place === 0 ? undefined : keys[0], key);
    return { ...figures, lift, interval, sequential: anytime, decision, comparedIn };
  });
}

/**
 * Whether a variant harms, over the phases that it and the control have.
 * @param rule with the error rate of this one comparison
 */
export function phaseVerdict(
  phases: readonly PhaseSamples[],
  control: string,
  variant: string,
  rule: GuardrailRule,
): GuardrailVerdict {
  const compared = comparedWith(phases, control, variant);
  if (typeof compared !== 'string') return verdictOf(compared, rule);
  return { verdict: 'undecided', lift: liftOf(phases, control, variant), low: null, high: null, tooSmall: compared };
}

/** Variants that could differ from the control: a variant that no player can get is no comparison. */
function isTestedIn(phases: readonly PhaseSamples[], key: string): boolean {
  return phases.some((samples) => {
    const own = sampleIn(samples, key);
    return own !== undefined && (own.weight !== 0 || own.players > 0);
  });
}

const isHigher = (compared: Comparison | TooSmall | undefined): boolean =>
  typeof compared === 'object' && compared.treatment.mean > compared.control.mean;

const sampleIn = (samples: PhaseSamples, key: string): VariantSample | undefined =>
  samples.find(({ variantKey }) => variantKey === key);

/** A comparison needs two players of each variant. */
const hasPlayers = (sample: Sample | undefined): sample is Sample => sample !== undefined && sample.players >= 2;

/** Places of the phases that both variants have. */
function placesOf(phases: readonly PhaseSamples[], control: string | undefined, variant: string): number[] {
  return phases.flatMap((samples, place) => {
    const isIn = hasPlayers(sampleIn(samples, variant));
    return isIn && (control === undefined || hasPlayers(sampleIn(samples, control))) ? [place] : [];
  });
}

/** The phases that both variants have, each with the weight that it has for all variants. */
function strataOf(phases: readonly PhaseSamples[], control: string, variant: string): Stratum[] {
  return phases.flatMap((samples) => {
    const [one, other] = [sampleIn(samples, control), sampleIn(samples, variant)];
    if (!hasPlayers(one) || !hasPlayers(other)) return [];
    return [{ control: one, treatment: other, weight: weightOf(samples) }];
  });
}

const weightOf = (samples: PhaseSamples): number =>
  phaseWeight(samples.filter(hasPlayers).map(({ players }) => players));

const comparedWith = (phases: readonly PhaseSamples[], control: string, variant: string): Comparison | TooSmall =>
  comparePooled(strataOf(phases, control, variant));

/** The relative lift over the phases that both variants have. */
function liftOf(phases: readonly PhaseSamples[], control: string, variant: string): number | null {
  const strata = strataOf(phases, control, variant);
  const meanOf = (of: (stratum: Stratum) => Sample): number =>
    weighted(strata.map((stratum) => ({ mean: of(stratum).mean, weight: stratum.weight })));
  const means = { control: meanOf((one) => one.control), treatment: meanOf((one) => one.treatment) };
  return strata.length === 0 ? null : (relativeLift({ mean: means.control }, { mean: means.treatment }) ?? null);
}

type Figures = Pick<VariantResult, 'variantKey' | 'players' | 'clusters' | 'conversions' | 'sum' | 'mean'>;

function figuresOf(phases: readonly PhaseSamples[], variantKey: string): Figures {
  const own = phases.flatMap((samples) => {
    const sample = sampleIn(samples, variantKey);
    return sample === undefined || sample.players === 0 ? [] : [{ sample, weight: shownWeight(samples) }];
  });
  const total = (of: (sample: VariantSample) => number): number => own.reduce((sum, { sample }) => sum + of(sample), 0);
  return {
    variantKey,
    players: total(({ players }) => players),
    clusters: own.some(({ sample }) => sharesDraws(sample))
      ? total(({ players, clusters }) => clusters?.count ?? players)
      : null,
    conversions: total(({ conversions }) => conversions),
    sum: finite(total(({ sum }) => sum)),
    mean: own.length === 0 ? null : finite(weighted(own.map(({ sample: { mean }, weight }) => ({ mean, weight })))),
  };
}

/** Of a phase in which no variant has two players, every player counts. */
const shownWeight = (samples: PhaseSamples): number =>
  samples.some(hasPlayers) ? weightOf(samples) : samples.reduce((sum, { players }) => sum + players, 0);

const weighted = (parts: readonly { mean: number; weight: number }[]): number =>
  parts.reduce((sum, { mean, weight }) => sum + mean * weight, 0) / parts.reduce((sum, { weight }) => sum + weight, 0);

const unknownFor = (tooSmall: TooSmall): Interval => ({ low: null, high: null, pValue: null, tooSmall });

/** Sums of callers' values may overflow a double. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
