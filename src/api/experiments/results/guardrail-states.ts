import { comparisonShare } from '../../../../actors/experiments/guardrail-shares.ts';
import { type PhaseSamples, phaseVerdict } from '../../../analysis/phase-results.ts';
import type { GuardrailVerdict } from '../../../analysis/guardrail.ts';
import type {
  ExperimentDocument,
  Guardrail,
  GuardrailAlert,
} from '../../../../core/vocabulary/documents/experiments.ts';
import { foundNow } from '../guardrails/alerts.ts';
import type { AskedMetrics } from './asked-metrics.ts';
import { type MeasuredPhase, variantKeys } from './measured-phases.ts';

/** What is known of a guardrail. */
export interface GuardrailState {
  guardrail: Guardrail;
  /** What it found in the current phase; undefined: nothing. */
  found: GuardrailAlert | undefined;
  /** `harmful`: one variant is. `safe`: all are. */
  verdict: GuardrailVerdict['verdict'];
  /** Of each variant that is compared with the control. */
  variants: readonly (GuardrailVerdict & { variantKey: string })[];
}

/**
 * Judges the guardrails over all phases. All comparisons that an experiment ever has share its error rate, so that one
 * which harms nothing is stopped, at whatever look, with this probability at most.
 * @param marginOf what is tolerated; by default the margin of the guardrail
 */
export function guardrailStates(
  experiment: ExperimentDocument,
  measured: readonly MeasuredPhase[],
  { guardrails: places }: AskedMetrics,
  marginOf: (experiment: ExperimentDocument, guardrail: Guardrail) => number = (_, { margin }) => margin,
): GuardrailState[] {
  const [control = '', ...others] = variantKeys(experiment);
  return experiment.guardrails.map((guardrail, number) => {
    const phases = measured.map(({ metrics }): PhaseSamples => metrics[places[number] ?? 0]?.samples ?? []);
    const variants = others.flatMap((variantKey) => {
      const share = comparisonShare(experiment, guardrail, variantKey);
      if (share === undefined) return [];
      const margin = marginOf(experiment, guardrail);
      const rule = { worse: guardrail.worse, margin, alpha: share * experiment.plan.alpha };
      return [{ variantKey, ...phaseVerdict(phases, control, variantKey, rule) }];
    });
    return {
      guardrail,
      found: foundNow(experiment, guardrail),
      verdict: ofAll(variants.map(({ verdict }) => verdict)),
      variants,
    };
  });
}

function ofAll(verdicts: readonly GuardrailVerdict['verdict'][]): GuardrailVerdict['verdict'] {
  if (verdicts.includes('harmful')) return 'harmful';
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'safe') ? 'safe' : 'undecided';
}
