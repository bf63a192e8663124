import type { FlagEvaluation } from '../replies.ts';
import type { PlayerState, SeenFlag } from '../state.ts';
import type { Served, Targeting } from '../targeting.ts';

/**
 * What the flags of a session serve its player, in the words of the game-client endpoints.
 * @param flagKeys those the session asked for; `null`: all there are. A key that names no flag is left out
 * @param nowMs epoch milliseconds
 */
export function lookAtFlags(
  player: PlayerState,
  flagKeys: readonly string[] | null,
  targeting: Targeting,
  nowMs: number,
): SeenFlag[] {
  const { flags } = targeting;
  const subject = { player, nowMs };
  // Flags that wait for the same others ask them once.
  const served: Served = new Map();
  const seen: SeenFlag[] = [];
  for (const key of flagKeys ?? flags.keys()) {
    const flag = flags.get(key);
    if (flag !== undefined) seen.push(asSeen(flag.evaluate(subject, targeting, served)));
  }
  return seen;
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

function asSeen({ flagKey, value, variantKey, reason }: FlagEvaluation): SeenFlag {
  const enabled = reason !== 'flag_disabled' && value !== 'false' && value !== 'null';
  return { flagKey, enabled, variant: variantKey };
}
