import type { PropertySpec } from '../../core/vocabulary/documents/computed.ts';
import { pairsCase, type Pair } from '../lib/figures/pairs.ts';
import { EVENT, upkeep } from '../lib/upkeep.ts';

export const computed = pairsCase(
  'computed',
  'Count events by computed properties, beside having none: per event.',
  computedPairs,
);

/** An owner's work for one event, beside the same without properties. */
function computedPairs(): Pair[] {
  const without = upkeep([]);
  const pair = (name: string, count: number, spec: (index: number) => PropertySpec): Pair => ({
    name,
    work: upkeep(
      [],
      Array.from({ length: count }, (_, index) => spec(index)),
    ),
    reference: without,
    referenceName: 'no properties',
  });
  return [
    pair('an event, no properties', 0, ofOthers),
    pair('an event, 10 properties of other events', 10, ofOthers),
    pair('an event, 64 properties of other events', 64, ofOthers),
    pair('an event, 1 property counts it', 1, counting),
    pair('an event, 10 properties count it', 10, counting),
    pair('an event, 10 properties read it and do not count it', 10, reading),
  ];
}

const ofOthers = (index: number): PropertySpec => ({ ...counting(index), event: `other_${index}` });

const counting = (index: number): PropertySpec => ({
  event: EVENT,
  where: { 'properties.level': { $gte: index % 7 } },
  aggregate: index % 2 === 0 ? 'count' : 'sum',
  ...(index % 2 === 0 ? {} : { path: 'level' }),
  days: 7,
});

const reading = (index: number): PropertySpec => ({ ...counting(index), where: { 'properties.level': 50 + index } });
