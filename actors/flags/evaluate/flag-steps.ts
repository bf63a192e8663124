import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { FlagReason, Stratum } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { FlagOverride } from '../../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { ComputedLookup, Served, Subject, Targeting } from '../../decision/targeting.ts';
import { compileRules, type CompiledRule } from './compile-rule.ts';
import { disabledAnswer } from './disabled-flag.ts';
import { mayDraw, stratumOf, stratumOfVariants } from './draw.ts';
import type { FlagStep } from './explained-steps.ts';
import { BUCKETS, seededBucket } from './hash.ts';
import { NO_PERIOD, periodOf } from '../periods.ts';
import { meetsPrerequisite } from './prerequisites.ts';
import { sameJson } from '../check/same-json.ts';
import { createSplit, type Split } from './split.ts';

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

export interface CompileOptions {
  /** Called when a rule's condition exceeds its steps; the condition is then false. */
  onOverBudget?: (() => void) | undefined;
  /** Finds named computed properties, at every evaluation. */
  computed?: ComputedLookup | undefined;
  /** Without strata an evaluation reads no rule behind the one that decides, and its period is the flag's. */
  strata?: boolean;
}

export type FlagSteps = { kind: 'steps'; steps: Step[] } | { kind: 'invalid'; faults: FieldFault[] };

/**
 * The steps of a flag, in order: disabled, prerequisites, override, rules by priority, default. Evaluations are
 * prepared once, shared and frozen: only overrides allocate.
 */
export function flagSteps(document: FlagDocument, options: CompileOptions = {}): FlagSteps {
  const { onOverBudget, computed, strata = true } = options;
  const { rules, faults } = compileRules(document.rules, rolloutOf(document), onOverBudget, computed);
  const stratum = strata ? strataOf(document, rules) : UNKNOWN_STRATUM;
  const ruleSteps = rules.map((rule) => ruleStep(document, rule, stratum));
  if (ruleSteps.includes(undefined)) {
    faults.push({ path: '/variants', message: 'must have a variant with a weight greater than 0' });
  }
  if (faults.length > 0) return { kind: 'invalid', faults };
  const steps = [
    enabledStep(document),
    ...prerequisiteSteps(document),
    overrideStep(document),
    ...ruleSteps.filter((step) => step !== undefined),
    defaultStep(document, stratum),
  ];
  return { kind: 'steps', steps };
}

/** The stratum of a player; `unknown`: not asked for. */
type StratumOfPlayer = (subject: Subject) => Stratum | undefined | 'unknown';

const UNKNOWN_STRATUM: StratumOfPlayer = () => 'unknown';

/** The strata of the players of a flag, as its rules divide them. */
function strataOf(document: FlagDocument, rules: readonly CompiledRule[]): StratumOfPlayer {
  if (document.flagType !== 'boolean') return () => stratumOfVariants(document);
  if (!mayDraw(document)) return () => undefined;
  return (subject) => stratumOf(rules, ({ isFor }) => isFor(subject));
}

/** A player's bucket for the percentages of all rules. Rules follow each other for one player: the last is kept. */
function rolloutOf({ salt }: FlagDocument): (playerId: string) => number {
  const hash = seededBucket(salt);
  let id = '';
  let bucket = 0;
  return (playerId) => {
    if (playerId !== id) {
      bucket = hash(playerId);
      id = playerId;
    }
    return bucket;
  };
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
  return document.prerequisites.map(({ flagKey, value }): Step => {
    const needed = { flagKey, required: JSON.stringify(value) };
    const unmet = Object.freeze({ ...disabled, prerequisiteKey: flagKey });
    return {
      ends: true,
      decide: (subject, targeting, served) =>
        meetsPrerequisite(key, needed, subject, targeting, served) ? undefined : unmet,
      explain(subject, targeting, decided) {
        // The flag itself is open, so that a cycle is unmet.
        const found = targeting.flags.get(flagKey)?.evaluate(subject, targeting, new Map([[key, 'open']]));
        const shown = { required: needed.required, served: found?.value ?? null, reason: found?.reason ?? null };
        return [{ step: 'prerequisite', flagKey, ...shown, passed: decided === undefined }];
      },
    };
  });
}

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

/** `undefined` if the rule serves variants and none has a weight. */
function ruleStep(
  document: FlagDocument,
  { rule, index, checks, explain }: CompiledRule,
  stratum: StratumOfPlayer,
): Step | undefined {
  const split = servedBy(document, rule, stratum);
  if (split === undefined) return undefined;
  const { name, segmentId, percentage } = rule;
  const bucketOf = seededBucket(document.salt);
  return {
    decide(subject) {
      for (const check of checks) if (!check.passes(subject)) return undefined;
      return split.serve(subject);
    },
    explain(subject, _, decided) {
      const failed = decided === undefined ? checks.find((check) => !check.passes(subject)) : undefined;
      const outcome = decided === 'not_reached' ? decided : (failed?.failure ?? 'served');
      const tests = explain(subject);
      const bucket = percentOf(bucketOf(subject.player.id));
      return [{ step: 'rule', index, name, outcome, segmentId, percentage, bucket, tests }];
    },
    variant: ({ player: { id } }) =>
      split.variants === undefined
        ? []
        : [
            {
              step: 'variant',
              bucket: percentOf(split.variants.bucketOf(id)),
              variantKey: split.variants.itemOf(id).variantKey,
            },
          ],
  };
}

/** What a rule serves: variants by weight, or one value. */
interface ServedBy {
  serve(subject: Subject): FlagEvaluation;
  variants?: Split<FlagEvaluation>;
}

function servedBy(
  document: FlagDocument,
  { segmentId, value }: CompiledRule['rule'],
  stratum: StratumOfPlayer,
): ServedBy | undefined {
  const reason = segmentId === null ? 'percentage_rollout' : 'segment_match';
  const more = segmentId === null ? {} : { segmentId };
  if (document.flagType === 'boolean') {
    return { serve: drawn(document, reason, stratum, { ...more, ...(value ? { value: 'true' } : {}) }) };
  }
  if (!value) {
    const byDefault = answer(document, reason, undefined, more);
    return { serve: () => byDefault };
  }
  const ofAll = stratumOfVariants(document);
  const parts = document.variants.map(({ key: variantKey, weight, value: variantValue }) => ({
    weight,
    item: answer(document, reason, ofAll, { ...more, variantKey, value: JSON.stringify(variantValue) }),
  }));
  const variants = createSplit(document.salt, parts);
  return variants && { serve: ({ player }) => variants.itemOf(player.id), variants };
}

function defaultStep(document: FlagDocument, stratum: StratumOfPlayer): Step {
  const byDefault = document.flagType === 'boolean' ? drawn(document, 'default', stratum) : () => answered;
  const answered = answer(document, 'default', undefined);
  return {
    decide: (subject) => byDefault(subject),
    explain: (_, __, decided) => (decided === 'not_reached' ? [] : [{ step: 'default', value: answered.value }]),
  };
}

/** The answer of a boolean flag, which is prepared for each stratum when that is first served. */
function drawn(
  document: FlagDocument,
  reason: FlagReason,
  stratum: StratumOfPlayer,
  more: Partial<FlagEvaluation> = {},
): (subject: Subject) => FlagEvaluation {
  const prepared = new Map<ReturnType<StratumOfPlayer>, FlagEvaluation>();
  return (subject) => {
    const of = stratum(subject);
    let found = prepared.get(of);
    if (found === undefined) {
      found = answer(document, reason, of, more);
      prepared.set(of, found);
    }
    return found;
  };
}

/** An evaluation with the default value; `more` overrides its fields. */
function answer(
  document: FlagDocument,
  reason: FlagReason,
  stratum: ReturnType<StratumOfPlayer>,
  more: Partial<FlagEvaluation> = {},
): FlagEvaluation {
  const { key: flagKey, defaultValue } = document;
  const value = JSON.stringify(defaultValue);
  const period = stratum === undefined ? NO_PERIOD : periodOf(document);
  const of = typeof stratum === 'number' ? { stratum } : {};
  return Object.freeze({ flagKey, value, variantKey: null, reason, period, ...of, ...more });
}

/** A bucket as a percentage, in steps of 0.01. */
function percentOf(bucket: number): number {
  return bucket / (BUCKETS / 100);
}
