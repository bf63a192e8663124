import {
  type Comparison,
  commonShape,
  degreesFactor,
  differing,
  isOfFewClusters,
  LEAST_DIFFERING,
  meanOf,
  MOST_OF_ONE,
  MOST_SKEW,
  type Sample,
  sharesDraws,
  skewOf,
  type TooSmall,
  unitsOf,
  welchDegrees,
} from './comparison.ts';

/** The players of one phase: all were drawn with the same shares. */
export interface Stratum {
  control: Sample;
  treatment: Sample;
  /** How much the phase counts, in any unit; `phaseWeight`. */
  weight: number;
}

/**
 * The weight of a phase by the numbers of players of its variants: 1 / Σ 1/n, which of two variants is the weight n₁n₂
 * / (n₁ + n₂) of Cochran ("Some Methods for Strengthening the Common χ² Tests", Biometrics 10, 1954). It depends on
 * who came and not on what they did. All variants have the same one, so that their weighted means can be compared.
 */
export function phaseWeight(players: readonly number[]): number {
  return 1 / players.reduce((sum, count) => sum + 1 / count, 0);
}

/** Compares two means of players who were drawn with the same shares. */
export function compare(control: Sample, treatment: Sample): Comparison | TooSmall {
  return comparePooled([{ control, treatment, weight: 1 }]);
}

/**
 * Compares two means by their difference, with Welch's error and degrees of freedom (Biometrika 34, 1947). What players
 * spend is far from normal, which the comparison corrects in two ways:
 *
 * - A few large values raise both the difference and its error, so that Welch's test finds too little. The degrees of
 *   freedom are those of the permutation test: F(δ, δν) (Box and Andersen, "Permutation Theory in the Derivation of
 *   Robust Criteria and the Study of Departures from Assumption", Journal of the Royal Statistical Society B 17, 1955).
 * - With variants of different sizes, the mean of the smaller one is skewed. Hall's cubic transformation of z removes
 *   that ("On the Removal of Skewness by Transformation", Journal of the Royal Statistical Society B 54, 1992).
 *
 * Over several phases by Σwd / Σw, with d the difference of the means in a phase and w its weight. Players of different
 * phases are never compared with each other, so that a phase with other shares and other players does not look like an
 * effect (Simpson's paradox). The error is √(Σw²s²) / Σw, with Welch's degrees of freedom over the variants of all
 * phases; skewness and kurtosis add up as cumulants of independent sums do.
 *
 * Σwd is a sum over players of independent terms, whose weights are those of the shares, so it is a martingale through
 * all phases as within one, and the confidence sequence holds for it. Its time is the variance so far; `players` is
 * this time, in units of the players of the first phase.
 */
export function comparePooled(strata: readonly Stratum[]): Comparison | TooSmall {
  const samples = strata.flatMap(({ control, treatment }) => [control, treatment]);
  if (samples.length === 0 || samples.some(({ players }) => players < 2)) return 'players';
  if (strata.length > 1 && samples.some(sharesDraws)) return 'shared_phases';
  if (samples.some(isOfFewClusters)) return 'clusters';
  const total = strata.reduce((sum, { weight }) => sum + weight, 0);
  const parts = strata.map((stratum) => partOf(stratum, total));
  const sumOf = (valueOf: (part: Part) => number): number => parts.reduce((sum, part) => sum + valueOf(part), 0);
  const [control, treatment] = [
    { mean: sumOf((part) => part.control.mean), variance: sumOf((part) => part.control.variance) },
    { mean: sumOf((part) => part.treatment.mean), variance: sumOf((part) => part.treatment.variance) },
  ];
  const variance = control.variance + treatment.variance;
  const standardError = Math.sqrt(variance);
  if (!(standardError > 0) || !Number.isFinite(standardError)) return 'values';
  const differ = strata.reduce((sum, { control: one, treatment: other }) => sum + differing([one, other]), 0);
  if (differ < LEAST_DIFFERING) return 'conversions';
  const shareOf = (part: Part): number => part.variance / variance;
  if (sumOf((part) => shareOf(part) ** 2 * part.spread) > MOST_OF_ONE) return 'one_player';
  const skew = sumOf((part) => shareOf(part) ** 1.5 * part.skew);
  if (Math.abs(skew) > MOST_SKEW) return 'uneven';
  const factor = 1 + sumOf((part) => shareOf(part) ** 2 * (part.factor - 1));
  const [first] = parts.filter((part) => part.variance > 0);
  return {
    control,
    treatment,
    z: (treatment.mean - control.mean) / standardError,
    skew,
    degrees: [factor, factor * welchDegrees(parts.flatMap(({ terms }) => terms))],
    players: first === undefined ? 0 : first.players * (variance / first.variance),
    shared: sumOf((part) => part.shared),
  };
}

/** What a phase adds to the weighted means. */
interface Part {
  players: number;
  control: { mean: number; variance: number };
  treatment: { mean: number; variance: number };
  /** Of its part of the difference. */
  variance: number;
  /** Of its own difference; the spread in units of its players. */
  skew: number;
  spread: number;
  factor: number;
  shared: number;
  terms: readonly { variance: number; players: number }[];
}

function partOf({ control, treatment, weight }: Stratum, total: number): Part {
  const share = weight / total;
  const [ofUnits, ofOthers] = unitsOf([control, treatment]);
  const weighted = (sample: Sample) => {
    const { mean, variance } = meanOf(sample);
    const players = sample.clusters?.effective ?? sample.players;
    return { mean: share * mean, variance: share ** 2 * variance, players };
  };
  const [ofControl, ofTreatment] = [weighted(ofUnits), weighted(ofOthers)];
  const variance = ofControl.variance + ofTreatment.variance;
  const shape = commonShape([ofUnits, ofOthers]);
  const varies = variance > 0;
  return {
    players: shape.players,
    control: ofControl,
    treatment: ofTreatment,
    variance,
    skew: varies ? skewOf(ofUnits.players, ofOthers.players) * shape.skewness : 0,
    spread: varies ? shape.spread / shape.players : 0,
    factor: varies ? degreesFactor(shape) : 1,
    shared: share ** 2 * (control.shared ?? 0),
    terms: [ofControl, ofTreatment],
  };
}
