import type { ActiveProperties, ComputedValue } from '../../vocabulary/documents/computed.ts';
import { AGGREGATES, aggregateOf, type ComputedScalar } from '../../vocabulary/state/aggregates.ts';

/** Layouts of computed properties in states. */
export type ComputedTuple = [
  id: string,
  generation: number,
  aggregate: number,
  days: number,
  filled: boolean,
  ...buckets: ComputedScalar[],
];

export type PropertiesTuple = [revision: number, generation: number, list: PropertyTuple[]];
type PropertyTuple = [id: string, spec: string, generation: number, from: number, filled: boolean];

export function computedToTuple({ id, generation, aggregate, days, filled, buckets }: ComputedValue): ComputedTuple {
  return [id, generation, AGGREGATES.indexOf(aggregate), days, filled, ...buckets];
}

export function computedFromTuple([id, generation, aggregate, days, filled, ...buckets]: ComputedTuple): ComputedValue {
  return { id, generation, aggregate: aggregateOf(aggregate), days, filled, buckets };
}

export function propertiesToTuple({ revision, generation, list }: ActiveProperties): PropertiesTuple {
  return [
    revision,
    generation,
    list.map(({ id, spec, generation: own, from, filled }): PropertyTuple => [id, spec, own, from, filled]),
  ];
}

export function propertiesFromTuple([revision, generation, list]: PropertiesTuple): ActiveProperties {
  return {
    revision,
    generation,
    list: list.map(([id, spec, own, from, filled]) => ({ id, spec, generation: own, from, filled })),
  };
}
