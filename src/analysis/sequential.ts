import { type Comparison, fixedCritical, fixedPValue, type Interval, liftInterval, symmetric } from './comparison.ts';

/**
 * An interval and p-value that are valid at every look and every stopping time: the asymptotic confidence sequence with
 * a Gaussian mixture of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas ("Time-uniform central limit theory and
 * asymptotic confidence sequences", Annals of Statistics 52, 2024; arXiv 2103.06476). With n players, a difference d
 * and its standard error e:
 *
 *   d ± e √( 2 (nρ² + 1) / (nρ²) · ln( √(nρ² + 1) / α ) )
 *
 * The lifts are those whose difference treatment − ratio · control is in the sequence, as in `liftInterval`.
 *
 * The p-value is the smallest α at which that interval excludes 0, as in the mixture SPRT (Johari, Koomen, Pekelis and
 * Walsh, "Always Valid Inference", Operations Research 70, 2022). The sequence is asymptotic and too narrow for few
 * players, so the result always contains the t interval of a single look.
 * @param narrowestAt players of both variants at which the interval is tightest; must not depend on the data
 */
export function sequentialInterval(
  comparison: Comparison,
  alpha: number,
  narrowestAt: number = NARROWEST_AT_PLAYERS,
): Interval {
  const x = comparison.players * mixturePrecision(alpha, narrowestAt);
  const critical = Math.sqrt(((2 * (x + 1)) / x) * Math.log(Math.sqrt(x + 1) / alpha));
  const pValue = Math.min(1, Math.sqrt(x + 1) * Math.exp((-(symmetric(comparison) ** 2) * x) / (2 * (x + 1))));
  return liftInterval(
    comparison,
    Math.max(critical, fixedCritical(comparison, alpha)),
    Math.max(pValue, fixedPValue(comparison)),
  );
}

/**
 * The z above which a one-sided test of such a sequence rejects, at whatever look (equation 134 of the paper, also
 * Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, Nonparametric, Nonasymptotic Confidence Sequences", Annals of
 * Statistics 49, 2021, equation 14):
 *
 *   √( 2 (nρ² + 1) / (nρ²) · ln( 1 + √(nρ² + 1) / 2α ) )
 *
 * but not below that of a single look.
 */
export function oneSidedCritical(
  comparison: Comparison,
  alpha: number,
  narrowestAt: number = NARROWEST_AT_PLAYERS,
): number {
  const x = comparison.players * mixturePrecision(2 * alpha, narrowestAt);
  const critical = Math.sqrt(((2 * (x + 1)) / x) * Math.log(1 + Math.sqrt(x + 1) / (2 * alpha)));
  return Math.max(critical, fixedCritical(comparison, 2 * alpha));
}

/**
 * Most experiments are decided at some thousand players. With ten times as many the interval is 7 % wider than optimal.
 */
const NARROWEST_AT_PLAYERS = 5_000;

/** The ρ² that makes the interval tightest at `players`: (−2 ln α + ln(1 − 2 ln α)) / players, from the paper. */
function mixturePrecision(alpha: number, players: number): number {
  const twice = -2 * Math.log(alpha);
  return (twice + Math.log(twice + 1)) / players;
}
