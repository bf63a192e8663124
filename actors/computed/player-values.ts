import type { Json } from '../../core/kernel/text/json.ts';
import type { ComputedValue, PropertySpec } from '../../core/vocabulary/documents/computed.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { valueAt, valueChangesAt } from '../../core/vocabulary/state/computed-buckets.ts';
import type { Buckets } from '../../core/vocabulary/state/aggregates.ts';

/* Reads a player's values of computed properties. A player without a value has had no event that concerns it. */

type Computed = Pick<PlayerState, 'computed'>;

export function computedAt(player: Computed, id: string, { aggregate, days }: PropertySpec, nowMs: number): Json {
  return valueAt(aggregate, days, bucketsIn(player, id), nowMs);
}

/** When the value may change with time alone, epoch milliseconds; `undefined`: never. */
export function computedChangesAt(
  player: Computed,
  id: string,
  { aggregate, days }: PropertySpec,
  nowMs: number,
): number | undefined {
  return valueChangesAt(aggregate, days, bucketsIn(player, id), nowMs);
}

const NONE: Buckets = [];

function bucketsIn({ computed }: Computed, id: string): Buckets {
  return valueIn(computed, id)?.buckets ?? NONE;
}

function valueIn(values: readonly ComputedValue[] | undefined, id: string): ComputedValue | undefined {
  if (values === undefined) return undefined;
  for (const value of values) if (value.id === id) return value;
  return undefined;
}
