import type { Step } from '../evaluate/explained-steps.ts';
import { percentOf } from '../evaluate/rule-steps.ts';
import type { CompiledExperiment, ExperimentOutcome } from './compile-experiment.ts';

/** The step of the experiment of a flag, for explanations. */
export function experimentStep(experiment: CompiledExperiment): Step {
  const { document, audience } = experiment;
  const { key, traffic } = document;
  const { segmentId } = document.audience;
  const current = document.phases.at(-1)?.phase ?? null;
  return {
    decide(subject, targeting) {
      const decided = experiment.decide(subject, targeting);
      return 'evaluation' in decided ? decided.evaluation : undefined;
    },
    explain(subject, targeting, decided) {
      const outcome = decided === 'not_reached' ? undefined : experiment.decide(subject, targeting);
      return [
        {
          step: 'experiment',
          experiment: key,
          outcome: outcome?.outcome ?? 'not_reached',
          phase: phaseOf(outcome) ?? current,
          segmentId,
          percentage: traffic,
          bucket: percentOf(experiment.trafficBucketOf(subject)),
          tests: audience.explain(subject),
        },
      ];
    },
    variant(subject) {
      // It decided, so the player is not held out.
      const outcome = experiment.decide(subject, {});
      if (!('evaluation' in outcome)) return [];
      const bucket = outcome.outcome === 'kept' ? null : percentOf(experiment.variantBucketOf(subject));
      return [{ step: 'variant', bucket, variantKey: outcome.evaluation.trial?.variant ?? null }];
    },
  };
}

/** The phase in which the player was assigned; undefined: it was not. */
function phaseOf(outcome: ExperimentOutcome | undefined): number | undefined {
  if (outcome === undefined) return undefined;
  if ('trial' in outcome) return outcome.trial.phase;
  return 'evaluation' in outcome ? outcome.evaluation.trial?.phase : undefined;
}
