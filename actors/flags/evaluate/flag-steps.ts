import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { FlagOverride } from '../../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { DefinitionLookup } from '../../decision/targeting.ts';
import { type CompiledExperiment, compileExperiment } from '../experiment/compile-experiment.ts';
import { compileRules, type CompiledRule } from './compile-rule.ts';
import { disabledAnswer } from './disabled-flag.ts';
import type { Step } from './explained-steps.ts';
import { NO_PERIOD } from '../periods.ts';
import { meetsPrerequisite, requirementOf } from './prerequisites.ts';
import { sameJson } from '../check/same-json.ts';
import { defaultStep, ruleStep, strataOf, UNKNOWN_STRATA } from './rule-steps.ts';

export interface CompileOptions {
  /** Called when a rule's condition exceeds its steps; the condition is then false. */
  onOverBudget?: (() => void) | undefined;
  /** Finds the definitions that conditions name, at every evaluation. */
  lookup?: DefinitionLookup | undefined;
  /** The experiment that runs or is paused on the flag. */
  experiment?: ExperimentDocument | undefined;
  /** Without strata an evaluation reads no rule behind the one that decides, and its period is the flag's. */
  strata?: boolean;
}

export type FlagSteps =
  | { kind: 'steps'; before: Step[]; experiment: CompiledExperiment | undefined; after: Step[] }
  | { kind: 'invalid'; faults: FieldFault[] };

/**
 * The steps of a flag, in order: disabled, prerequisites, override (`before`), its experiment, rules by priority,
 * default (`after`). Evaluations are prepared once, shared and frozen: only overrides, draws by device or attribute and
 * players whom an experiment holds out allocate.
 */
export function flagSteps(document: FlagDocument, options: CompileOptions = {}): FlagSteps {
  const { onOverBudget, lookup, strata = true, experiment } = options;
  const { rules, faults } = compileRules(document, onOverBudget, lookup);
  const ofPlayers = strata ? strataOf(document, rules) : UNKNOWN_STRATA;
  const ruleSteps = rules.map((rule) => ruleStep(document, rule, ofPlayers));
  const byDefault = defaultStep(document, ofPlayers);
  for (const [place, step] of ruleSteps.entries()) {
    if (step === undefined) faults.push(noOffer(rules[place]));
  }
  if (byDefault === undefined) faults.push({ path: '/default_serve', message: NO_VARIANT });
  if (faults.length > 0 || byDefault === undefined) return { kind: 'invalid', faults };
  return {
    kind: 'steps',
    before: [enabledStep(document), ...prerequisiteSteps(document), overrideStep(document)],
    experiment: experiment && compileExperiment(document, experiment, options),
    after: [...ruleSteps.filter((step) => step !== undefined), byDefault],
  };
}

const NO_VARIANT = 'must name a variant of the flag, or one with a weight greater than 0';

function noOffer(rule: CompiledRule | undefined): FieldFault {
  return rule?.rule.serve === undefined
    ? { path: '/variants', message: 'must have a variant with a weight greater than 0' }
    : { path: `/targeting_rules/${rule.index}/serve`, message: NO_VARIANT };
}

function enabledStep(document: FlagDocument): Step {
  const disabled = document.enabled ? undefined : disabledAnswer(document.key, document);
  return {
    ends: true,
    decide: () => disabled,
    explain: () => [{ step: 'enabled', passed: document.enabled }],
  };
}

function prerequisiteSteps(document: FlagDocument): Step[] {
  const { key } = document;
  const disabled = disabledAnswer(key, document);
  return document.prerequisites.map((prerequisite): Step => {
    const { flagKey } = prerequisite;
    const needed = requirementOf(prerequisite);
    const unmet = Object.freeze({ ...disabled, prerequisiteKey: flagKey });
    return {
      ends: true,
      decide: (subject, targeting, served) =>
        meetsPrerequisite(key, needed, subject, targeting, served) ? undefined : unmet,
      explain(subject, targeting, decided) {
        // The flag itself is open, so that a cycle is unmet.
        const found = targeting.flags.get(flagKey)?.evaluate(subject, targeting, new Map([[key, 'open']]));
        const served = found && { served: found.value, servedVariant: found.variantKey, reason: found.reason };
        return [{ step: 'prerequisite', ...needed, ...NOT_FOUND, ...served, passed: decided === undefined }];
      },
    };
  });
}

const NOT_FOUND = { served: null, servedVariant: null, reason: null };

function overrideStep(document: FlagDocument): Step {
  const { key } = document;
  const variants = document.variants.map(({ key: variantKey, value }) => ({ variantKey, text: JSON.stringify(value) }));

  function overridden({ value }: FlagOverride): FlagEvaluation {
    const variantKey = variants.find(({ text }) => sameJson(text, value))?.variantKey ?? null;
    return { flagKey: key, value, variantKey, reason: 'player_override', period: NO_PERIOD };
  }

  return {
    decide({ player }) {
      const override = overrideOf(player, key);
      return override === undefined ? undefined : overridden(override);
    },
    explain: ({ player }) => [{ step: 'override', value: overrideOf(player, key)?.value ?? null }],
  };
}

/** A linear search: almost every player's list is empty. */
function overrideOf({ overrides }: PlayerState, flagKey: string): FlagOverride | undefined {
  for (const override of overrides) if (override.flagKey === flagKey) return override;
  return undefined;
}
