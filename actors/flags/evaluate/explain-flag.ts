import type { DefinitionLookup, Flag, Subject, Targeting } from '../../decision/targeting.ts';
import type { FlagStep, Step } from './explained-steps.ts';
import { experimentStep } from '../experiment/experiment-step.ts';
import { flagSteps } from './flag-steps.ts';

/**
 * Explains what `flag.evaluate` does for the subject: walks the steps that decide there, on to the last. It changes
 * nothing and records nothing.
 * @param lookup as in `compileFlag`
 */
export function explainFlag(flag: Flag, subject: Subject, targeting: Targeting, lookup?: DefinitionLookup): FlagStep[] {
  const experiment = targeting.experimentOf?.(flag.key);
  const made = flagSteps(flag.document, { lookup, experiment });
  // A flag that does not compile acts as disabled.
  if (made.kind === 'invalid') return [{ step: 'enabled', passed: false }];
  const steps = [
    ...made.before,
    ...(made.experiment === undefined ? [] : [experimentStep(made.experiment)]),
    ...made.after,
  ];
  const explained: FlagStep[] = [];
  let decider: Step | undefined;
  for (const step of steps) {
    const decided = decider === undefined ? step.decide(subject, targeting, new Map()) : undefined;
    explained.push(...step.explain(subject, targeting, decider === undefined ? decided : 'not_reached'));
    if (decided !== undefined) decider = step;
    if (decider?.ends === true) return explained;
  }
  return [...explained, ...(decider?.variant?.(subject) ?? [])];
}
