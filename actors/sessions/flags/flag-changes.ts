import type { Context, Draft } from '../../decision/decision.ts';
import { served as servedFacts, servedAnew } from '../../flags/evaluate/serve.ts';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { Served, Targeting } from '../../decision/targeting.ts';
import type { SeenFlag } from '../../../core/vocabulary/state/player.ts';
import { flagFor, isHidden } from '../../flags/evaluate/visible.ts';
import { formsOf, formsOfGone, isSeen, wasHidden, type SessionFlagForms } from './session-flags.ts';

/**
 * Evaluates the flags of a session for its player.
 * @param flagKeys the keys requested at init; `null`: all flags. Unknown keys are skipped
 */
export function evaluateSessionFlags(
  player: PlayerState,
  flagKeys: readonly string[] | null,
  targeting: Targeting,
  { at: nowMs, by }: Pick<Context, 'at' | 'by'>,
): FlagEvaluation[] {
  const { flags } = targeting;
  const subject = { player, nowMs };
  // Flags with the same prerequisites share their results.
  const served: Served = new Map();
  const evaluations: FlagEvaluation[] = [];
  for (const key of flagKeys ?? flags.keys()) {
    const flag = flagFor(by, key, targeting);
    if (flag !== undefined) evaluations.push(flag.evaluate(subject, targeting, served));
  }
  return evaluations;
}

/** The forms of an evaluation by these definitions. */
export function formsIn({ flags }: Targeting, evaluation: FlagEvaluation): SessionFlagForms {
  const flag = flags.get(evaluation.flagKey);
  return formsOf(evaluation, flag !== undefined && isHidden(flag));
}

/** Emits the flags that a reply reports to a session, and the resulting changes of the player's served variants. */
export function reportFlags(
  draft: Draft,
  player: PlayerState,
  sessionId: string,
  { reported, evaluations }: { reported: readonly SessionFlagForms[]; evaluations: readonly FlagEvaluation[] },
  targeting: Targeting,
  context: Context,
): void {
  if (reported.length === 0) return;
  const { game, environment, at } = context;
  const flags = reported.map(({ seen }) => seen);
  draft.emit({ kind: 'SessionFlagsTold', entityId: player.id, game, environment, at, sessionId, flags });
  const keys = new Set(flags.map(({ flagKey }) => flagKey));
  const changes = evaluations.filter(({ flagKey }) => keys.has(flagKey));
  const { limits } = draft;
  const servedNow = servedAnew(player, changes, targeting, limits);
  for (const fact of servedFacts(player, servedNow, targeting, context, limits)) draft.emit(fact);
}

/**
 * The flags that differ from those last reported to a session. A deleted flag is reported as disabled, also one that
 * the caller may no longer see; a client key learns of no flag that only a server key has seen in the session.
 */
export function changedFlags(
  before: readonly SeenFlag[],
  now: readonly FlagEvaluation[],
  targeting: Targeting,
  by: Context['by'],
): SessionFlagForms[] {
  const changed: SessionFlagForms[] = [];
  // Usually nothing changed and the order is the same. The map is built only when the order differs.
  let byKey: Map<string, SeenFlag> | undefined;
  for (const [place, evaluation] of now.entries()) {
    const forms = formsIn(targeting, evaluation);
    let old = before[place];
    if (old === forms.seen) continue;
    if (old?.flagKey !== evaluation.flagKey) {
      byKey ??= new Map(before.map((seen) => [seen.flagKey, seen]));
      old = byKey.get(evaluation.flagKey);
    }
    if (old === undefined || !isSeen(old, forms.seen)) changed.push(forms);
  }
  for (const seen of before) {
    if (flagFor(by, seen.flagKey, targeting) !== undefined) continue;
    if (by === 'client' && wasHidden(seen)) continue;
    const gone = formsOfGone(seen.flagKey);
    if (!isSeen(seen, gone.seen)) changed.push(gone);
  }
  return changed;
}
