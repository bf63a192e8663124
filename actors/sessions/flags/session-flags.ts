import { NO_PERIOD } from '../../flags/periods.ts';
import { digestOf } from '../../../core/kernel/secrets/digest.ts';
import { SESSION_LIMITS } from '../limits.ts';
import type { FlagReason } from '../../../core/vocabulary/facts/flag-reason.ts';
import type { SeenFlag } from '../../../core/vocabulary/state/player.ts';
import type { FlagEvaluation, SessionFlag } from '../../../core/vocabulary/commands/replies.ts';

/** A flag's result in the two forms that sessions need. */
export interface SessionFlagForms {
  /** Stored with the session, to tell later what changed. */
  seen: SeenFlag;
  /** Sent to the game. */
  sent: SessionFlag;
}

/**
 * Evaluations are prepared once per flag and shared by all players, so their forms are too: a sync of unchanged flags
 * then compares pointers, and sessions in memory share what they store.
 */
const prepared = new WeakMap<FlagEvaluation, SessionFlagForms>();

export function formsOf(evaluation: FlagEvaluation, isHidden = false): SessionFlagForms {
  const found = prepared.get(evaluation);
  if (found !== undefined) return found;
  const { flagKey, value, variantKey: variant, reason, period } = evaluation;
  const enabled = reason !== 'flag_disabled' && value !== 'false' && value !== 'null';
  const forms = {
    seen: Object.freeze({ flagKey, enabled, variant, mark: (isHidden ? HIDDEN : '') + markOf(evaluation) }),
    sent: Object.freeze({ flagKey, enabled, variant, value, reason, period }),
  };
  // Those of overrides belong to one player and are not kept.
  if (Object.isFrozen(evaluation)) prepared.set(evaluation, forms);
  return forms;
}

/** The forms of a flag that was deleted or archived. */
export function formsOfGone(flagKey: string): SessionFlagForms {
  return formsOf({ flagKey, value: 'null', variantKey: null, reason: 'flag_disabled', period: NO_PERIOD });
}

/** Begins the mark of a flag that client keys may not learn of. No letter of a reason. */
const HIDDEN = '!';

/** Whether client keys could not learn of the flag when the session received it. */
export function wasHidden({ mark }: SeenFlag): boolean {
  return mark.startsWith(HIDDEN);
}

/** Whether a session has received this result. */
export function isSeen(held: SeenFlag, { enabled, variant, mark }: SeenFlag): boolean {
  return held.enabled === enabled && held.variant === variant && held.mark === mark;
}

/** The flags of a reply. Values beyond the bound of one reply are left out. */
export function sentFlags(
  forms: readonly SessionFlagForms[],
  { sessionValueChars }: { readonly sessionValueChars: number } = SESSION_LIMITS,
): SessionFlag[] {
  let chars = 0;
  return forms.map(({ sent }) => {
    const { value = '', ...rest } = sent;
    if (chars + value.length > sessionValueChars) return rest;
    chars += value.length;
    return sent;
  });
}

/** One letter per reason. Stored in states: never change them. */
const REASON_MARKS: { readonly [R in FlagReason]: string } = {
  default: 'd',
  segment_match: 's',
  percentage_rollout: 'p',
  flag_disabled: 'x',
  player_override: 'o',
};

/**
 * Identifies reason, period and value. A new period is sent although the flag serves the same: clients then expose
 * again. JSON never begins with `#`, so a digest equals no value.
 */
function markOf({ reason, period, value }: FlagEvaluation): string {
  return (
    `${REASON_MARKS[reason]}${period}:` +
    (value.length <= SESSION_LIMITS.markedValueLength ? value : `#${digestOf(value)}`)
  );
}
