import {
  fieldsOf,
  fieldsOfSource,
  PLAYER_FIELDS,
  type Fields as RowFields,
} from '../../../../core/vocabulary/metrics/asked.ts';
import { columnsOf } from '../../../../core/vocabulary/metrics/dimensions.ts';
import type { MeasureName } from '../../../../core/vocabulary/metrics/measures.ts';
import type { Dimension, Filter, Test } from '../../../../clickhouse-schema/queries/questions/question.ts';
import { QUESTION_LIMITS } from '../../../../clickhouse-schema/queries/questions/limits.ts';
import { platformName } from '../../../../core/vocabulary/state/platform.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import { API_LIMITS } from '../../limits.ts';
import type { Condition } from './filter-fields.ts';

/* Fields and conditions of a query's body, as dimensions and filters. */

/** The values that rows have, and what a message calls these rows. */
interface Fields extends RowFields {
  of: string;
}

/** What events have of themselves: funnels and paths read no other table beside them. */
export const EVENT_FIELDS: Fields = { ...fieldsOfSource('events'), of: 'events' };
/** The same to group by. */
export const EVENT_GROUPS: Fields = {
  columns: columnsOf('events'),
  named: ['property', 'segment'],
  of: 'events',
};

/** The fields of questions about players. */
export const FIELDS_OF_PLAYERS: Fields = { ...PLAYER_FIELDS, of: 'players' };

/** The fields that the rows of all these measures have. */
export function fieldsOfAll(measures: readonly MeasureName[]): Fields {
  return { ...fieldsOf(measures), of: measures.map((name) => `\`${name}\``).join(' and ') };
}

/** @returns undefined with a fault if the rows have no such field */
export function dimensionOf(text: string, fields: Fields, path: string, faults: FieldFault[]): Dimension | undefined {
  const colon = text.indexOf(':');
  const name = fields.named.find((one) => one === text.slice(0, Math.max(0, colon)));
  if (name !== undefined) {
    const rest = text.slice(colon + 1);
    if (rest === '') faults.push({ path, message: `must name ${NAMES[name]} after \`${name}:\`` });
    if (name === 'segment') return { kind: 'segment', key: rest };
    checkPath(rest, path, faults);
    return { kind: name, path: rest };
  }
  const column = fields.columns.find((one) => one === text);
  if (column !== undefined) return { kind: 'column', column };
  const known = [
    ...fields.columns.map((one) => `\`${one}\``),
    ...fields.named.map((one) => `\`${one}:<${PLACES[one]}>\``),
  ];
  faults.push({ path, message: `must be one of ${known.join(', ')} for ${fields.of}` });
  return undefined;
}

const NAMES = { property: 'a property', attribute: 'an attribute', segment: 'the key of a segment' } as const;
const PLACES = { property: 'path', attribute: 'path', segment: 'key' } as const;

export function checkPath(property: string, path: string, faults: FieldFault[]): void {
  if (property.split('.').length <= API_LIMITS.propertyPathKeys) return;
  faults.push({ path, message: `must have at most ${API_LIMITS.propertyPathKeys} keys joined by dots` });
}

/** The filters of conditions; each operator of a condition is one. Faults of their fields are noted. */
export function filtersOf(where: readonly Condition[], fields: Fields, path: string, faults: FieldFault[]): Filter[] {
  const filters = where.flatMap((condition, place) => {
    const at = `${path}/${place}`;
    const dimension = dimensionOf(condition.field, fields, `${at}/field`, faults);
    if (dimension === undefined) return [];
    const isText = dimension.kind === 'column' || dimension.kind === 'segment';
    return testsOf(condition).map((test) => {
      if (isText && typeof test.value === 'number') {
        const message = `compares numbers, and \`${condition.field}\` is a text; use \`in\`, \`is\` with a text or \`contains\``;
        faults.push({ path: `${at}/${test.operator}`, message });
      }
      return {
        dimension,
        test: dimension.kind === 'column' && dimension.column === 'platform' ? ofPlatforms(test) : test,
      };
    });
  });
  if (filters.length > QUESTION_LIMITS.questionFilters) {
    const message = `has ${filters.length} operators; the maximum is ${QUESTION_LIMITS.questionFilters}`;
    faults.push({ path, message });
  }
  return filters;
}

/** The test with the stored names of the platforms that it names. */
function ofPlatforms(test: Test): Test {
  if (test.operator === 'in') return { operator: 'in', value: test.value.map(platformName) };
  if (typeof test.value !== 'string') return test;
  return test.operator === 'contains'
    ? { operator: 'contains', value: test.value.toLowerCase() }
    : { operator: test.operator, value: platformName(test.value) };
}

function testsOf(condition: Condition): Test[] {
  const { in: values, is, is_not: isNot, gt, gte, lt, lte, contains } = condition;
  return [
    ...(values === undefined ? [] : [{ operator: 'in', value: values } as const]),
    ...(is === undefined ? [] : [{ operator: 'is', value: is } as const]),
    ...(isNot === undefined ? [] : [{ operator: 'is_not', value: isNot } as const]),
    ...(gt === undefined ? [] : [{ operator: 'gt', value: gt } as const]),
    ...(gte === undefined ? [] : [{ operator: 'gte', value: gte } as const]),
    ...(lt === undefined ? [] : [{ operator: 'lt', value: lt } as const]),
    ...(lte === undefined ? [] : [{ operator: 'lte', value: lte } as const]),
    ...(contains === undefined ? [] : [{ operator: 'contains', value: contains } as const]),
    ...(condition.is_set === true ? [{ operator: 'is_set', value: true } as const] : []),
    ...(condition.is_not_set === true ? [{ operator: 'is_not_set', value: true } as const] : []),
  ];
}

/** Characters of the texts that conditions name. */
export function charsOf(where: readonly Condition[]): number {
  let chars = 0;
  for (const condition of where) {
    for (const { value } of testsOf(condition)) {
      if (typeof value === 'string') chars += value.length;
      if (typeof value === 'object') for (const text of value) chars += text.length;
    }
  }
  return chars;
}
