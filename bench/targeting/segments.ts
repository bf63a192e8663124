import type { JsonObject } from '../../core/kernel/text/json.ts';
import { pairsCase, type Pair } from '../lib/figures/pairs.ts';
import { EVENT, upkeep } from '../lib/upkeep.ts';

export const segments = pairsCase('segments', 'Keep segments up to date, beside having none: per event.', segmentPairs);

/** An owner's work for one event, segments included, beside the same without segments. */
function segmentPairs(): Pair[] {
  const without = upkeep([]);
  const pair = (name: string, count: number, conditions: (index: number) => JsonObject): Pair => ({
    name,
    work: upkeep(Array.from({ length: count }, (_, index) => conditions(index))),
    reference: without,
    referenceName: 'no segments',
  });
  return [
    pair('an event, no segments', 0, attributes),
    pair('an event, 10 segments, none reads it', 10, attributes),
    pair('an event, 10 segments, one reads it', 10, (index) => (index === 0 ? counter(0) : attributes(index))),
    pair('an event, 10 segments, all read it', 10, counter),
    pair('an event, 100 segments, none reads it', 100, attributes),
    pair('an event, 100 segments, 10 read it', 100, (index) => (index % 10 === 0 ? counter(index) : attributes(index))),
    pair('an event, 100 segments, all read it', 100, counter),
  ];
}

const attributes = (index: number): JsonObject => ({
  'attributes.level': { $gte: index },
  'attributes.country': { $in: ['DE', 'NO'] },
  is_payer: index % 2 === 0,
});

const counter = (index: number): JsonObject => ({
  'attributes.level': { $gte: index },
  [`events.${EVENT}.count_7d`]: { $gte: index % 5 },
  'attributes.country': 'DE',
});
