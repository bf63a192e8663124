import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { type Draw, DROPPED, HELD_OUT, type Trial } from '../../../core/vocabulary/facts/flag-reason.ts';
import { textHash } from '../../conditions/buckets/hash.ts';
import { seenVariant } from '../exposure/seen-variant.ts';
import { periodOf } from '../periods.ts';

/*
 * The variants of experiments that players were assigned.
 *
 * Invariants
 * 1. A player keeps its variant and its phase while the experiment runs or is paused, whatever becomes of weights,
 *    traffic, audience and layer. Only a variant that is taken out of the experiment ends it, for good. A player who is
 *    held out stays so likewise, as long as the holdout has it.
 * 2. Answers of an experiment count in the phase in which the player was assigned, and in no period of the flag.
 */

/** Whether the player has a variant of the experiment. */
export function isAssigned({ variant }: Trial): boolean {
  return variant !== HELD_OUT && variant !== DROPPED;
}

/** The period in which an answer counts: the one of the flag or, in an experiment, the phase. */
export function countedPeriod(document: Pick<FlagDocument, 'periods'>, { trial }: Draw): number {
  return trial?.phase ?? periodOf(document);
}

/** An answer of the flag's rules to a player of an experiment who has none of its variants. */
export function countedAs(answer: FlagEvaluation, trial: Trial): FlagEvaluation {
  const { stratum: _, cluster: __, ...undrawn } = answer;
  return { ...undrawn, period: shownPeriod(trial), trial };
}

/** The variant as which an answer counts. What is shown differs if all variants show the control. */
export function countedVariant(seen: Draw & Pick<FlagEvaluation, 'variantKey' | 'value'>): string | null {
  return seen.trial?.variant ?? seenVariant(seen);
}

/**
 * The period that clients get with an answer of an experiment: no period of a flag has the number, so that a client
 * which exposes once per variant and period exposes again.
 */
export function shownPeriod({ experiment, phase }: Trial): number {
  return FIRST_SHOWN + (textHash(`${experiment}\n${phase}`) >>> 1);
}

const FIRST_SHOWN = 2 ** 31;

/**
 * What is known of a player's variant after an answer. The first assignment stays: an evaluation that did not know of
 * it yet, or found the experiment paused, changes nothing. The holdout may release a player, but an answer that no
 * experiment decides (an override, or the disabled flag) does not say so.
 * @param active the key of the experiment that runs or is paused on the flag
 */
export function trialAfter(
  kept: Trial | undefined,
  { trial: now, reason }: Pick<FlagEvaluation, 'trial' | 'reason'>,
  active: string | undefined,
): Trial | undefined {
  if (kept === undefined || kept.experiment !== active) return now;
  const isOfIt = now?.experiment === kept.experiment;
  if (kept.variant === HELD_OUT) {
    const isHeldOut = isOfIt ? now.variant === HELD_OUT : reason === 'player_override' || reason === 'flag_disabled';
    return isHeldOut ? kept : now;
  }
  return isOfIt && now.variant === DROPPED ? now : kept;
}

export function isSameTrial(one: Trial | undefined, other: Trial | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return one.experiment === other.experiment && one.phase === other.phase && one.variant === other.variant;
}
