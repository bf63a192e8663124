import type { JsonText } from '../../../core/kernel/text/json.ts';
import type { ExplainedTest } from '../../conditions/explain-condition.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { FlagReason } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { Served, Subject, Targeting } from '../../decision/targeting.ts';
import type { ExperimentOutcome } from '../experiment/compile-experiment.ts';

/**
 * A step of a flag's evaluation. The decision stops at the first step that decides, and the explanation walks on: both
 * use the same list, so they cannot differ.
 */
export interface Step {
  /** The evaluation if this step decides it. */
  decide(subject: Subject, targeting: Targeting, served: Served): FlagEvaluation | undefined;
  /** @param decided what `decide` gave; `not_reached`: an earlier step decided */
  explain(subject: Subject, targeting: Targeting, decided: FlagEvaluation | undefined | 'not_reached'): FlagStep[];
  /** The explanation ends here if this step decides. */
  ends?: true;
  /** How the variant was chosen, if this step decides by serving one. */
  variant?: (subject: Subject) => FlagStep[];
}

/** One step of an evaluation, in the order of `flag-steps.ts`. A step that decides is the last one that ran. */
export type FlagStep =
  | { step: 'enabled'; passed: boolean }
  | {
      step: 'prerequisite';
      flagKey: string;
      /** The value or the variant that the other flag must serve; the other one is null. */
      required: JsonText | null;
      requiredVariant: string | null;
      /** What the other flag serves; `null`: there is no such flag. */
      served: JsonText | null;
      servedVariant: string | null;
      reason: FlagReason | null;
      passed: boolean;
    }
  | { step: 'override'; value: JsonText | null }
  | ({ step: 'experiment' } & ExplainedExperiment)
  | ({ step: 'rule' } & ExplainedRule)
  /** `bucket`: null if the variant was not drawn. */
  | { step: 'variant'; bucket: number | null; variantKey: string | null }
  | { step: 'default'; value: JsonText };

/** Why a rule does not include the player, or that it does. `not_reached`: an earlier step decided. */
export type RuleOutcome =
  | 'served'
  | 'outside_schedule'
  | 'not_in_segment'
  | 'conditions_not_met'
  | 'no_bucketing_value'
  | 'outside_percentage'
  | 'not_reached';

/** The experiment that runs or is paused on the flag. */
export interface ExplainedExperiment {
  experiment: string;
  /** `kept`: the player has its variant already. `held_out` and `dropped`: the rules decide. */
  outcome: ExperimentOutcome['outcome'] | 'not_reached';
  /** The phase in which the player was assigned, or would be; null: there is none. */
  phase: number | null;
  /** Of the audience. */
  segmentId: string | null;
  percentage: number;
  /** As in a rule. */
  bucket: number | null;
  tests: ExplainedTest[];
}

export interface ExplainedRule {
  /** Place in the definition, from 0. Rules run by priority. */
  index: number;
  name: string;
  outcome: RuleOutcome;
  segmentId: string | null;
  percentage: number;
  /** The player's place from 0 to below 100; the rule includes it below its percentage. null: the player has none. */
  bucket: number | null;
  tests: ExplainedTest[];
}
