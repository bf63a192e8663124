import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import { CONDITION_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../core/kernel/text/limits.ts';
import { VALIDATION_LIMITS } from '../../core/kernel/validation/limits.ts';
import { DAY_MS } from '../../core/kernel/days.ts';
import { counted } from '../computed/event-counters.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { Condition } from '../decision/targeting.ts';
import { aPlayer } from '../testing-players.ts';
import { compileCondition } from './compile-condition.ts';
import type { EventCounter } from '../../core/vocabulary/state/player.ts';

const NOW = 20_000 * DAY_MS + 1_000;

function compiled(conditions: JsonObject, options?: { context?: boolean }): Condition {
  const result = compileCondition(conditions, options);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.faults));
  return result.condition;
}

function holds(conditions: JsonObject, player: Partial<PlayerState> = {}): boolean {
  return compiled(conditions).matches({ player: aPlayer(player), nowMs: NOW });
}

/** Whether a player whose attribute `a` is `value` (`undefined`: has none) meets the condition on `a`. */
function meets(condition: Json, value: Json | undefined): boolean {
  return holds({ 'attributes.a': condition }, { attributes: JSON.stringify({ a: value }) });
}

function faultsOf(conditions: JsonObject, options?: { context?: boolean }) {
  const result = compileCondition(conditions, options);
  return result.kind === 'invalid' ? result.faults : [];
}

const pathsOf = (conditions: JsonObject) => faultsOf(conditions).map(({ path }) => path);

describe('operators on an attribute', () => {
  const cases: readonly [condition: Json, yes: readonly (Json | undefined)[], no: readonly (Json | undefined)[]][] = [
    // Equality is strict and deep; a missing value is null.
    ['x', ['x'], ['X', 'xx', 1, null, undefined, ['x']]],
    [10, [10], ['10', 11, true, undefined]],
    [0, [0], [undefined, null, false, '']],
    [false, [false], [true, undefined, null, 0]],
    [null, [null, undefined], [0, '', false, 'null']],
    [[1, 'a'], [[1, 'a']], [['a', 1], [1], [1, 'a', 2], '1,a']],
    [{ b: { c: 1 }, d: 2 }, [{ d: 2, b: { c: 1 } }], [{ b: { c: 1 } }, { b: { c: 1 }, d: 2, e: 3 }, 'b']],
    [{}, [{}], [{ b: 1 }, [], undefined]],
    [{ $eq: 'x' }, ['x'], ['y', undefined]],
    [{ $eq: [1] }, [[1]], [[2], 1]],
    [{ $ne: 'x' }, ['y', undefined, 1], ['x']],
    // Comparisons: text with text, everything else as numbers; a missing value counts as 0.
    [{ $gt: 5, $lt: 10 }, [6, '8', 9.5], [5, 10, '10', 'text', [6], { a: 6 }, undefined]],
    [{ $gte: 5, $lte: 10 }, [5, 10, '5'], [4.9, 10.1]],
    [{ $gt: -1, $lt: 1, $gte: 0, $lte: 0 }, [undefined, null, 0, false, ''], [1, true]],
    [{ $gt: '5', $lt: '10' }, [8], ['8', 'x']],
    [{ $gt: 'alpha', $lt: 'zebra' }, ['beta'], ['alpha', 'zebra', 'BETA', undefined, 1]],
    // Lists, and arrays as attributes.
    [{ $in: [1, 'a', null, true] }, [1, 'a', undefined, true, [9, 'a']], ['1', 2, false, [], [[1]]]],
    [{ $in: [] }, [], [1, undefined]],
    [{ $nin: [1, 'a'] }, [2, 'A', undefined, [], ['b']], [1, 'a', ['b', 'a']]],
    [{ $ini: ['A', 2] }, ['a', 'A', 2, ['x', 'a']], ['b', '2', undefined]],
    [{ $nini: ['A'] }, ['b', undefined], ['a', ['A']]],
    [
      { $all: ['a', { $gt: 3 }] },
      [
        ['a', 4],
        [9, 'b', 'a'],
      ],
      [['a'], ['a', 3], 'a', undefined],
    ],
    [{ $alli: ['A', 'b'] }, [['a', 'B', 1]], [['a'], 'ab']],
    [{ $size: 2 }, [['x', 'y']], [[], ['x'], 'xy', { length: 2 }, undefined]],
    [{ $size: { $gte: 1 } }, [['x']], [[], 'x']],
    [{ $elemMatch: { $gt: 10, $lt: 20 } }, [[5, 15]], [[5, 25], 15, []]],
    [
      { $elemMatch: { n: { $gt: 1 }, k: 'a' } },
      [[{ n: 2, k: 'a' }]],
      [
        [
          { n: 2, k: 'b' },
          { n: 1, k: 'a' },
        ],
        { n: 2, k: 'a' },
      ],
    ],
    [{ $elemMatch: { $not: { $in: ['a'] } } }, [['a', 'b']], [['a'], []]],
    [{ $elemMatch: { 'in.ner': 1 } }, [[{ in: { ner: 1 } }], [{ 'in.ner': 1 }]], [[{ 'in.ner': 2 }], [{ ner: 1 }]]],
    [{ $not: { $elemMatch: { $eq: 'x' } } }, [['y'], undefined, 'x'], [['x']]],
    [{ $not: 'x' }, ['y'], ['x']],
    // Existence and type.
    [{ $exists: true }, [0, '', false, []], [undefined, null]],
    [{ $exists: false }, [undefined, null], [0, 'x']],
    [{ $type: 'null' }, [null, undefined], [0]],
    [{ $type: 'array' }, [[1]], [{ a: 1 }, 'x']],
    [{ $type: 'object' }, [{ a: 1 }], [[1], null]],
    [{ $type: 'string' }, ['x'], [1]],
    [{ $type: 'number' }, [1], ['1']],
    [{ $type: 'boolean' }, [false], [0]],
    // Regular expressions.
    [{ $regex: 'ab+c$' }, ['xabbc'], ['abbcd', 'ABC', undefined, ['abc']]],
    [{ $regex: '^12' }, [123, '12'], [312]],
    [{ $regexi: 'ab' }, ['xABx'], ['ba']],
    [{ $notRegex: 'ab' }, ['ba', undefined], ['ab']],
    [{ $notRegexi: 'ab' }, ['ba'], ['AB']],
    [{ $regex: '^/api/(v1|v2)/' }, ['/api/v2/x'], ['/api/v3/x']],
  ];

  it.each(cases)('%j', (condition, yes, no) => {
    for (const value of yes) expect([value, meets(condition, value)]).toEqual([value, true]);
    for (const value of no) expect([value, meets(condition, value)]).toEqual([value, false]);
  });
});

describe('logic', () => {
  const a1: JsonObject = { 'attributes.a': 1 };
  const b1: JsonObject = { 'attributes.b': 1 };
  const cases: readonly [JsonObject, boolean, boolean, boolean][] = [
    // Expected for players with neither a nor b, with a, with both.
    [{}, true, true, true],
    [{ ...a1, ...b1 }, false, false, true],
    [{ $and: [a1, b1] }, false, false, true],
    [{ $and: [] }, true, true, true],
    [{ $or: [a1, b1] }, false, true, true],
    [{ $or: [] }, true, true, true],
    [{ $nor: [a1, b1] }, true, false, false],
    [{ $nor: [] }, false, false, false],
    [{ $not: a1 }, true, false, false],
    [{ $or: [a1, b1], $not: b1 }, false, true, false],
    [{ $and: [a1, b1, { $or: [{ $not: a1 }, b1] }] }, false, false, true],
  ];

  it.each(cases)('%j', (conditions, neither, a, both) => {
    expect(holds(conditions, { attributes: '{}' })).toBe(neither);
    expect(holds(conditions, { attributes: '{"a":1}' })).toBe(a);
    expect(holds(conditions, { attributes: '{"a":1,"b":1}' })).toBe(both);
  });
});

describe('fields', () => {
  const counters = [NOW - 40 * DAY_MS, NOW - 6 * DAY_MS, NOW - 6 * DAY_MS, NOW].reduce<readonly EventCounter[]>(
    (held, at) => counted(held, 'boss.killed', at),
    [],
  );
  const player: Partial<PlayerState> = {
    lifecycleStage: 'at_risk',
    sessionCount: 3,
    totalRevenue: 49_900,
    isPayer: true,
    purchaseCount: 2,
    totalPlaytimeSeconds: 600,
    firstSeenAt: NOW - 3 * DAY_MS - 1,
    lastSeenAt: NOW - DAY_MS + 1,
    attributes: '{"deep":{"er":[{"x":7}]}}',
    device: { platform: 'ios', osVersion: '17.2', appVersion: null, build: null, deviceModel: 'iPad' },
    counters,
  };

  it.each<[string, Json]>([
    ['lifecycle_stage', 'at_risk'],
    ['session_count', 3],
    ['total_revenue', 4.99],
    ['is_payer', true],
    ['purchase_count', 2],
    ['total_playtime_seconds', 600],
    ['days_since_first_seen', 3],
    ['days_since_last_seen', 0],
    ['platform', 'ios'],
    ['os_version', '17.2'],
    ['app_version', null],
    ['device_model', 'iPad'],
    ['attributes.deep.er.0.x', 7],
    ['attributes.deep.er.1.x', null],
    ['attributes.deep.er.length', null],
    ['events.boss.killed.count_1d', 1],
    ['events.boss.killed.count_7d', 3],
    ['events.boss.killed.count_30d', 3],
    ['events.boss.killed.last_days_ago', 0],
    ['events.never.count_30d', 0],
    ['events.never.last_days_ago', null],
  ])('%s is %j', (name, value) => {
    expect(holds({ [name]: value }, player)).toBe(true);
    expect(holds({ [name]: { $ne: value } }, player)).toBe(false);
  });

  it('an event that never happened is longer ago than any number of days', () => {
    const never = { 'events.never.last_days_ago': { $gt: 1_000 } };
    expect(holds(never, player)).toBe(true);
    expect(holds({ 'events.never.last_days_ago': { $lte: 1_000 } }, player)).toBe(false);
    expect(holds({ 'events.never.last_days_ago': { $exists: false } }, player)).toBe(true);
  });

  it('no prototype is ever read, and no key is special', () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(holds({ [`attributes.${key}`]: { $exists: true } }, { attributes: '{}' })).toBe(false);
      expect(holds({ [`attributes.${key}.x`]: 1 }, { attributes: `{"${key}":{"x":1}}` })).toBe(true);
    }
    expect(holds({ 'attributes.x': { $exists: true } }, { attributes: '{"__proto__":{"x":1}}' })).toBe(false);
    const condition: JsonObject = JSON.parse('{"attributes.o":{"$eq":{"__proto__":1}}}');
    expect(holds(condition, { attributes: '{"o":{"__proto__":1}}' })).toBe(true);
    expect(holds(condition, { attributes: '{"o":{}}' })).toBe(false);
  });

  it('a rule of a flag reads the context, and its device fields before those of the player', () => {
    const condition = compiled(
      { 'context.screen.name': 'shop', platform: 'android', os_version: '17.2' },
      { context: true },
    );
    const subject = { player: aPlayer(player), nowMs: NOW };
    const context = { screen: { name: 'shop' }, platform: 'android', os_version: null };
    expect(condition.matches({ ...subject, context })).toBe(true);
    expect(condition.matches({ ...subject, context: { ...context, platform: 'web' } })).toBe(false);
    expect(condition.matches(subject)).toBe(false);
    expect(compiled({ platform: 'ios' }).matches({ ...subject, context })).toBe(true);
  });

  it.each<[JsonObject, boolean]>([
    [{ platform: 'iOS' }, true],
    [{ platform: 'IPhonePlayer' }, true],
    [{ platform: 'Android' }, false],
    [{ platform: { $ne: 'iOS' } }, false],
    [{ platform: { $in: ['Android', 'iPadOS'] } }, true],
    [{ platform: { $nin: ['Android', 'iPadOS'] } }, false],
    [{ platform: { $ini: ['IPHONE'] } }, true],
    [{ platform: { $not: { $eq: 'iOS' } } }, false],
    [{ $or: [{ platform: 'WebGLPlayer' }, { $not: { platform: 'Linux' } }] }, true],
    // Patterns are of the stored name.
    [{ platform: { $regex: '^ios$' } }, true],
    [{ platform: { $regex: '^iOS$' } }, false],
    [{ platform: { $not: { $regexi: 'iphone' } } }, true],
    [{ platform: { $type: 'string' } }, true],
  ])('%j names a platform by any of its names', (condition, isIos) => {
    expect(holds(condition, player)).toBe(isIos);
    // Whoever gives a state that is not the service's, as callers of the server SDK do.
    const device = { platform: 'IPhonePlayer', osVersion: null, appVersion: null, build: null, deviceModel: null };
    expect(holds(condition, { device })).toBe(isIos);
    const sent = { player: aPlayer({}), nowMs: NOW, context: { platform: 'iPadOS' } };
    expect(compiled(condition, { context: true }).matches(sent)).toBe(isIos);
    const named: JsonObject = JSON.parse(JSON.stringify(condition).replaceAll('"platform"', '"context.platform"'));
    expect(compiled(named, { context: true }).matches(sent)).toBe(isIos);
  });
});

describe('a device field of blanks is none', () => {
  it.each(['', ' ', '\t\u00a0'])('%j', (blank) => {
    const of = (definition: JsonObject, player = aPlayer({}), context?: JsonObject) =>
      compiled(definition, { context: true }).matches({ player, nowMs: NOW, ...(context && { context }) });
    const device = { platform: 'ios', osVersion: '17.2', appVersion: null, build: null, deviceModel: null };
    const context = { platform: blank, os_version: blank };
    expect(of({ platform: 'ios', os_version: '17.2' }, aPlayer({ device }), context)).toBe(true);
    expect(of({ platform: { $exists: false }, os_version: { $exists: false } }, aPlayer({}), context)).toBe(true);
    expect(of({ 'context.platform': { $exists: false } }, aPlayer({}), context)).toBe(true);
    expect(of({ platform: { $exists: false } }, aPlayer({ device: { ...device, platform: blank } }))).toBe(true);
  });
});

describe('an invalid definition is refused with the paths of its faults', () => {
  it.each<[JsonObject, string[]]>([
    [{ level: 1 }, ['/level']],
    [{ attributes: 1 }, ['/attributes']],
    [{ 'attributes.': 1, 'attributes.a..b': 1 }, ['/attributes.', '/attributes.a..b']],
    [{ 'context.platform': 'ios' }, ['/context.platform']],
    [
      { 'events.win': 1, 'events.win.count_2d': 1, 'events..count_1d': 1 },
      ['/events.win', '/events.win.count_2d', '/events..count_1d'],
    ],
    [
      { [`events.${'x'.repeat(TEXT_LIMITS.nameLength + 1)}.count_1d`]: 1 },
      [`/events.${'x'.repeat(TEXT_LIMITS.nameLength + 1)}.count_1d`],
    ],
    [{ $xor: [] }, ['/$xor']],
    [{ $in: [1] }, ['/$in']],
    [{ 'attributes.a': { $gte: 1, $foo: 2 } }, ['/attributes.a/$foo']],
    [{ 'attributes.a': { $or: [] } }, ['/attributes.a/$or']],
    [{ 'attributes.a': { $inGroup: 'g' } }, ['/attributes.a/$inGroup']],
    [{ 'attributes.a': { $gt: 1, b: 2 } }, ['/attributes.a']],
    [{ 'attributes.a/b~c': { $gt: null } }, ['/attributes.a~1b~0c/$gt']],
    [
      { 'attributes.a': { $lt: true, $lte: [], $gte: {} } },
      ['/attributes.a/$lt', '/attributes.a/$lte', '/attributes.a/$gte'],
    ],
    [
      { 'attributes.a': { $in: 1, $nin: 'a', $all: {}, $alli: 2 } },
      ['$in', '$nin', '$all', '$alli'].map((name) => `/attributes.a/${name}`),
    ],
    [{ 'attributes.a': { $in: [1, [2], {}] } }, ['/attributes.a/$in/1', '/attributes.a/$in/2']],
    [{ 'attributes.a': { $all: [1, { $x: 1 }] } }, ['/attributes.a/$all/1/$x']],
    [
      { 'attributes.a': { $exists: 1, $type: 'text', $size: 'x', $elemMatch: 3, $veq: null } },
      ['$exists', '$type', '$size', '$elemMatch', '$veq'].map((name) => `/attributes.a/${name}`),
    ],
    [{ 'attributes.a': { $elemMatch: { b: { $x: 1 } } } }, ['/attributes.a/$elemMatch/b/$x']],
    [{ 'attributes.a': { $regex: 1 } }, ['/attributes.a/$regex']],
    [{ 'attributes.a': { $regex: '[)' } }, ['/attributes.a/$regex']],
    [{ 'attributes.a': { $regexi: '(a)\\1' } }, ['/attributes.a/$regexi']],
    [{ 'attributes.a': { $notRegex: '(?=a)' } }, ['/attributes.a/$notRegex']],
    [{ 'attributes.a': { $regex: String.raw`\Q[\E(abc){999}]` } }, ['/attributes.a/$regex']],
    [{ 'attributes.a': { $regex: 'a'.repeat(CONDITION_LIMITS.regexLength + 1) } }, ['/attributes.a/$regex']],
    [{ 'attributes.a': { $regex: '(abc{30}){30}' } }, ['/attributes.a/$regex']],
    [{ $and: {}, $or: [1], $nor: 'x', $not: [] }, ['/$and', '/$or/0', '/$nor', '/$not']],
    [{ $and: [{ 'attributes.a': 1 }, { $or: [{ nope: 1 }] }] }, ['/$and/1/$or/0/nope']],
  ])('%j', (conditions, paths) => {
    expect(pathsOf(conditions)).toEqual(paths);
  });

  it('reports a bounded number of faults', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, 1]));
    expect(faultsOf(many)).toHaveLength(VALIDATION_LIMITS.reportedFaults);
  });

  it('refuses a definition that is nested too deep', () => {
    const nested = (levels: number): JsonObject => (levels === 0 ? {} : { $not: nested(levels - 1) });
    expect(faultsOf(nested(CONDITION_LIMITS.conditionDepth - 1))).toEqual([]);
    expect(pathsOf(nested(CONDITION_LIMITS.conditionDepth))).toEqual(['/$not'.repeat(CONDITION_LIMITS.conditionDepth)]);
  });

  it('refuses a definition with too many values', () => {
    const listing = (length: number) => ({ 'attributes.a': { $in: Array.from({ length }, (_, n) => n) } });
    expect(faultsOf(listing(CONDITION_LIMITS.conditionValues - 3))).toEqual([]);
    expect(pathsOf(listing(CONDITION_LIMITS.conditionValues - 2))).toEqual(['']);
  });
});

describe('regular expressions', () => {
  it.each([
    String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$`,
    '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    '^(?:[a-z0-9]{1,20}[.]){1,3}(?:com|net)$',
    String.raw`(iPhone|iPad)\d{1,2},\d`,
    String.raw`[\]({1000}]`,
  ])('accept %s', (pattern) => {
    expect(faultsOf({ 'attributes.a': { $regex: pattern } })).toEqual([]);
  });

  it.each([
    `(${'abcdefghij'.repeat(20)}){1000}`,
    '((a{10}){50}){10,}',
    '((a{1,100}){1,10}){10}',
    String.raw`(\(\)[)(]xyz){900}`,
  ])('refuse %s before compiling it', (pattern) => {
    const path = '/attributes.a/$regex';
    const message = expect.stringMatching(
      /^is too long with its counted repetitions expanded; the maximum is \d+ characters/,
    );
    expect(faultsOf({ 'attributes.a': { $regex: pattern } })).toEqual([{ path, message }]);
  });

  it('take time linear in the text', () => {
    const condition = compiled({ 'attributes.a': { $regex: '^(a+)+$' } });
    const player = aPlayer({
      attributes: JSON.stringify({ a: `${'a'.repeat(CONDITION_LIMITS.regexTextLength - 1)}b` }),
    });
    expect(condition.matches({ player, nowMs: NOW })).toBe(false);
  });

  it('never match a text longer than the limit', () => {
    expect(meets({ $regex: 'a' }, 'a'.repeat(CONDITION_LIMITS.regexTextLength))).toBe(true);
    expect(meets({ $regex: 'a' }, 'a'.repeat(CONDITION_LIMITS.regexTextLength + 1))).toBe(false);
  });
});
