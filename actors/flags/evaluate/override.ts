import { failure } from '../../../core/kernel/errors.ts';
import { FLAG_LIMITS } from '../limits.ts';
import type { OverrideFlag } from '../../../core/vocabulary/commands/commands.ts';
import type { Context, Decision } from '../../decision/decision.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';

/** Sets or removes one player's override of one flag. The caller has checked that the flag exists. */
export function overrideFlag(
  state: PlayerState | undefined,
  { flagKey, value }: OverrideFlag,
  context: Context,
): Decision {
  if (state === undefined) return { facts: [], reply: failure('PLAYER_NOT_FOUND') };
  const reply = { kind: 'overridden', flagKey, value } as const;
  const current = state.overrides.find((override) => override.flagKey === flagKey);
  if ((current?.value ?? null) === value) return { facts: [], reply };
  if (current === undefined && state.overrides.length >= FLAG_LIMITS.overridesPerPlayer) {
    return {
      facts: [],
      reply: failure(
        'CONFLICT',
        `The player has ${FLAG_LIMITS.overridesPerPlayer} overrides, which is the maximum. Remove one first.`,
      ),
    };
  }
  const { game, environment, at } = context;
  const { id: entityId, externalId } = state;
  return { facts: [{ kind: 'FlagOverridden', entityId, externalId, game, environment, at, flagKey, value }], reply };
}
