import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { Flag, Served, Subject, Targeting } from '../../decision/targeting.ts';
import { type CompileOptions, flagSteps } from './flag-steps.ts';

/** `invalid`: the flag cannot be evaluated. Paths are JSON Pointers into the definition as on the wire. */
export type CompiledFlag = { kind: 'compiled'; flag: Flag } | { kind: 'invalid'; faults: FieldFault[] };

/** Compiles a flag. */
export function compileFlag(document: FlagDocument, options?: CompileOptions): CompiledFlag {
  const made = flagSteps(document, options);
  if (made.kind === 'invalid') return made;
  const { steps } = made;
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

/** Flags without prerequisites share it: they never write to it. */
const NONE: Served = new Map();
