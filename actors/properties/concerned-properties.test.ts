import { expect, it } from 'vitest';
import type { PropertySpec } from '../../core/vocabulary/documents/computed.ts';
import { compileEventProperty, eventReader } from './concerned-properties.ts';

it.each<[string, Partial<PropertySpec>, string | undefined]>([
  ['{"n":2}', { aggregate: 'max' }, '2'],
  ['{"n":-0.0}', { aggregate: 'last' }, '0'],
  // Finite in JSON, infinite as a number: no state and no answer could hold it.
  ['{"n":1e999}', { aggregate: 'max' }, undefined],
  ['{"n":-1e999}', { aggregate: 'last' }, undefined],
  ['{"n":1e999}', { aggregate: 'sum' }, undefined],
  ['{"n":1e10}', { aggregate: 'sum' }, undefined],
  ['{"n":1e308}', { aggregate: 'max' }, '1e+308'],
  ['{"n":"2"}', { aggregate: 'sum' }, undefined],
  ['{"__proto__":{"n":1}}', { aggregate: 'last', path: '__proto__.n' }, '1'],
  ['{}', { aggregate: 'last', path: 'constructor.name' }, undefined],
  ['[1]', { aggregate: 'last', path: '0' }, undefined],
  ['{"n":1}', { aggregate: 'count', where: { 'properties.toString': { $exists: true } } }, undefined],
])('of %s with %j counts %s', (properties, spec, value) => {
  const valueIn = compileEventProperty({ event: 'e', aggregate: 'last', path: 'n', days: 0, ...spec });
  const found = valueIn?.(eventReader(properties));
  expect(found === undefined ? undefined : String(found)).toBe(value);
  expect(Object.is(found, -0)).toBe(false);
});
