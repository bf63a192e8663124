import { type Comparison, liftBounds, relativeLift, type Sample, symmetric, type TooSmall } from './comparison.ts';
import { compare } from './pooled.ts';
import { oneSidedCritical } from './sequential.ts';

/** What must not get worse, and by how much it may. */
export interface GuardrailRule {
  worse: 'lower' | 'higher';
  /** The change for the worse that is accepted, relative to the control: 0.02 accepts 2 %, 0 none. */
  margin: number;
  /** The probability with which a variant that stays within the margin is ever called harmful. */
  alpha: number;
}

export const GUARDRAIL_VERDICTS = ['safe', 'harmful', 'undecided'] as const;

export interface GuardrailVerdict {
  /**
   * `harmful`: worse than the margin. `safe`: not worse than the margin. Each is wrong, at any of all looks, with
   * probability `alpha` at most. `undecided`: neither is known.
   */
  verdict: (typeof GUARDRAIL_VERDICTS)[number];
  /** The lift, and bounds that hold at every look, each alone with probability 1 − alpha. null: not known. */
  lift: number | null;
  low: number | null;
  high: number | null;
  /** Why nothing is known; null: it is. */
  tooSmall: TooSmall | null;
}

/**
 * Whether a variant makes a metric worse than a margin: two one-sided tests of mean − (1 ± margin) · control mean, by
 * the confidence sequence of `oneSidedCritical`, so that it holds however often one looks. It is a test of
 * non-inferiority with a relative margin, as for guardrails in Schultzberg, Ankargren and Frånberg, "Risk-aware
 * Product Decisions in A/B Tests with Multiple Metrics" (arXiv 2402.11609).
 * @param control sums of the metric over the players of the control; `variant` those of the variant
 */
export function guardrailVerdict({
  control,
  variant,
  ...rule
}: GuardrailRule & { control: Sample; variant: Sample }): GuardrailVerdict {
  const compared = compare(control, variant);
  if (typeof compared === 'string') {
    const lift = relativeLift(control, variant) ?? null;
    return { verdict: 'undecided', lift, low: null, high: null, tooSmall: compared };
  }
  return verdictOf(compared, rule);
}

/** The same of a comparison, as of pooled phases. */
export function verdictOf(comparison: Comparison, { worse, margin, alpha }: GuardrailRule): GuardrailVerdict {
  const critical = oneSidedCritical(comparison, alpha);
  const isLower = worse === 'lower';
  const away = symmetric({ z: zAt(comparison, isLower ? -margin : margin), skew: comparison.skew });
  const worsened = isLower ? -away : away;
  return {
    verdict: worsened > critical ? 'harmful' : worsened < -critical ? 'safe' : 'undecided',
    lift: relativeLift(comparison.control, comparison.treatment) ?? null,
    ...liftBounds(comparison, critical),
    tooSmall: null,
  };
}

/** How many standard errors the treatment is above a lift. It exists also where the control has nothing. */
function zAt({ control, treatment, shared }: Comparison, lift: number): number {
  const ratio = 1 + (control.mean < 0 ? -lift : lift);
  const variance = treatment.variance + ratio ** 2 * control.variance + (1 - ratio) ** 2 * shared;
  return (treatment.mean - ratio * control.mean) / Math.sqrt(variance);
}
