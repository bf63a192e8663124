import type { Context, Draft } from '../decision.ts';
import { served as servedFacts, servedAnew } from '../flags/serve.ts';
import type { FlagEvaluation } from '../vocabulary/replies.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { Served, Targeting } from '../targeting.ts';
import type { SeenFlag } from '../vocabulary/player.ts';

/**
 * Evaluates the flags of a session for its player.
 * @param flagKeys the keys requested at init; `null`: all flags. Unknown keys are skipped
 * @param nowMs epoch milliseconds
 */
export function evaluateSessionFlags(
  player: PlayerState,
  flagKeys: readonly string[] | null,
  targeting: Targeting,
  nowMs: number,
): FlagEvaluation[] {
  const { flags } = targeting;
  const subject = { player, nowMs };
  // Flags with the same prerequisites share their results.
  const served: Served = new Map();
  const evaluations: FlagEvaluation[] = [];
  for (const key of flagKeys ?? flags.keys()) {
    const flag = flags.get(key);
    if (flag !== undefined) evaluations.push(flag.evaluate(subject, targeting, served));
  }
  return evaluations;
}

/** Emits the flags that a reply reports to a session, and the resulting changes of the player's served variants. */
export function reportFlags(
  draft: Draft,
  player: PlayerState,
  sessionId: string,
  { reported, evaluations }: { reported: SeenFlag[]; evaluations: readonly FlagEvaluation[] },
  targeting: Targeting,
  context: Context,
): void {
  if (reported.length === 0) return;
  const { game, environment, at } = context;
  draft.emit({ kind: 'SessionFlagsTold', entityId: player.id, game, environment, at, sessionId, flags: reported });
  const keys = new Set(reported.map(({ flagKey }) => flagKey));
  const changes = evaluations.filter(({ flagKey }) => keys.has(flagKey));
  const { limits } = draft;
  const servedNow = servedAnew(player, changes, targeting, limits);
  for (const fact of servedFacts(player, servedNow, targeting, context, limits)) draft.emit(fact);
}

/** The flags that differ from those last reported to a session. A deleted flag is reported as not enabled. */
export function changedFlags(before: readonly SeenFlag[], now: readonly SeenFlag[], { flags }: Targeting): SeenFlag[] {
  const changed: SeenFlag[] = [];
  // Usually nothing changed and the order is the same. The map is built only when the order differs.
  let byKey: Map<string, SeenFlag> | undefined;
  for (const [place, flag] of now.entries()) {
    let old = before[place];
    if (old?.flagKey !== flag.flagKey) {
      byKey ??= new Map(before.map((seen) => [seen.flagKey, seen]));
      old = byKey.get(flag.flagKey);
    }
    if (old === undefined || old.enabled !== flag.enabled || old.variant !== flag.variant) changed.push(flag);
  }
  for (const { flagKey, enabled } of before) {
    if (enabled && !flags.has(flagKey)) changed.push({ flagKey, enabled: false, variant: null });
  }
  return changed;
}

/** Converts an evaluation to the form of the game-client endpoints. */
export function toSeenFlag({ flagKey, value, variantKey, reason }: FlagEvaluation): SeenFlag {
  const enabled = reason !== 'flag_disabled' && value !== 'false' && value !== 'null';
  return { flagKey, enabled, variant: variantKey };
}
