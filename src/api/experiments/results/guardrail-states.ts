import { isTestedIn, type PhaseSamples, phaseVerdict } from '../../../analysis/phase-results.ts';
import type { GuardrailVerdict } from '../../../analysis/guardrail.ts';
import type { ExperimentDocument, Guardrail } from '../../../../core/vocabulary/documents/experiments.ts';
import type { AskedMetrics } from './asked-metrics.ts';
import { type MeasuredPhase, variantKeys } from './measured-phases.ts';

/** What is known of a guardrail. */
export interface GuardrailState {
  guardrail: Guardrail;
  /** `harmful`: one variant is. `safe`: all are. */
  verdict: GuardrailVerdict['verdict'];
  /** Of each variant that is compared with the control. */
  variants: readonly (GuardrailVerdict & { variantKey: string })[];
}

/**
 * Judges the guardrails over all phases. All comparisons of an experiment share its error rate (Bonferroni), so that
 * one which harms nothing is stopped, at whatever look, with this probability at most.
 */
export function guardrailStates(
  experiment: ExperimentDocument,
  measured: readonly MeasuredPhase[],
  { guardrails: places }: AskedMetrics,
): GuardrailState[] {
  const [control = '', ...others] = variantKeys(experiment);
  return experiment.guardrails.map((guardrail, number) => {
    const phases = measured.map(({ metrics }): PhaseSamples => metrics[places[number] ?? 0]?.samples ?? []);
    const tested = others.filter((key) => isTestedIn(phases, key));
    const alpha = experiment.plan.alpha / (experiment.guardrails.length * Math.max(1, tested.length));
    const variants = tested.map((variantKey) => ({
      variantKey,
      ...phaseVerdict(phases, control, variantKey, { worse: guardrail.worse, margin: guardrail.margin, alpha }),
    }));
    return { guardrail, verdict: ofAll(variants.map(({ verdict }) => verdict)), variants };
  });
}

function ofAll(verdicts: readonly GuardrailVerdict['verdict'][]): GuardrailVerdict['verdict'] {
  if (verdicts.includes('harmful')) return 'harmful';
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'safe') ? 'safe' : 'undecided';
}
