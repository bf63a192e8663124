import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { extracted } from './extracted-properties.ts';

const valuesOf = (properties: unknown, ...paths: string[]) => extracted(JSON.stringify(properties), paths);

it.each([
  ['forest', 'sforest'],
  ['12', 's12'],
  [' "\n ', 's "\n '],
  ['x'.repeat(128), `s${'x'.repeat(128)}`],
  [12, 'n12'],
  [-0.5, 'n-0.5'],
  [true, 'btrue'],
  ['', '-'],
  [null, '-'],
] as const)('the value %j is extracted as %j, after its path', (value, text) => {
  expect(valuesOf({ level: value }, 'level')).toEqual([`"level":${text}`]);
  expect(valuesOf({ item: { price: value } }, 'item.price')).toEqual([`"item.price":${text}`]);
  expect(valuesOf({ 'item.price': value }, 'item.price')).toEqual([`"item.price":${text}`]);
});

it.each([['x'.repeat(129)], [1e21], [1e-7], [2 ** 63], [[1]], [{ b: 1 }], ['\ud83d']])(
  'the value %j stays in the JSON, as ClickHouse writes it otherwise, or it is long',
  (value) => expect(valuesOf({ level: value }, 'level')).toEqual(['']),
);

it('a path finds its own property, or says that there is none', () => {
  expect(valuesOf({ say: '"level":9', deep: { level: 9 } }, 'level')).toEqual(['"level":-']);
  expect(valuesOf({ a: 1, b: { c: 'x' } }, 'b.c', 'a', 'b.d', 'a.b')).toEqual([
    '"b.c":sx',
    '"a":n1',
    '"b.d":-',
    '"a.b":-',
  ]);
  expect(valuesOf({ 'say "hi"': 1 }, 'say "hi"')).toEqual(['"say \\"hi\\"":n1']);
  expect(valuesOf(JSON.parse('{"__proto__":{"a":1}}'), '__proto__.a', 'constructor.name')).toEqual([
    '"__proto__.a":n1',
    '"constructor.name":-',
  ]);
});

it('two values of a path stay in the JSON: a question takes the first text and the first number', () => {
  expect(valuesOf({ 'item.price': 'x', item: { price: 7 } }, 'item.price')).toEqual(['']);
  expect(valuesOf({ 'item.price': null, item: { price: 7 } }, 'item.price')).toEqual(['"item.price":n7']);
});

it('properties that ClickHouse cannot read as JSON are extracted no more than it reads them', () => {
  expect(valuesOf({ level: 4, other: 1e20 }, 'level', 'none')).toEqual(['', '"none":-']);
  expect(valuesOf({ level: 4, other: '\udc00' }, 'level')).toEqual(['']);
});

/** Keys and texts that are hard to tell from the structure around them. */
const hardText = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'a.b',
    '__proto__',
    '"',
    '\\',
    '\\"',
    ',',
    ':',
    '}',
    '{"a":',
    '","a":',
    '',
    '\n',
    'é',
    '😀',
  ),
  fc.string({ maxLength: 4 }),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    hardText,
    fc.integer(),
    fc.constantFrom(null, true, false, 0.5, -0, 1e21, 1e-7),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(hardText, tie('value'), { maxKeys: 3 }),
  ),
}));

/** The value of a path by a parse of the document; undefined: it stays in the JSON. */
function readWhole(text: string, path: string): string | undefined {
  const values = [[path], path.split('.')].slice(0, path.includes('.') ? 2 : 1).flatMap((keys) => {
    let value: unknown = JSON.parse(text);
    for (const key of keys) {
      if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, key)) return [];
      value = Object.getOwnPropertyDescriptor(value, key)?.value;
    }
    return value === null || value === '' ? [] : [value];
  });
  const [value = null] = values;
  if (value === null) return '-';
  if (values.length > 1) return undefined;
  if (typeof value === 'string') return `s${value}`;
  if (typeof value === 'boolean') return `b${value}`;
  return typeof value === 'number' && value !== 1e21 && value !== 1e-7 ? `n${value}` : undefined;
}

it('values are those of the parsed document, whatever its keys and texts have', () => {
  const paths = ['a', 'b', 'a.b', 'b.a', '"', '\\', ',', ':', '__proto__.a', 'a.b.a', '😀', ''];
  fc.assert(
    fc.property(fc.dictionary(hardText, anyValue, { maxKeys: 5 }), (properties) => {
      const text = JSON.stringify(properties);
      const read = paths.map((path) => {
        const said = readWhole(text, path);
        return said === undefined ? '' : `${JSON.stringify(path)}:${said}`;
      });
      expect(extracted(text, paths)).toEqual(read);
    }),
    { numRuns: 2_000 },
  );
});
