import type { FieldFault } from '../../core/kernel/errors.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { compileFilter } from '../conditions/compile-condition.ts';
import { incompleteFilterFaults } from '../conditions/check/incomplete.ts';
import type { PropertySpec } from '../../core/vocabulary/documents/computed.ts';
import { AGGREGATE_RULES } from '../../core/vocabulary/state/aggregates.ts';
import type { PropertyDocument } from '../../core/vocabulary/documents/documents.ts';

/** What a named property computes. */
export function specOf({ event, where, aggregate, value, withinDays }: PropertyContent): PropertySpec {
  return {
    event,
    ...(where === null || Object.keys(where).length === 0 ? {} : { where }),
    aggregate,
    ...(value === null ? {} : { path: value.slice(PROPERTIES.length) }),
    days: withinDays ?? 0,
  };
}

export type PropertyContent = Pick<PropertyDocument, 'event' | 'where' | 'aggregate' | 'value' | 'withinDays'>;

const PROPERTIES = 'properties.';

/** Validates a definition that matches its schema. Paths are JSON Pointers with the names of the wire. */
export function propertyFaults({ where, aggregate, value }: PropertyContent): FieldFault[] {
  const filter = where === null ? undefined : compileFilter(where);
  const incomplete = where === null ? [] : incompleteFilterFaults(where);
  const faults = filter?.kind === 'invalid' ? filter.faults : incomplete;
  return [
    ...faults.map(({ path, message }): FieldFault => ({ path: `/where${path}`, message })),
    ...valueFaults(aggregate, value),
  ];
}

function valueFaults(aggregate: PropertyDocument['aggregate'], value: string | null): FieldFault[] {
  const path = '/value';
  if (AGGREGATE_RULES[aggregate].take === undefined) {
    return value === null ? [] : [{ path, message: `must be left out: \`${aggregate}\` counts events, not values` }];
  }
  const isPath = value?.startsWith(PROPERTIES) === true && !value.split('.').includes('');
  if (!isPath) return [{ path, message: `must be properties.<path>, the value of which you want the ${aggregate}` }];
  if (value.split('.').length > SHARED_LIMITS.jsonDepth) {
    return [{ path, message: `is nested too deep; the maximum is ${SHARED_LIMITS.jsonDepth} levels` }];
  }
  return [];
}
