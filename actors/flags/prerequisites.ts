import type { JsonText } from '../../src/kernel/json.ts';
import { charge, isExhausted } from '../conditions/steps.ts';
import type { FlagEvaluation } from '../vocabulary/replies.ts';
import type { Served, Subject, Targeting } from '../targeting.ts';
import { sameJson } from './same-json.ts';

/** Another flag that must be on and serve a value. */
export interface Prerequisite {
  flagKey: string;
  /** The value it must serve. */
  value: JsonText;
  /** What the dependent flag serves when it does not. */
  unmet: FlagEvaluation;
}

/**
 * The first prerequisite that is not met. Unmet are: a flag that is not there, one that serves another value, one that
 * is itself `flag_disabled` whatever it serves, and one whose answer would depend on this very flag. As a disabled flag
 * meets nothing, all flags of a cycle are disabled, whichever is asked first; that is what lets `served` be shared.
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
  const evaluation = served.get(flagKey) ?? settle(flagKey, subject, targeting, served);
  if (evaluation === undefined || evaluation === 'open') return false;
  return evaluation.reason !== 'flag_disabled' && sameJson(evaluation.value, value);
}

/** One look at a flag on the way along a chain: 0.7 to 1.5 µs. */
const LOOK_STEPS = 150;

/**
 * What another flag serves; `undefined` when it is not there. A chain may be as long as a game has flags, which is more
 * than the call stack has room for: so those it waits for are asked before it, the furthest first, along a list.
 */
function settle(flagKey: string, subject: Subject, targeting: Targeting, served: Served) {
  const path = [flagKey];
  for (let key = path.at(-1); key !== undefined; key = path.at(-1)) {
    const flag = targeting.flags.get(key);
    if (flag === undefined) return undefined;
    charge(LOOK_STEPS);
    // A later part of the same command would go through the whole chain once more.
    if (isExhausted()) return undefined;
    served.set(key, 'open');
    const next = flag.document.prerequisites.find(
      (one) => !served.has(one.flagKey) && targeting.flags.has(one.flagKey),
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
