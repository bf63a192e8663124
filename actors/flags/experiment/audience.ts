import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import { compileCondition, type ConditionOptions } from '../../conditions/compile-condition.ts';
import type { ExplainedTest } from '../../conditions/explain-condition.ts';
import { isMember } from '../../conditions/segments/is-member.ts';
import type { Subject } from '../../decision/targeting.ts';

/** Whom an experiment is for, whatever its share of them is. */
export interface Audience {
  /** Why it is not for the player; undefined: it is. */
  failure(subject: Subject): 'not_in_segment' | 'conditions_not_met' | undefined;
  explain(subject: Subject): ExplainedTest[];
}

/** No player meets conditions that do not compile. */
export function compileAudience(
  { audience: { segmentId, conditions } }: Pick<ExperimentDocument, 'audience'>,
  { onOverBudget, lookup }: Pick<ConditionOptions, 'onOverBudget' | 'lookup'>,
): Audience {
  const compiled =
    conditions === undefined ? undefined : compileCondition(conditions, { context: true, lookup, onOverBudget });
  const condition = compiled?.kind === 'compiled' ? compiled.condition : undefined;
  return {
    failure(subject) {
      if (segmentId !== null && !isMember(subject, segmentId)) return 'not_in_segment';
      if (compiled === undefined) return undefined;
      return condition?.matches(subject) === true ? undefined : 'conditions_not_met';
    },
    explain: (subject) => (compiled?.kind === 'compiled' ? compiled.explain(subject).tests : []),
  };
}
