import { Ajv2020 } from 'ajv/dist/2020.js';
import { array, assert, constantFrom, integer, property, record, string, oneof } from 'fast-check';
import { expect, it } from 'vitest';
import { withSafeKeywords } from './safe-keywords.ts';

const OPTIONS = { strict: false, ownProperties: true, validateSchema: false, meta: false, code: { source: true } };
const own = (allErrors: boolean) => withSafeKeywords(new Ajv2020({ ...OPTIONS, allErrors }));
const library = (allErrors: boolean) => new Ajv2020({ ...OPTIONS, allErrors });

const BRANCHES = [
  true,
  false,
  {},
  { type: 'integer' },
  { minimum: 3 },
  { maximum: 1 },
  { type: 'string', minLength: 1 },
  { required: ['a'] },
  { properties: { a: { minimum: 1 } } },
  { properties: { b: true }, required: ['b'] },
  { oneOf: [{ minimum: 2 }, { type: 'object', properties: { c: true } }] },
  { prefixItems: [{ type: 'integer' }] },
];

it('oneOf decides as the library does, fault by fault, also under unevaluatedProperties and unevaluatedItems', () => {
  const schemas = record(
    {
      oneOf: array(constantFrom(...BRANCHES), { minLength: 1, maxLength: 5 }),
      anyOf: array(constantFrom(...BRANCHES), { minLength: 1, maxLength: 2 }),
      allOf: array(constantFrom(...BRANCHES), { minLength: 1, maxLength: 2 }),
      unevaluatedProperties: constantFrom(false, { type: 'string' }),
      unevaluatedItems: constantFrom(false, { type: 'string' }),
    },
    { requiredKeys: ['oneOf'] },
  );
  const members = record(
    { a: integer({ min: 0, max: 2 }), b: string({ maxLength: 2 }), c: integer() },
    { requiredKeys: [] },
  );
  const values = oneof(
    integer({ min: 0, max: 5 }),
    string({ maxLength: 2 }),
    array(integer({ min: 0, max: 2 }), { maxLength: 2 }),
    members,
  );
  assert(
    property(schemas, array(values, { minLength: 4, maxLength: 8 }), constantFrom(true, false), (schema, each, all) => {
      const [ours, theirs] = [own(all).compile(schema), library(all).compile(schema)];
      for (const value of each) {
        expect(ours(value), JSON.stringify([schema, value])).toBe(theirs(value));
        expect(ours.errors ?? []).toEqual(theirs.errors ?? []);
      }
    }),
    { numRuns: 300 },
  );
});

it('the code of many branches is not nested', () => {
  const validate = own(true).compile({ oneOf: Array.from({ length: 300 }, (_, n) => ({ minimum: n })) });
  let depth = 0;
  let deepest = 0;
  for (const character of validate.source?.validateCode ?? '') {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  expect(deepest).toBeGreaterThan(1);
  expect(deepest).toBeLessThan(20);
});
