import type { ActiveProperties, ComputedValue } from '../../../core/vocabulary/documents/computed.ts';
import type { Aggregate, Buckets, ComputedScalar } from '../../../core/vocabulary/state/aggregates.ts';
import { merged } from '../../../core/vocabulary/state/computed-buckets.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';

type Computed = Pick<PlayerState, 'computed'>;

/**
 * The guest's values as the account's partition numbers its properties. Each partition counts generations by itself;
 * the id of a property is that of its content, and equal in all.
 */
export function inPartition(guest: PlayerState, active: ActiveProperties | undefined): PlayerState {
  const { computed, ...rest } = guest;
  if (computed === undefined) return guest;
  const values = computed.flatMap((value) => {
    const here = active?.list.find(({ id }) => id === value.id);
    return here === undefined ? [] : [{ ...value, generation: here.generation }];
  });
  return values.length === 0 ? rest : { ...rest, computed: values };
}

/** Values of one property add up by its own rule. `filled` stays as the account has it: its past is added once. */
export function unitedComputed({ computed = [] }: PlayerState, guest: PlayerState): Computed {
  const values = [...computed];
  for (const value of guest.computed ?? []) {
    const place = values.findIndex(({ id }) => id === value.id);
    const held = values[place];
    if (held === undefined) values.push(value);
    else if (held.generation !== value.generation) values[place] = value;
    else values[place] = { ...held, buckets: merged(held.aggregate, held.days, value.buckets, held.buckets) };
  }
  return values.length === 0 ? {} : { computed: values };
}

/** Counts, sums and means are taken back; other values stay as they became: what they were is not in them. */
export function separatedComputed({ computed = [] }: PlayerState, guest: PlayerState): Computed {
  const ofGuest = new Map((guest.computed ?? []).map((value) => [value.id, value]));
  const values = computed.flatMap((value): ComputedValue[] => {
    const other = ofGuest.get(value.id);
    const width = WIDTHS[value.aggregate];
    if (other?.generation !== value.generation || width === undefined) return [value];
    const buckets = without(value.buckets, other.buckets, width);
    return buckets.length === 0 ? [] : [{ ...value, buckets }];
  });
  return values.length === 0 ? {} : { computed: values };
}

/** Items of a day in aggregates that are sums. */
const WIDTHS: { readonly [K in Aggregate]?: number } = { count: 2, sum: 2, average: 3 };

function without(buckets: Buckets, others: Buckets, width: number): Buckets {
  const taken = new Map<number, ComputedScalar[]>();
  for (let at = 0; at < others.length; at += width) taken.set(Number(others[at]), others.slice(at + 1, at + width));
  const left: ComputedScalar[] = [];
  for (let at = 0; at < buckets.length; at += width) {
    const other = taken.get(Number(buckets[at])) ?? [];
    const items = buckets.slice(at + 1, at + width).map((item, place) => Number(item) - Number(other[place] ?? 0));
    // The last item is a number of events, except in a sum, of which nothing may be left either.
    if (items.some((item) => item !== 0)) left.push(buckets[at] ?? 0, ...items);
  }
  return left;
}
