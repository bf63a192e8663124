import { describe, expect, test } from 'vitest';
import { FLAG_LIMITS } from '../limits.ts';
import { VALIDATION_LIMITS } from '../../../core/kernel/validation/limits.ts';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { FlagServe } from '../../../core/vocabulary/documents/flag-serve.ts';
import { compileFlag } from '../evaluate/compile-flag.ts';
import { flagFaults } from './flag-faults.ts';
import { aFlag, aRule, aSplitFlag, variantsOf } from '../evaluate/testing-flag.ts';

const SEGMENT = 'seg_vips';

function faults(document: FlagDocument, others: readonly FlagDocument[] = []) {
  return flagFaults(document, {
    segmentExists: (id) => id === SEGMENT,
    segmentIdOf: () => undefined,
    flag: (key) => others.find((other) => other.key === key),
  });
}

const paths = (...given: Parameters<typeof faults>) => faults(...given).map(({ path }) => path);

test('a valid definition of each type has no faults, and compiles', () => {
  const other = aFlag({ key: 'other' });
  const good = [
    aFlag({ rules: [aRule({ segmentId: SEGMENT, percentage: 0.5, startAt: 1, endAt: 2 })] }),
    aFlag({ prerequisites: [{ flagKey: 'other', value: true }] }),
    aSplitFlag({ a: 0, b: 0.5 }, { defaultValue: 'none' }),
    aFlag({ flagType: 'string', variants: variantsOf({ a: 1 }) }),
    aFlag({ flagType: 'number', variants: [{ key: 'a', value: 1, weight: 1 }], defaultValue: 2 }),
    aFlag({ flagType: 'json', variants: [{ key: 'a', value: null, weight: 1 }], defaultValue: { x: [1] } }),
    aFlag({ rules: [aRule({ conditions: { 'attributes.level': { $gte: 3 } } })] }),
  ];
  for (const document of good) {
    expect(faults(document, [other])).toEqual([]);
    expect(compileFlag(document).kind).toBe('compiled');
  }
});

describe('what rules serve', () => {
  const AB = { a: 1, b: 1 };
  const serving = (serve: FlagServe, some: Partial<FlagDocument> = {}) =>
    aSplitFlag(AB, { rules: [aRule(), aRule({ serve })], ...some });

  test.each<[string, FlagDocument]>([
    ['a variant', serving({ variant: 'b' })],
    ['weights', serving({ weights: [{ key: 'b', weight: 2 }] })],
    ['a value', serving({ value: 'x' })],
    ['values without any variant', aFlag({ flagType: 'number', rules: [aRule({ serve: { value: 1 } })] })],
    ['a default without any variant', aFlag({ flagType: 'json', defaultServe: { value: [] } })],
    ['false of a boolean flag', aFlag({ rules: [aRule({ serve: { value: false } })] })],
    ['a path of an attribute', serving({ variant: 'b' }, { bucketBy: 'attribute:home.id' })],
  ])('may be %s', (_, document) => {
    expect(faults(document)).toEqual([]);
    expect(compileFlag(document).kind).toBe('compiled');
  });

  test.each<[FlagDocument, string]>([
    [serving({ variant: 'c' }), '/targeting_rules/1/serve/variant'],
    [
      serving({
        weights: [
          { key: 'a', weight: 1 },
          { key: 'c', weight: 1 },
        ],
      }),
      '/targeting_rules/1/serve/weights/1/key',
    ],
    [
      serving({
        weights: [
          { key: 'a', weight: 1 },
          { key: 'a', weight: 1 },
        ],
      }),
      '/targeting_rules/1/serve/weights/1/key',
    ],
    [serving({ weights: [{ key: 'a', weight: 0 }] }), '/targeting_rules/1/serve/weights'],
    [serving({ value: 4 }), '/targeting_rules/1/serve/value'],
    [serving({ value: null }), '/targeting_rules/1/serve/value'],
    [aSplitFlag(AB, { rules: [aRule({ value: false, serve: { variant: 'a' } })] }), '/targeting_rules/0/serve'],
    [aSplitFlag(AB, { defaultServe: { variant: 'c' } }), '/default_serve/variant'],
    [aSplitFlag(AB, { defaultServe: { value: true } }), '/default_serve/value'],
    [aFlag({ rules: [aRule({ serve: { variant: 'a' } })] }), '/targeting_rules/0/serve'],
    [aFlag({ rules: [aRule({ serve: { value: 'true' } })] }), '/targeting_rules/0/serve/value'],
    [aFlag({ flagType: 'number', rules: [aRule({ serve: { value: 1 } }), aRule()] }), '/variants'],
    [aFlag({ flagType: 'number', defaultServe: { value: 1 }, rules: [aRule()] }), '/variants'],
    [aSplitFlag(AB, { bucketBy: 'attribute:home..id' }), '/bucket_by'],
    [aSplitFlag(AB, { rules: [aRule({ bucketBy: 'attribute: ' })] }), '/targeting_rules/0/bucket_by'],
  ])('has the fault of %# named', (document, path) => {
    expect(paths(document)).toEqual([path]);
  });

  test('may be turned off although a variant of it is gone', () => {
    const broken = serving({ variant: 'gone' });
    const change = (some: Partial<FlagDocument>) =>
      flagFaults(
        { ...broken, ...some },
        { segmentExists: () => true, segmentIdOf: () => undefined, flag: () => undefined },
        broken,
      );
    expect(change({ enabled: false })).toEqual([]);
    expect(change({ defaultServe: { variant: 'gone' } })).toMatchObject([{ path: '/default_serve/variant' }]);
  });
});

describe('variants', () => {
  test('need unique keys', () => {
    const variants = [...variantsOf({ a: 1, b: 1 }), ...variantsOf({ a: 1 })];
    expect(faults(aSplitFlag({}, { variants }))).toEqual([
      { path: '/variants/2/key', message: 'repeats an earlier key; each key must be unique' },
    ]);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, FLAG_LIMITS.flagWeight + 1])(
    'may not have the weight %d',
    (weight) => {
      expect(paths(aSplitFlag({ a: 1, b: weight }))).toEqual(['/variants/1/weight']);
    },
  );

  test('may not all have the weight 0', () => {
    expect(paths(aSplitFlag({ a: 0, b: 0 }))).toEqual(['/variants']);
  });

  test('are forbidden for a boolean flag, and required for all others', () => {
    expect(paths(aFlag({ variants: variantsOf({ a: 1 }) }))).toEqual(['/variants']);
    for (const flagType of ['multivariate', 'string', 'number', 'json'] as const) {
      expect(paths(aFlag({ flagType }))).toEqual(['/variants']);
    }
  });

  test.each([
    ['multivariate', 1],
    ['string', null],
    ['number', '1'],
  ] as const)('of a flag of type %s may not be %j', (flagType, value) => {
    const variants = [{ key: 'a', value, weight: 1 }];
    expect(paths(aFlag({ flagType, variants }))).toEqual(['/variants/0/value']);
  });
});

test('the default must be of the flag type', () => {
  expect(paths(aFlag({ defaultValue: null }))).toEqual(['/default_value']);
  expect(paths(aFlag({ defaultValue: 'no' }))).toEqual(['/default_value']);
  expect(paths(aSplitFlag({ a: 1 }, { defaultValue: true }))).toEqual(['/default_value']);
});

describe('rules', () => {
  const withRule = (some: Parameters<typeof aRule>[0]) => aFlag({ rules: [aRule(), aRule(some)] });

  test.each([-0.1, 100.1, Number.NaN])('may not have a percentage of %d', (percentage) => {
    expect(paths(withRule({ percentage }))).toEqual(['/targeting_rules/1/percentage']);
  });

  test('need a segment that exists', () => {
    expect(paths(withRule({ segmentId: 'seg_none' }))).toEqual(['/targeting_rules/1/segment_id']);
  });

  test.each([1, 2])('may not end before they start: from 2 to %d', (endAt) => {
    expect(paths(withRule({ startAt: 2, endAt }))).toEqual(['/targeting_rules/1/end_at']);
  });

  test('need conditions that compile, and report the path of each fault', () => {
    const found = paths(withRule({ conditions: { 'attributes.level': { $nonsense: 1 } } }));
    expect(found).toEqual([expect.stringMatching(/^\/targeting_rules\/1\/conditions\/attributes\.level/)]);
  });
});

describe('prerequisites', () => {
  const waiting = (key: string, flagKey: string, value: FlagDocument['defaultValue'] = true) =>
    aFlag({ key, prerequisites: [{ flagKey, value }] });

  test('must be other flags that are not archived, each once', () => {
    const gone = aFlag({ key: 'gone', archivedAt: 5 });
    const other = aFlag({ key: 'other' });
    expect(paths(waiting('a', 'none'))).toEqual(['/prerequisites/0/flag_key']);
    expect(paths(waiting('a', 'gone'), [gone])).toEqual(['/prerequisites/0/flag_key']);
    expect(faults(waiting('a', 'a'), [aFlag({ key: 'a' })])).toEqual([
      { path: '/prerequisites/0/flag_key', message: 'must be the key of another flag' },
    ]);
    const twice = aFlag({ prerequisites: [true, false].map((value) => ({ flagKey: 'other', value })) });
    expect(paths(twice, [other])).toEqual(['/prerequisites/1/flag_key']);
  });

  test('must require a value that the flag can serve', () => {
    expect(paths(waiting('a', 'b', 'yes'), [aFlag({ key: 'b' })])).toEqual(['/prerequisites/0/value']);
    expect(paths(waiting('a', 'b', null), [aSplitFlag({ x: 1 }, { key: 'b' })])).toEqual([]);
  });

  test('may not form a cycle of any length', () => {
    const others = [waiting('a', 'd'), waiting('b', 'c'), waiting('c', 'a'), aFlag({ key: 'd' })];
    expect(faults(waiting('a', 'b'), others)).toEqual([
      { path: '/prerequisites/0/flag_key', message: 'depends on `a` itself; prerequisites must not form a cycle' },
    ]);
    expect(faults(waiting('a', 'd'), others)).toEqual([]);
  });

  test('are validated even if other flags already form a cycle', () => {
    expect(faults(waiting('a', 'b'), [waiting('b', 'c'), waiting('c', 'b')])).toEqual([]);
  });
});

describe('a definition is bounded', () => {
  test('in its rules, variants and prerequisites', () => {
    const rules = Array.from({ length: FLAG_LIMITS.flagRules + 1 }, () => aRule());
    const variants = variantsOf(
      Object.fromEntries(Array.from({ length: FLAG_LIMITS.flagVariants + 1 }, (_, at) => [`v${at}`, 1])),
    );
    const prerequisites = Array.from({ length: FLAG_LIMITS.flagPrerequisites + 1 }, (_, at) => ({
      flagKey: `f${at}`,
      value: true,
    }));
    const document = aSplitFlag({}, { rules, variants, prerequisites });
    expect(paths(document)).toEqual(['/variants', '/targeting_rules', '/prerequisites']);
  });

  test('in its size', () => {
    const variants = [{ key: 'a', value: 'ä'.repeat(FLAG_LIMITS.flagBytes / 2), weight: 1 }];
    expect(paths(aFlag({ flagType: 'json', variants }))).toEqual(['']);
  });

  test('in its reported faults', () => {
    const rules = Array.from({ length: FLAG_LIMITS.flagRules }, () => aRule({ percentage: 101 }));
    expect(faults(aFlag({ rules }))).toHaveLength(VALIDATION_LIMITS.reportedFaults);
  });
});

describe('an edit is refused for new faults only', () => {
  const others = { segmentExists: () => false, segmentIdOf: () => undefined, flag: () => undefined };
  const stranded = aRule({ segmentId: 'seg_gone' });
  const faulty = [
    aFlag({ rules: [stranded, aRule({ percentage: 101 })], prerequisites: [{ flagKey: 'gone', value: true }] }),
    aFlag({ rules: Array.from({ length: FLAG_LIMITS.flagRules + 1 }, () => stranded) }),
    aFlag({ description: 'x'.repeat(FLAG_LIMITS.flagBytes) }),
    aSplitFlag({ a: 0 }, { defaultValue: 5 }),
    aFlag({ rules: [aRule({ conditions: { $where: 'x' } })] }),
  ];

  test.each(faulty)('a faulty flag can be switched on and off (%#)', (held) => {
    expect(flagFaults(held, others)).not.toEqual([]);
    expect(flagFaults({ ...held, enabled: false, version: held.version + 1 }, others, held)).toEqual([]);
  });

  test('moving a faulty rule adds no fault, replacing it with another does', () => {
    const held = aFlag({ rules: [stranded, aRule()] });
    expect(flagFaults(aFlag({ rules: [aRule(), stranded] }), others, held)).toEqual([]);
    const another = aRule({ segmentId: 'seg_gone_too' });
    expect(flagFaults(aFlag({ rules: [another, aRule()] }), others, held)).toMatchObject([
      { path: '/targeting_rules/0/segment_id' },
    ]);
  });

  test('a repeated key is a new fault, though both keys existed before', () => {
    const [variant] = variantsOf({ a: 1 });
    const held = aSplitFlag({ a: 1 });
    const twice = aSplitFlag({}, { variants: [...held.variants, ...(variant === undefined ? [] : [variant])] });
    expect(flagFaults(twice, others, held)).toMatchObject([{ path: '/variants/1/key' }]);
  });

  test('old faults never hide a new one, however many they are', () => {
    const many = Array.from({ length: FLAG_LIMITS.flagRules - 1 }, () => stranded);
    const held = aFlag({ rules: many });
    expect(flagFaults(held, others)).toHaveLength(Math.min(VALIDATION_LIMITS.reportedFaults, many.length));
    expect(flagFaults(aFlag({ rules: [...many, aRule({ percentage: -1 })] }), others, held)).toMatchObject([
      { path: `/targeting_rules/${many.length}/percentage` },
    ]);
  });
});
