import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/settings/config.ts';
import { TEXT_LIMITS } from '../text/limits.ts';
import { VALIDATION_LIMITS } from './limits.ts';
import { keyOf } from '../../../src/api/definitions/definition-fields.ts';
import { nullable } from '../../../src/api/input/fields.ts';
import { isPlainObject } from './plain-object.ts';
import { routes } from '../../../src/api/routes.ts';
import { compile, holdsAtMost } from './validation.ts';
import { isLinearByConstruction } from '../../../test/support/regex-shape.ts';

const Numbers = Type.Object({ name: Type.String(), values: Type.Array(Type.Number(), { maxItems: 10_000 }) });
const wrong = (count: number) => ({ name: 1, values: Array.from({ length: count }, () => 'x') });

const check = compile(Numbers);
const faultsOf = (value: unknown) => (check.accepts(value) ? [] : check.faultsOf(value));

describe('the faults of a value', () => {
  it('are all listed for a small value, up to a maximum', () => {
    expect(faultsOf(wrong(2)).map(({ path }) => path)).toEqual(['/name', '/values/0', '/values/1']);
    expect(faultsOf(wrong(100))).toHaveLength(VALIDATION_LIMITS.reportedFaults);
  });

  it('are only the first one for a large value', () => {
    expect(faultsOf(wrong(VALIDATION_LIMITS.validatedValues))).toHaveLength(1);
  });

  it.each(['new shop', '', 'größe', 'a'.repeat(TEXT_LIMITS.definitionKeyLength + 1), '..'])(
    'say which characters a key may have: %j',
    (key) => {
      const Definition = compile(Type.Object({ key: keyOf('A key.') }));
      const message = 'must have 1 to 100 characters of A-Z a-z 0-9 . _ -, and must not be . or ..';
      expect(Definition.accepts({ key })).toBe(false);
      expect(Definition.faultsOf({ key })).toEqual([{ path: '/key', message }]);
    },
  );

  it.each([
    [{ rules: [] }, '/rules', 'is not a known field; the nearest is `targeting_rules`'],
    [{ serve: { variant_key: 'b' } }, '/serve/variant_key', 'is not a known field; the fields are variant, value'],
    [{ serve: { vlaue: 1 } }, '/serve/vlaue', 'is not a known field; the nearest is `value`'],
    [{ x: 1 }, '/x', 'is not a known field; the fields are targeting_rules, serve, after, bucket_by'],
    [{ serve: 4.99 }, '/serve', 'must be object or null, with the fields variant, value'],
    [{ after: '1 day' }, '/after', 'must be a time in minutes, hours or days, such as 90m, 24h or 7d'],
    [{ after: '0d' }, '/after', 'must be a time in minutes, hours or days, such as 90m, 24h or 7d'],
    [{ bucket_by: 'guild' }, '/bucket_by', 'must be player, device or attribute:<path>, such as attribute:guild'],
    [{ bucket_by: 'attribute:' }, '/bucket_by', 'must be player, device or attribute:<path>, such as attribute:guild'],
  ])('name the remedy: %j', (value, path, message) => {
    const Serve = Type.Object({ variant: Type.Optional(Type.String()), value: Type.Optional(Type.Unknown()) });
    const Flag = compile(
      Type.Object(
        {
          targeting_rules: Type.Optional(Type.Array(Type.Unknown())),
          serve: Type.Optional(nullable(Type.Object(Serve.properties, { additionalProperties: false }))),
          after: Type.Optional(Type.String({ format: 'delay' })),
          bucket_by: Type.Optional(Type.String({ format: 'bucket-by' })),
        },
        { additionalProperties: false },
      ),
    );
    expect(Flag.accepts(value)).toBe(false);
    expect(Flag.faultsOf(value)).toEqual([{ path, message }]);
    expect(Flag.accepts({ after: '7d', bucket_by: 'attribute:guild' })).toBe(true);
  });

  it('report the size of an oversized list, not its items', () => {
    const message: unknown = expect.stringContaining('has 10001 items; the maximum is 10000');
    expect(faultsOf({ name: 'a', values: wrong(10_001).values })).toEqual([{ path: '/values', message }]);
  });

  it('are none for an accepted value, small or large', () => {
    for (const size of [1, 9_000]) {
      expect(check.accepts({ name: 'a', values: Array.from({ length: size }, () => 1) })).toBe(true);
    }
  });
});

describe('the count of values', () => {
  it('includes nested values and ends at the maximum', () => {
    expect(holdsAtMost({ a: [1, 2], b: { c: null } }, 6)).toBe(true);
    expect(holdsAtMost({ a: [1, 2], b: { c: null } }, 5)).toBe(false);
    expect(holdsAtMost('x', 1)).toBe(true);
    expect(holdsAtMost([[[[]]]], 3)).toBe(false);
  });
});

/** Every schema inside a schema, with its place. */
function schemasIn(schema: unknown, place: string): { place: string; schema: Record<string, unknown> }[] {
  if (Array.isArray(schema)) return schema.flatMap((each, index) => schemasIn(each, `${place}/${index}`));
  if (!isPlainObject(schema)) return [];
  const inside = Object.entries(schema).flatMap(([name, each]) => schemasIn(each, `${place}/${name}`));
  return 'type' in schema ? [{ place, schema }, ...inside] : inside;
}

/** The body with the value at one place of its schema replaced by each of many values that cost much. */
function* attacks(schema: unknown, value: unknown): Generator {
  yield* COSTLY;
  if (!isPlainObject(schema)) return;
  const { properties, items } = schema;
  if (isPlainObject(properties)) {
    const held = isPlainObject(value) ? value : {};
    for (const [name, inside] of Object.entries(properties)) {
      for (const each of attacks(inside, held[name])) yield { ...held, [name]: each };
    }
    yield { ...held, ...MANY_FIELDS };
  }
  if (items !== undefined) {
    const first: unknown = Array.isArray(value) ? value[0] : undefined;
    for (const each of attacks(items, first)) yield [each];
  }
}

/** Enough that work that grows faster than the body exceeds the bound. */
const MANY = 8 * VALIDATION_LIMITS.validatedValues;
const MANY_FIELDS = Object.fromEntries(Array.from({ length: MANY / 2 }, (_, n) => [`f${n}`, n]));
const COSTLY: readonly unknown[] = [
  Array.from({ length: MANY }, () => 0),
  Array.from({ length: MANY / 2 }, () => ({})),
  Array.from({ length: MANY / 2 }, (_, n) => `${n}`),
  MANY_FIELDS,
  'x'.repeat(TEXT_LIMITS.stringBytes),
];

describe('the bodies of routes', () => {
  const withBody = routes(readConfig({})).filter(({ input }) => input.body !== undefined);

  it('bound every list and never use uniqueItems', () => {
    for (const { method, path, input } of withBody) {
      for (const { place, schema } of schemasIn(input.body, `${method} ${path}`)) {
        if (schema['type'] === 'array') expect(schema['maxItems'], place).toBeTypeOf('number');
        expect(schema, place).not.toHaveProperty('uniqueItems');
      }
    }
  });

  it('have only patterns that are linear', () => {
    const patterns = withBody.flatMap(({ input }) => schemasIn(input.body, '')).map(({ schema }) => schema['pattern']);
    const found = [...new Set(patterns.filter((pattern) => typeof pattern === 'string'))];
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((pattern) => !isLinearByConstruction(pattern, 'u'))).toEqual([]);
  });

  it.each(withBody.map((route) => [`${route.method} ${route.path}`, route]))(
    '%s are validated with few reads of each value, whatever they hold',
    (_name, { input, example }) => {
      const check = compile(input.body ?? Type.Object({}));
      for (const body of attacks(input.body, example)) {
        const { value, reads } = counted(body);
        const faults = check.accepts(value) ? [] : check.faultsOf(value);
        // A search for all faults of a body of a mebibyte takes 1.5 s.
        if (!holdsAtMost(body, VALIDATION_LIMITS.validatedValues)) expect(faults.length).toBeLessThanOrEqual(1);
        expect(reads()).toBeLessThan(MOST_READS * MANY);
      }
    },
  );
});

/** Reads of a value at most: by the alternatives of its schema, and by the count of values. */
const MOST_READS = 8;

/** The same value, and how many of its fields and items were read. */
function counted(whole: unknown): { value: unknown; reads: () => number } {
  let reads = 0;
  const watch = (value: unknown): unknown =>
    typeof value !== 'object' || value === null
      ? value
      : new Proxy(value, {
          get(target, name) {
            reads += 1;
            return watch(Reflect.get(target, name));
          },
        });
  return { value: watch(whole), reads: () => reads };
}
