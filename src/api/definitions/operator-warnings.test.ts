import { describe, expect, it } from 'vitest';
import type { Json } from '../../../core/kernel/text/json.ts';
import { operatorWarnings } from './operator-warnings.ts';

describe('operators without $', () => {
  it.each<[Json, [path: string, operator: string][]]>([
    [{ 'attributes.level': { gte: 2 } }, [['/attributes.level/gte', '$gte']]],
    [
      { session_count: { GTE: 2, lt: 9 } },
      [
        ['/session_count/GTE', '$gte'],
        ['/session_count/lt', '$lt'],
      ],
    ],
    [{ 'attributes.a/b': { notregex: 'x' } }, [['/attributes.a~1b/notregex', '$notRegex']]],
    [
      { $or: [{ is_payer: true }, { 'attributes.x': { $not: { in: [1] } } }] },
      [['/$or/1/attributes.x/$not/in', '$in']],
    ],
    [
      { events: { name: 'lost', where: { 'properties.level': { eq: 3 } }, count: { gte: 2 } } },
      [
        ['/events/where/properties.level/eq', '$eq'],
        ['/events/count/gte', '$gte'],
      ],
    ],
    [{ 'attributes.items': { $elemMatch: { gt: 3 } } }, [['/attributes.items/$elemMatch/gt', '$gt']]],
    [{ 'attributes.level': { $gte: 2 } }, []],
    [{ 'attributes.item': { type: 'sword', power: 3 } }, []],
    [{ 'attributes.item': {} }, []],
    [{ 'attributes.level': { $eq: { gte: 2 } } }, []],
    [{ is_payer: true }, []],
    [null, []],
  ])('are found in %j', (condition, found) => {
    expect(operatorWarnings(condition).map(({ path, suggestions }) => [path, ...suggestions])).toEqual(found);
  });

  it('are named with the right one', () => {
    expect(operatorWarnings({ 'attributes.level': { gte: 2 } })[0]?.message).toBe(
      '`gte` is compared as a part of a value; did you mean the operator `$gte`?',
    );
  });
});

describe('operators that order versions as texts', () => {
  it.each<[Json, string[]]>([
    [{ app_version: { $gte: '2.4.0' } }, ['/app_version/$gte: $vgte']],
    [
      { 'context.app_version': { $gt: '14', $lt: '15' } },
      ['/context.app_version/$gt: $vgt', '/context.app_version/$lt: $vlt'],
    ],
    [{ os_version: { $lte: 17 } }, ['/os_version/$lte: $vlte']],
    [{ 'attributes.build': { $not: { $lt: 'v1.2' } } }, ['/attributes.build/$not/$lt: $vlt']],
    [{ $or: [{ 'attributes.client': { $gte: '1.0.0-rc.1' } }] }, ['/$or/0/attributes.client/$gte: $vgte']],
    [
      { events: { name: 'x', where: { 'properties.app_version': { $gte: '3' } } } },
      ['/events/where/properties.app_version/$gte: $vgte'],
    ],
    [{ app_version: { $vgte: '2.4.0', $eq: '2.4.0', $in: ['2.4.0'] } }, []],
    [{ 'attributes.level': { $gte: 2.5 } }, []],
    [{ 'attributes.name': { $gte: 'm', $lt: '14' } }, []],
    [{ 'attributes.day': { $gte: '2026-01-15' } }, []],
  ])('are found in %j', (condition, found) => {
    expect(operatorWarnings(condition).map(({ path, suggestions }) => `${path}: ${suggestions.join()}`)).toEqual(found);
  });
});

describe('patterns that find no platform', () => {
  it.each<[Json, string[]]>([
    [{ platform: { $regex: '^iOS$' } }, ['/platform/$regex: ios']],
    [{ 'context.platform': { $notRegexi: 'iphone' } }, ['/context.platform/$notRegexi: ios']],
    [{ $nor: [{ platform: { $not: { $regexi: 'webgl|osx' } } }] }, ['/$nor/0/platform/$not/$regexi: ']],
    [{ platform: { $regex: '^(ios|android)$', $notRegex: 'xbox' } }, []],
    [{ platform: { $regexi: '^iOS$', $in: ['IPhonePlayer'], $eq: 'iOS' } }, []],
    [{ 'attributes.platform': { $regex: '^iOS$' }, device_model: { $regex: 'iPhone' } }, []],
    [{ platform: { $regex: '(' } }, []],
  ])('are found in %j', (condition, found) => {
    expect(operatorWarnings(condition).map(({ path, suggestions }) => `${path}: ${suggestions.join()}`)).toEqual(found);
  });

  it('are told which names are stored', () => {
    expect(operatorWarnings({ platform: { $regex: 'iPhone' } })[0]?.message).toMatch(
      /^`\$regex` finds none of the stored names of platforms \(ios, android, .*switch_2\)$/,
    );
  });
});
