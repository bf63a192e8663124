import { assert, dictionary, jsonValue, property, string } from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { FieldFault } from '../../core/kernel/errors.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { EVENT_SCHEMA_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { compileEventSchema, type CompileSteps, type EventCheck } from './compile-event-schema.ts';

/** Runs every step of compiling at once. */
function finished<T>(steps: CompileSteps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** A schema with its search for all faults compiled. */
function checkOf(schema: JsonObject): { faultsOf(...event: Parameters<EventCheck['faultsOf']>): FieldFault[] } {
  const compiled = finished(compileEventSchema(schema));
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  finished(compiled.check.compileAllFaults());
  return {
    faultsOf(properties, textLength) {
      const faults = compiled.check.faultsOf(properties, textLength);
      if (faults === 'uncompiled') throw new Error('the search for all faults is not compiled');
      return faults;
    },
  };
}

/** Faults of properties as they come over the wire: own `__proto__` keys included. */
function faultsOf(schema: JsonObject, properties: string) {
  return checkOf(schema).faultsOf(JSON.parse(properties), properties.length);
}

function refusalOf(schema: string): { path: string; message: string }[] {
  const compiled = finished(compileEventSchema(JSON.parse(schema)));
  return compiled.kind === 'invalid' ? compiled.faults : [];
}

const LEVEL: JsonObject = {
  type: 'object',
  properties: { level: { type: 'integer', minimum: 1 }, mode: { enum: ['easy', 'hard'] } },
  required: ['level'],
  additionalProperties: false,
};

/** As a generator of draft-07 writes it. */
const DRAFT_07: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { n: { $ref: '#/definitions/n' }, when: { type: 'string', format: 'date' } },
  definitions: { n: { type: 'integer' } },
  additionalProperties: false,
};

describe('the first compilation of a process', () => {
  it('compiles each part of the meta-schema in a step of its own', async () => {
    // Modules of their own, because the others may have compiled before.
    vi.resetModules();
    const { compileEventSchema: compileFirst } = await import('./compile-event-schema.ts');
    const stepsOf = (steps: CompileSteps<unknown>): number => {
      for (let count = 1; ; count++) if (steps.next().done === true) return count;
    };
    const first = stepsOf(compileFirst(LEVEL));
    const second = stepsOf(compileFirst(LEVEL));
    expect(second).toBe(4);
    expect(first).toBeGreaterThan(second + 40);
  });

  it('finds faults at every level of the meta-schema', () => {
    const nested = (schema: string) => `{"properties":{"a":{"items":{"not":{"anyOf":[${schema}]}}}}}`;
    for (const fault of [
      '{"type":5}',
      '{"minimum":"1"}',
      '{"required":[1]}',
      '{"anyOf":[]}',
      '{"unevaluatedItems":{"type":5}}',
      '{"title":5}',
    ]) {
      expect(refusalOf(nested(fault)), fault).not.toEqual([]);
    }
  });
});

describe('an event schema', () => {
  it.each([
    ['{"level":3}', []],
    ['{"level":3,"mode":"easy"}', []],
    ['{"level":"3"}', [{ path: '/level', message: 'must be integer' }]],
    ['{}', [{ path: '/level', message: 'is required' }]],
    [
      '{"level":0,"mode":"x","more":1}',
      [
        { path: '/more', message: 'is not a known field' },
        { path: '/level', message: 'must be at least 1' },
        { path: '/mode', message: 'must be one of ["easy","hard"]' },
      ],
    ],
  ])('finds in %s: %j', (properties, faults) => {
    expect(faultsOf(LEVEL, properties)).toEqual(faults);
  });

  it.each<[JsonObject, string, boolean]>([
    [{ properties: { a: { const: { x: [1, { y: 2 }] } } } }, '{"a":{"x":[1,{"y":2}]}}', true],
    [{ properties: { a: { const: { x: 1, y: 2 } } } }, '{"a":{"y":2,"x":1}}', true],
    [{ properties: { a: { const: 1 } } }, '{"a":"1"}', false],
    [{ properties: { a: { enum: [null, { b: 1 }] } } }, '{"a":{"b":1.0}}', true],
    [{ properties: { a: { enum: [1, 'x'] } } }, '{"a":{"b":1}}', false],
    [{ properties: { a: { uniqueItems: true } } }, '{"a":[1,"1",[1],{"x":1}]}', true],
    [{ properties: { a: { uniqueItems: true } } }, '{"a":[{"x":1,"y":2},{"y":2,"x":1}]}', false],
    [{ properties: { a: { multipleOf: 0.01 } } }, '{"a":19.99}', true],
    [{ properties: { a: { multipleOf: 0.01 } } }, '{"a":19.999}', false],
    [{ properties: { a: { pattern: '^[A-Z]{3}$' } } }, '{"a":"EUR"}', true],
    [{ properties: { a: { pattern: '^[A-Z]{3}$' } } }, '{"a":"eur"}', false],
    [{ patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false }, '{"n_a":1}', true],
    [{ patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false }, '{"n_a":"1"}', false],
    [{ patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false }, '{"m_a":1}', false],
    [{ properties: { at: { format: 'date-time' } } }, '{"at":"2026-01-15T10:30:00Z"}', true],
    [{ properties: { at: { format: 'date-time' } } }, '{"at":"yesterday"}', false],
    [{ properties: { a: { format: 'uri' } } }, '{"a":"https://example.com/x"}', true],
    [{ properties: { a: { format: 'uri' } } }, '{"a":"example"}', false],
    [{ properties: { a: { $ref: '#/$defs/id' } }, $defs: { id: { format: 'uuid' } } }, '{"a":"x"}', false],
    [JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]},"else":true}'), '{"a":1}', false],
    [{ unevaluatedProperties: false, allOf: [{ properties: { a: true } }] }, '{"a":1}', true],
    [{ unevaluatedProperties: false, allOf: [{ properties: { a: true } }] }, '{"b":1}', false],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', minProperties: 1 }, '{}', false],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema#', minProperties: 1 }, '{}', false],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', minProperties: 1 }, '{}', false],
    [{ $schema: 'https://json-schema.org/draft-07/schema', minProperties: 1 }, '{"a":1}', true],
    [{ $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } }, '{"a":1}', false],
    [DRAFT_07, '{"n":1,"when":"1955-03-01"}', true],
    [DRAFT_07, '{"n":"1"}', false],
    [DRAFT_07, '{"when":"1955-13-01"}', false],
    [{ properties: { a: { $ref: '#/definitions/x' } }, definitions: { x: { type: 'string' } } }, '{"a":1}', false],
  ])('%j takes %s: %s', (schema, properties, taken) => {
    expect(faultsOf(schema, properties).length === 0).toBe(taken);
  });

  it.each([
    ['{"type":"strng"}', '/type'],
    ['{"minimum":"1"}', '/minimum'],
    ['{"required":"level"}', '/required'],
    ['{"propertes":{}}', '/propertes'],
    ['{"properties":{"a":{"typ":"string"}}}', '/properties/a/typ'],
    ['{"properties":{"a":5}}', '/properties/a'],
    ['{"$async":true}', '/$async'],
    ['{"$id":"https://example.com/a"}', '/$id'],
    ['{"$schema":"http://json-schema.org/draft-04/schema#"}', '/$schema'],
    ['{"$schema":"http://json-schema.org/schema#"}', '/$schema'],
    ['{"$schema":7}', '/$schema'],
    ['{"properties":{"a":{"$schema":"https://json-schema.org/draft/2020-12/schema"}}}', '/properties/a/$schema'],
    ['{"$schema":"http://json-schema.org/draft-07/schema#","dependentRequired":{"a":["b"]}}', '/dependentRequired'],
    ['{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]}}', '/dependencies'],
    ['{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[{}]}}}', '/properties/a/items'],
    [
      '{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"contains":{},"minContains":2}}}',
      '/properties/a/minContains',
    ],
    [
      '{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/d","minimum":1}},' +
        '"definitions":{"d":{}}}',
      '/properties/a/minimum',
    ],
    ['{"$schema":"https://json-schema.org/draft/2019-09/schema","prefixItems":[{}]}', '/prefixItems'],
    ['{"$ref":"#/definitions/a","$defs":{"a":{}}}', ''],
    ['{"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#/definitions/a"}}}', '/$defs'],
    ['{"$ref":"https://example.com/schema.json"}', '/$ref'],
    ['{"$ref":"#"}', '/$ref'],
    ['{"$ref":"#/properties/a","properties":{"a":{}}}', '/$ref'],
    ['{"$ref":"#/$defs/a"}', ''],
    ['{"$dynamicRef":"#a"}', '/$dynamicRef'],
    ['{"properties":{"a":{"$defs":{}}}}', '/properties/a/$defs'],
    ['{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"}}}', '/$defs'],
    ['{"$defs":{"a":{"not":{"$ref":"#/$defs/b"}},"b":{"not":{"$ref":"#/$defs/a"}}}}', '/$defs'],
    ['{"pattern":"(a+)+\\\\1"}', '/pattern'],
    ['{"pattern":"(?=a)"}', '/pattern'],
    ['{"patternProperties":{"((a{50}){50}){50}":{}}}', '/patternProperties/((a{50}){50}){50}'],
    ['{"properties":{"a":{"format":"regex"}}}', ''],
    ['{"properties":{"__proto__":{"type":"string"}}}', '/properties/__proto__'],
    ['{"if":{}}', ''],
  ])('refuses %s, and says where', (schema, path) => {
    expect(refusalOf(schema)[0]).toEqual({ path, message: expect.stringMatching(/./) });
  });

  it('is bounded in size, in depth and in keywords with references expanded', () => {
    expect(
      refusalOf(JSON.stringify({ description: 'x'.repeat(EVENT_SCHEMA_LIMITS.eventSchemaBytes) }))[0]?.message,
    ).toMatch(/bytes/);
    const nested = `${'{"not":'.repeat(EVENT_SCHEMA_LIMITS.eventSchemaDepth)}{}${'}'.repeat(EVENT_SCHEMA_LIMITS.eventSchemaDepth)}`;
    expect(refusalOf(nested)[0]?.message).toMatch(/deeper/);
    const many = Object.fromEntries(
      Array.from({ length: EVENT_SCHEMA_LIMITS.eventSchemaKeywords }, (_, n) => [`p${n}`, { type: 'null' }]),
    );
    expect(refusalOf(JSON.stringify({ properties: many }))[0]?.message).toMatch(/keywords/);
    const required = Array.from({ length: EVENT_SCHEMA_LIMITS.eventSchemaKeywords }, (_, n) => `p${n}`);
    expect(refusalOf(JSON.stringify({ required }))[0]?.message).toMatch(/keywords/);
    const anyOf = Array.from({ length: EVENT_SCHEMA_LIMITS.eventSchemaPatterns + 1 }, (_, n) => ({
      pattern: `^x{${n + 1}}$`,
    }));
    expect(refusalOf(JSON.stringify({ anyOf }))).toEqual([
      {
        path: `/anyOf/${EVENT_SCHEMA_LIMITS.eventSchemaPatterns}/pattern`,
        message: expect.stringMatching(/maximum of \d+ patterns/),
      },
    ]);
    const bomb = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => {
        const next = { $ref: `#/$defs/d${n + 1}` };
        return [`d${n}`, n === 29 ? { type: 'null' } : { allOf: [next, next] }];
      }),
    );
    expect(refusalOf(JSON.stringify({ $ref: '#/$defs/d0', $defs: bomb }))[0]?.message).toMatch(/keywords/);
  });

  it('distinguishes inherited properties from those of an event', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    for (const name of names) {
      const required = { required: [name] };
      expect(faultsOf(required, '{}'), name).toHaveLength(1);
      expect(faultsOf(required, `{"${name}":1}`), name).toEqual([]);
      expect(faultsOf({ additionalProperties: false }, `{"${name}":{"x":1}}`), name).toHaveLength(1);
      const same: JsonObject = JSON.parse(`{"const":{"a":{"${name}":5}}}`);
      expect(faultsOf(same, `{"a":{"${name}":5}}`), name).toEqual([]);
      expect(faultsOf(same, `{"a":{}}`), name).toHaveLength(1);
    }
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it('reports a few short faults of a faulty event', () => {
    const properties = JSON.stringify(
      Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${'k'.repeat(120)}${n}`, n])),
    );
    const faults = faultsOf({ additionalProperties: { enum: ['y'.repeat(5_000)] } }, properties);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.length).toBeLessThanOrEqual(SHARED_LIMITS.quarantineFaults);
    for (const { path, message } of faults) {
      expect(path.length).toBeLessThanOrEqual(SHARED_LIMITS.quarantineFaultLength + 1);
      expect(message.length).toBeLessThanOrEqual(SHARED_LIMITS.quarantineFaultLength + 1);
    }
  });

  it('counts an event as faulty if its check would take too long', () => {
    const schema = { additionalProperties: { pattern: '^(?:[a-z]|[a-y]|[a-x]|[a-w]|[a-v]){1,40}$' } };
    const long = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`k${n}`, 'a'.repeat(1_000)]));
    const properties = JSON.stringify(long);
    expect(faultsOf(schema, properties)[0]?.message).toMatch(/too long to check|pattern/);
    const items = JSON.stringify({ a: Array.from({ length: 5_000 }, () => ({ x: [0] })) });
    const costly = {
      properties: { a: { items: { allOf: Array.from({ length: 90 }, () => ({ enum: [{ x: [0] }] })) } } },
    };
    expect(faultsOf(costly, items)).toEqual([{ path: '', message: 'takes too long to check' }]);
  });

  it('counts an event as faulty if keywords times characters exceed the bound', () => {
    const properties: JsonObject = {};
    for (let n = 0; n < 200; n++) properties[`p${n}`] = { type: 'number' };
    const large = JSON.stringify({ a: Array.from({ length: 20_000 }, (_, n) => n) });
    expect(faultsOf({ properties }, large)).toEqual([{ path: '', message: 'takes too long to check' }]);
    expect(faultsOf({ properties }, '{"p1":1}')).toEqual([]);
  });

  it('counts an event as faulty if keywords times values exceed the bound', () => {
    const oneOf = Array.from({ length: 200 }, (_, n) => ({ minimum: n, maximum: n }));
    const schema = { additionalProperties: { items: { oneOf } } };
    const numbers = (count: number) => JSON.stringify({ a: Array.from({ length: count }, (_, n) => n % 10) });
    expect(faultsOf(schema, numbers(3_000))).toEqual([{ path: '', message: 'takes too long to check' }]);
    expect(faultsOf(schema, numbers(100))).toEqual([]);
  });

  it('compiles in steps, and compiles the search for all faults only after the first faulty event', () => {
    finished(compileEventSchema({}));
    const compiling = compileEventSchema(LEVEL);
    for (const step of ['check the schema', 'prepare the compiler', 'generate the code', 'parse the code']) {
      expect(compiling.next().done, step).toBe(step === 'parse the code');
    }
    const compiled = finished(compileEventSchema(LEVEL));
    if (compiled.kind === 'invalid') throw new Error('the schema is valid');
    const { check } = compiled;
    expect(check.faultsOf({ level: 3 }, 11)).toEqual([]);
    expect(check.faultsOf({ level: 0, more: 1 }, 20)).toBe('uncompiled');
    finished(check.compileAllFaults());
    expect(check.faultsOf({ level: 0, more: 1 }, 20)).toHaveLength(2);
  });

  it('never throws, for any event', () => {
    const checks = [
      LEVEL,
      { additionalProperties: { uniqueItems: true, maxLength: 3, const: { a: 1 } } },
      { propertyNames: { pattern: '^[a-z]+$' }, unevaluatedProperties: { enum: [1, null, {}] } },
      { properties: { a: { contains: { type: 'string' }, minContains: 2 } }, minProperties: 1 },
    ].map((schema) => checkOf(schema));
    assert(
      property(dictionary(string(), jsonValue()), (value) => {
        const text = JSON.stringify(value);
        for (const check of checks) expect(Array.isArray(check.faultsOf(JSON.parse(text), text.length))).toBe(true);
      }),
    );
  });
});
