import type { FieldFault } from '../../src/kernel/errors.ts';
import type { FlagDocument } from '../vocabulary/documents.ts';
import type { FlagEvaluation } from '../vocabulary/replies.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { ComputedLookup, Flag, Served, Subject, Targeting } from '../targeting.ts';
import { type CompiledRule, compileRules } from './compile-rule.ts';
import { disabledAnswer } from './disabled-flag.ts';
import { seededHash } from './hash.ts';
import { periodOf } from './periods.ts';
import { type Prerequisite, unmetPrerequisite } from './prerequisites.ts';
import type { FlagReason } from '../vocabulary/flag-reason.ts';
import { sameJson } from './same-json.ts';
import { createSplit } from './split.ts';
import type { FlagOverride } from '../vocabulary/player.ts';

/** `invalid`: the flag cannot be evaluated. Paths are JSON Pointers into the definition as on the wire. */
export type CompiledFlag = { kind: 'compiled'; flag: Flag } | { kind: 'invalid'; faults: FieldFault[] };

/**
 * Compiles a flag. Order of evaluation: disabled, unmet prerequisite, override, rules, default.
 * Evaluations are prepared once, shared and frozen: only overrides and prerequisites allocate.
 * @param onOverBudget called when a rule's condition exceeds its steps; the condition is then false
 * @param computed finds named computed properties, at every evaluation
 */
export function compileFlag(
  document: FlagDocument,
  onOverBudget?: () => void,
  computed?: ComputedLookup,
): CompiledFlag {
  const { key, salt, enabled } = document;
  const { rules, faults } = compileRules(document.rules, onOverBudget, computed);
  const compiledSteps = rules.map((rule) => stepOf(document, rule));
  if (compiledSteps.includes(undefined))
    faults.push({ path: '/variants', message: 'must have a variant with a weight greater than 0' });
  if (faults.length > 0) return { kind: 'invalid', faults };

  const steps = compiledSteps.filter((step) => step !== undefined);
  const rolloutPlace = seededHash(salt);
  const period = periodOf(document);
  const byDefault = answer(document, 'default');
  const disabled = disabledAnswer(key, document);
  const prerequisites = document.prerequisites.map(({ flagKey, value }): Prerequisite => ({
    flagKey,
    value: JSON.stringify(value),
    unmet: Object.freeze({ ...disabled, prerequisiteKey: flagKey }),
  }));
  const variants = document.variants.map(({ key: variantKey, value }) => ({ variantKey, text: JSON.stringify(value) }));

  return { kind: 'compiled', flag: { key, document, evaluate } };

  function evaluate(subject: Subject, targeting: Targeting, served?: Served): FlagEvaluation {
    if (!enabled) return disabled;
    if (prerequisites.length > 0) {
      const unmet = unmetPrerequisite(key, prerequisites, subject, targeting, served ?? new Map());
      if (unmet !== undefined) return unmet.unmet;
    }
    const override = overrideOf(subject.player, key);
    return override === undefined ? byRules(subject) : overridden(override);
  }

  function overridden({ value }: FlagOverride): FlagEvaluation {
    const variantKey = variants.find(({ text }) => sameJson(text, value))?.variantKey ?? null;
    return { flagKey: key, value, variantKey, reason: 'player_override', period };
  }

  function byRules(subject: Subject): FlagEvaluation {
    const { id } = subject.player;
    // One hash, from 0 to below 1, serves all rules of the flag; -1: not computed yet.
    let place = -1;
    for (const { isFor, share, serve } of steps) {
      if (!isFor(subject)) continue;
      if (share < 1) {
        if (place < 0) place = rolloutPlace(id);
        if (place >= share) continue;
      }
      return serve(id);
    }
    return byDefault;
  }
}

interface Step extends CompiledRule {
  serve: (playerId: string) => FlagEvaluation;
}

/** Adds to a rule what it serves; `undefined` if no variant has a weight. */
function stepOf(document: FlagDocument, compiled: CompiledRule): Step | undefined {
  const { segmentId, value } = compiled.rule;
  const reason = segmentId === null ? 'percentage_rollout' : 'segment_match';
  const more = segmentId === null ? {} : { segmentId };
  if (!value || document.flagType === 'boolean') {
    const only = answer(document, reason, { ...more, ...(value ? { value: 'true' } : {}) });
    return { ...compiled, serve: () => only };
  }
  const parts = document.variants.map(({ key: variantKey, weight, value: variantValue }) => ({
    weight,
    item: answer(document, reason, { ...more, variantKey, value: JSON.stringify(variantValue) }),
  }));
  const serve = createSplit(document.salt, parts);
  return serve && { ...compiled, serve };
}

/** An evaluation with the default value; `more` overrides its fields. */
function answer(document: FlagDocument, reason: FlagReason, more: Partial<FlagEvaluation> = {}): FlagEvaluation {
  const { key: flagKey, defaultValue } = document;
  const value = JSON.stringify(defaultValue);
  return Object.freeze({ flagKey, value, variantKey: null, reason, period: periodOf(document), ...more });
}

/** A linear search: almost every player's list is empty. */
function overrideOf({ overrides }: PlayerState, flagKey: string): FlagOverride | undefined {
  for (const override of overrides) if (override.flagKey === flagKey) return override;
  return undefined;
}
