import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { Flag, Served, Subject, Targeting } from '../../decision/targeting.ts';
import type { CompiledExperiment } from '../experiment/compile-experiment.ts';
import { countedAs } from '../experiment/trials.ts';
import type { Step } from './explained-steps.ts';
import { type CompileOptions, flagSteps } from './flag-steps.ts';

/** `invalid`: the flag cannot be evaluated. Paths are JSON Pointers into the definition as on the wire. */
export type CompiledFlag = { kind: 'compiled'; flag: Flag } | { kind: 'invalid'; faults: FieldFault[] };

/** Compiles a flag, with the experiment on it. */
export function compileFlag(document: FlagDocument, options?: CompileOptions): CompiledFlag {
  const made = flagSteps(document, options);
  if (made.kind === 'invalid') return made;
  const { before, experiment, after } = made;
  const steps = [...before, ...(experiment === undefined ? after : [experimentAndRules(experiment, after)])];
  const { key } = document;
  const needsServed = document.prerequisites.length > 0;

  return { kind: 'compiled', flag: { key, document, evaluate } };

  function evaluate(subject: Subject, targeting: Targeting, served?: Served): FlagEvaluation {
    const shared = served ?? (needsServed ? new Map() : NONE);
    for (const step of steps) {
      const decided = step.decide(subject, targeting, shared);
      if (decided !== undefined) return decided;
    }
    throw new Error(`no step of the flag ${key} decided, not even its default`);
  }
}

/** An experiment and the rules of its flag, which may answer for it. */
function experimentAndRules(experiment: CompiledExperiment, rules: readonly Step[]): Pick<Step, 'decide'> {
  return {
    decide(subject, targeting, served) {
      const outcome = experiment.decide(subject, targeting);
      if ('evaluation' in outcome) return outcome.evaluation;
      for (const rule of rules) {
        const decided = rule.decide(subject, targeting, served);
        if (decided !== undefined) return 'trial' in outcome ? countedAs(decided, outcome.trial) : decided;
      }
      return undefined;
    },
  };
}

/** Flags without prerequisites share it: they never write to it. */
const NONE: Served = new Map();
