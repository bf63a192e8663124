import { failure } from '../../src/kernel/errors.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { OverrideFlag } from '../vocabulary/commands.ts';
import type { Context, Decision } from '../decision.ts';
import type { PlayerState } from '../vocabulary/state.ts';

/** Sets or removes what one player gets of one flag. Whether there is such a flag is the caller's to know. */
export function overrideFlag(
  state: PlayerState | undefined,
  { flagKey, value }: OverrideFlag,
  context: Context,
): Decision {
  if (state === undefined) return { facts: [], reply: failure('PLAYER_NOT_FOUND') };
  const reply = { kind: 'overridden', flagKey, value } as const;
  const held = state.overrides.find((override) => override.flagKey === flagKey);
  if ((held?.value ?? null) === value) return { facts: [], reply };
  if (held === undefined && state.overrides.length >= LIMITS.overridesPerPlayer) {
    return {
      facts: [],
      reply: failure('CONFLICT', `The player has ${LIMITS.overridesPerPlayer} overrides already; remove one first.`),
    };
  }
  const { game, environment, at } = context;
  return { facts: [{ kind: 'FlagOverridden', entityId: state.id, game, environment, at, flagKey, value }], reply };
}
