import { LIMITS } from '../../src/kernel/limits.ts';
import type { JsonText } from '../../src/kernel/json.ts';
import type { Context } from '../decision.ts';
import type { FlagExposed } from '../facts.ts';
import type { PlayerState } from '../state.ts';
import type { Targeting } from '../targeting.ts';
import { exposuresOf } from './evaluate-flags.ts';
import { exposed } from './expose.ts';

/**
 * A tracked event whose properties hold `flag_key` says that the player saw that flag: it counts as exposure of what the
 * flag serves the player at that moment.
 * @param state the player as it was before the event: that is whom the client showed the flag to
 * @param targeting asked for only when the event names a flag
 */
export function exposeTracked(
  state: PlayerState,
  properties: JsonText,
  targeting: () => Targeting,
  context: Context,
): FlagExposed[] {
  const key = flagKeyOf(properties);
  if (key === undefined) return [];
  const definitions = targeting();
  const flag = definitions.flags.get(key);
  if (flag === undefined) return [];
  const evaluation = flag.evaluate({ player: state, nowMs: context.at }, definitions);
  return exposuresOf(state.id, [evaluation], definitions).flatMap((one) => exposed(state, one, context));
}

/** Most events name no flag, and their properties are not parsed. */
function flagKeyOf(properties: JsonText): string | undefined {
  if (!properties.includes('"flag_key"')) return undefined;
  const parsed: { flag_key?: unknown } = JSON.parse(properties);
  const key = parsed.flag_key;
  return typeof key === 'string' && key.length <= LIMITS.nameLength ? key : undefined;
}
