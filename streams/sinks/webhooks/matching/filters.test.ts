import { describe, expect, it } from 'vitest';
import type { FilterCondition } from '../../../../core/vocabulary/documents/documents.ts';
import { compileFilters } from './filters.ts';

const data = JSON.parse(
  '{"event_name":"purchase","properties":{"amount":9.99,"item":"sword","tags":["a","b"],"gift":null,' +
    '"nested":{"deep":true,"a.b":1},"__proto__":{"x":1},"dotted.name":"yes","constructor":"mine"}}',
);

function holds(path: string, condition: FilterCondition): boolean {
  return compileFilters({ [path]: condition })?.(data) ?? true;
}

describe('filters', () => {
  it.each<[string, FilterCondition, boolean]>([
    ['properties.amount', { eq: 9.99 }, true],
    ['properties.amount', { eq: '9.99' }, false],
    ['properties.amount', { gte: 9.99 }, true],
    ['properties.amount', { gte: 10 }, false],
    ['properties.amount', { gt: 9.99 }, false],
    ['properties.amount', { lt: 10, gt: 9 }, true],
    ['properties.amount', { lt: 10, gt: 9.99 }, false],
    ['properties.amount', { lte: 9.99 }, true],
    ['properties.item', { gt: 1 }, false],
    ['properties.item', { in: ['axe', 'sword'] }, true],
    ['properties.item', { nin: ['axe', 'sword'] }, false],
    ['properties.item', { in: 'sword' }, false],
    ['properties.item', { contains: 'wor' }, true],
    ['properties.tags', { contains: 'b' }, true],
    ['properties.tags', { contains: 'c' }, false],
    ['properties.tags', { eq: ['a', 'b'] }, true],
    ['properties.gift', { exists: true }, true],
    ['properties.gift', { eq: null }, true],
    ['properties.absent', { exists: false }, true],
    ['properties.absent', { exists: true }, false],
    ['properties.absent', { eq: null }, false],
    ['properties.absent', { ne: 1 }, true],
    ['properties.absent', { nin: [1] }, true],
    ['properties.absent', { lt: 5 }, false],
    ['properties.nested.deep', { eq: true }, true],
    ['properties.nested.a.b', { eq: 1 }, true],
    ['properties.dotted.name', { eq: 'yes' }, true],
    ['properties.item.length', { exists: true }, false],
    ['properties.tags.length', { exists: true }, false],
    ['event_name', { ne: 'login' }, true],
  ])('%s %j is %s', (path, condition, expected) => {
    expect(holds(path, condition)).toBe(expected);
  });

  it('reads own properties only, whatever their names', () => {
    expect(holds('properties.__proto__.x', { eq: 1 })).toBe(true);
    expect(holds('properties.constructor', { eq: 'mine' })).toBe(true);
    expect(holds('__proto__', { exists: true })).toBe(false);
    expect(holds('constructor.name', { exists: true })).toBe(false);
    expect(holds('properties.nested.toString', { exists: true })).toBe(false);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  it('all conditions of all paths must hold', () => {
    const both = compileFilters({ 'properties.amount': { gte: 5 }, 'properties.item': { eq: 'axe' } });
    expect(both?.(data)).toBe(false);
  });

  it('an unknown operator never holds, and no operators mean no filter', () => {
    const future: FilterCondition = JSON.parse('{"matches":".*"}');
    expect(holds('properties.item', future)).toBe(false);
    expect(compileFilters({})).toBeUndefined();
  });
});
