import type { JsonText } from '../../../core/kernel/text/json.ts';
import { charge, isExhausted } from '../../conditions/steps.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { Served, Subject, Targeting } from '../../decision/targeting.ts';
import { sameJson } from '../check/same-json.ts';

/** Another flag that must be enabled and serve a value. */
export interface Prerequisite {
  flagKey: string;
  /** The value it must serve. */
  value: JsonText;
  /** The evaluation of the dependent flag if the prerequisite is unmet. */
  unmet: FlagEvaluation;
}

/**
 * Finds the first unmet prerequisite: a missing flag, one that serves another value, one with the reason
 * `flag_disabled`, or one that depends on this flag. A disabled flag meets no prerequisite, so all flags of a cycle are
 * disabled, whichever is evaluated first. That makes `served` safe to share.
 */
export function unmetPrerequisite(
  flagKey: string,
  prerequisites: readonly Prerequisite[],
  subject: Subject,
  targeting: Targeting,
  served: Served,
): Prerequisite | undefined {
  served.set(flagKey, 'open');
  const unmet = prerequisites.find((prerequisite) => !isMet(prerequisite, subject, targeting, served));
  served.delete(flagKey);
  return unmet;
}

function isMet({ flagKey, value }: Prerequisite, subject: Subject, targeting: Targeting, served: Served): boolean {
  const evaluation = served.get(flagKey) ?? evaluateChain(flagKey, subject, targeting, served);
  if (evaluation === undefined || evaluation === 'open') return false;
  return evaluation.reason !== 'flag_disabled' && sameJson(evaluation.value, value);
}

/** One visit of a flag of a chain: 0.7 to 1.5 µs. */
const VISIT_STEPS = 150;

/**
 * Evaluates another flag; `undefined` if it does not exist. A chain can be as long as a game has flags, more than the
 * call stack allows: its prerequisites are evaluated first, the deepest before the others, without recursion.
 */
function evaluateChain(flagKey: string, subject: Subject, targeting: Targeting, served: Served) {
  const path = [flagKey];
  for (let key = path.at(-1); key !== undefined; key = path.at(-1)) {
    const flag = targeting.flags.get(key);
    if (flag === undefined) return undefined;
    charge(VISIT_STEPS);
    // Otherwise every later part of the command would visit the whole chain again.
    if (isExhausted()) return undefined;
    served.set(key, 'open');
    const next = flag.document.prerequisites.find(
      (other) => !served.has(other.flagKey) && targeting.flags.has(other.flagKey),
    );
    if (next === undefined) {
      served.set(key, flag.evaluate(subject, targeting, served));
      path.pop();
    } else {
      path.push(next.flagKey);
    }
  }
  return served.get(flagKey);
}
