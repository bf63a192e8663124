import type { FlagReason } from '../../../../core/vocabulary/facts/flag-reason.ts';
import type { FlagEvaluation } from '../../../../core/vocabulary/commands/replies.ts';
import { fieldsOf, type PlayerField } from './player-input.ts';

/** Why a flag has its result: the service's reasons, or why there is no value. */
export type FlagResultReason =
  | FlagReason
  /** The definitions have no such flag. */
  | 'flag_not_found'
  /** The evaluation needs what the caller did not give; `missing` lists it. `resolve` asks the service. */
  | 'needs_state'
  /** No definitions have arrived yet, and there is no bootstrap. */
  | 'not_ready'
  /** Player or context cannot be read. */
  | 'invalid_input';

/** The result of a flag for a player. Shared between calls: its value is frozen. */
export interface FlagResult {
  readonly key: string;
  /** The served value, of the flag's type; null if the flag has none. undefined: not evaluated, see the reason. */
  readonly value: unknown;
  /** Key of the served variant; null if there is none. */
  readonly variant: string | null;
  readonly reason: FlagResultReason;
  /** With `segment_match`. */
  readonly segmentId?: string;
  /** With `flag_disabled` because of another flag. */
  readonly prerequisiteKey?: string;
  /** Version of the flag in the definitions. */
  readonly version?: number;
  /** The flag's period: exposures of another one do not count for it. */
  readonly period?: number;
  /** The experiment that decided, the phase in which it drew, and its variant. Absent: the flag decided. */
  readonly experiment?: { readonly key: string; readonly phase: number; readonly variant: string };
  /** With `needs_state`. */
  readonly missing?: readonly PlayerField[];
}

/** Results of the shared evaluations, which a compiled flag prepares once. */
const known = new WeakMap<FlagEvaluation, FlagResult>();

export function resultOf(evaluation: FlagEvaluation, version: number): FlagResult {
  const held = known.get(evaluation);
  if (held !== undefined) return held;
  const { flagKey: key, value, variantKey: variant, reason, period, segmentId, prerequisiteKey, trial } = evaluation;
  const result: FlagResult = Object.freeze({
    key,
    value: frozen(JSON.parse(value)),
    variant,
    reason,
    period,
    ...(segmentId === undefined ? {} : { segmentId }),
    ...(prerequisiteKey === undefined ? {} : { prerequisiteKey }),
    ...(trial && {
      experiment: Object.freeze({ key: trial.experiment, phase: trial.phase, variant: trial.variant }),
    }),
    version,
  });
  if (Object.isFrozen(evaluation)) known.set(evaluation, result);
  return result;
}

export function withoutValue(
  key: string,
  reason: Exclude<FlagResultReason, FlagReason>,
  more: { version?: number; missing?: number } = {},
): FlagResult {
  const { missing, ...rest } = more;
  return { key, value: undefined, variant: null, reason, ...rest, ...(missing ? { missing: fieldsOf(missing) } : {}) };
}

/** A value that several callers share. Without recursion: values may be nested deep. */
export function frozen(value: unknown): unknown {
  const waiting = [value];
  for (let next = waiting.pop(); waiting.length > 0 || next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    Object.freeze(next);
    waiting.push(...Object.values(next));
  }
  return value;
}
