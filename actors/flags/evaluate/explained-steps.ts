import type { JsonText } from '../../../core/kernel/text/json.ts';
import type { ExplainedTest } from '../../conditions/explain-condition.ts';
import type { FlagReason } from '../../../core/vocabulary/facts/flag-reason.ts';

/** One step of an evaluation, in the order of `flag-steps.ts`. A step that decides is the last one that ran. */
export type FlagStep =
  | { step: 'enabled'; passed: boolean }
  | {
      step: 'prerequisite';
      flagKey: string;
      required: JsonText;
      /** What the other flag serves; `null`: there is no such flag. */
      served: JsonText | null;
      reason: FlagReason | null;
      passed: boolean;
    }
  | { step: 'override'; value: JsonText | null }
  | ({ step: 'rule' } & ExplainedRule)
  | { step: 'variant'; bucket: number; variantKey: string | null }
  | { step: 'default'; value: JsonText };

/** Why a rule does not include the player, or that it does. `not_reached`: an earlier step decided. */
export type RuleOutcome =
  | 'served'
  | 'outside_schedule'
  | 'not_in_segment'
  | 'conditions_not_met'
  | 'outside_percentage'
  | 'not_reached';

export interface ExplainedRule {
  /** Place in the definition, from 0. Rules run by priority. */
  index: number;
  name: string;
  outcome: RuleOutcome;
  segmentId: string | null;
  percentage: number;
  /** The player's place from 0 to below 100; the rule includes it below its percentage. */
  bucket: number;
  tests: ExplainedTest[];
}
