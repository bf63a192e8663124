import type { Context, Draft } from '../decision.ts';
import { served as servedFacts, servedAnew } from '../flags/serve.ts';
import type { FlagEvaluation } from '../vocabulary/replies.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { Served, Targeting } from '../targeting.ts';
import type { SeenFlag } from '../vocabulary/player.ts';

/**
 * What the flags of a session serve its player.
 * @param flagKeys those the session asked for; `null`: all there are. A key that names no flag is left out
 * @param nowMs epoch milliseconds
 */
export function lookAtFlags(
  player: PlayerState,
  flagKeys: readonly string[] | null,
  targeting: Targeting,
  nowMs: number,
): FlagEvaluation[] {
  const { flags } = targeting;
  const subject = { player, nowMs };
  // Flags that wait for the same others ask them once.
  const served: Served = new Map();
  const evaluations: FlagEvaluation[] = [];
  for (const key of flagKeys ?? flags.keys()) {
    const flag = flags.get(key);
    if (flag !== undefined) evaluations.push(flag.evaluate(subject, targeting, served));
  }
  return evaluations;
}

/** Emits what an answer tells a session of flags, and so serves its player. */
export function reportFlags(
  draft: Draft,
  player: PlayerState,
  sessionId: string,
  { told, evaluations }: { told: SeenFlag[]; evaluations: readonly FlagEvaluation[] },
  targeting: Targeting,
  context: Context,
): void {
  if (told.length === 0) return;
  const { game, environment, at } = context;
  draft.emit({ kind: 'SessionFlagsTold', entityId: player.id, game, environment, at, sessionId, flags: told });
  const keys = new Set(told.map(({ flagKey }) => flagKey));
  const news = evaluations.filter(({ flagKey }) => keys.has(flagKey));
  const { limits } = draft;
  const servedNow = servedAnew(player, news, targeting, limits);
  for (const fact of servedFacts(player, servedNow, targeting, context, limits)) draft.emit(fact);
}

/** What differs from what a session was told. A flag that is no more is told as not enabled. */
export function changedFlags(told: readonly SeenFlag[], now: readonly SeenFlag[], { flags }: Targeting): SeenFlag[] {
  const changed: SeenFlag[] = [];
  // Mostly nothing changed and both are in the same order; the rest is looked up.
  let byKey: Map<string, SeenFlag> | undefined;
  for (const [place, flag] of now.entries()) {
    let before = told[place];
    if (before?.flagKey !== flag.flagKey) {
      byKey ??= new Map(told.map((one) => [one.flagKey, one]));
      before = byKey.get(flag.flagKey);
    }
    if (before === undefined || before.enabled !== flag.enabled || before.variant !== flag.variant) changed.push(flag);
  }
  for (const { flagKey, enabled } of told) {
    if (enabled && !flags.has(flagKey)) changed.push({ flagKey, enabled: false, variant: null });
  }
  return changed;
}

/** An evaluation in the words of the game-client endpoints. */
export function asSeen({ flagKey, value, variantKey, reason }: FlagEvaluation): SeenFlag {
  const enabled = reason !== 'flag_disabled' && value !== 'false' && value !== 'null';
  return { flagKey, enabled, variant: variantKey };
}
