import { describe, expect, it } from 'vitest';
import { readQuery } from './query-string.ts';

const PROPERTIES = {
  name: { type: 'array' },
  amount: { type: 'number' },
  limit: { type: 'integer' },
  all: { type: 'boolean' },
  id: { type: 'string' },
};
const read = (text: string, unknown: string[] = []) => readQuery(text, PROPERTIES, (name) => void unknown.push(name));

describe('a query string', () => {
  it('is parsed by the types of its parameters', () => {
    expect(read('name=a&name=b%20c&amount=1.50&limit=-3&all=true&id=5')).toEqual({
      name: ['a', 'b c'],
      amount: 1.5,
      limit: -3,
      all: true,
      id: '5',
    });
    expect(read('name=a')).toEqual({ name: ['a'] });
    expect(read('')).toEqual({});
  });

  it.each(['1e3', '0x10', '', ' 1', '1.', 'NaN', 'Infinity', '1,5', '9'.repeat(40)])(
    'leaves %j for validation to refuse',
    (text) => {
      expect(read(`amount=${encodeURIComponent(text)}`)).toEqual({ amount: text });
    },
  );

  it('makes a repeated single parameter an array, which validation refuses', () => {
    expect(read('id=a&id=b')).toEqual({ id: ['a', 'b'] });
  });

  it('reports unknown parameters, including __proto__', () => {
    const unknown: string[] = [];
    expect(read('x=1&__proto__=2&x=3&id=a', unknown)).toEqual({ id: 'a' });
    expect(unknown).toEqual(['x', '__proto__', 'x']);
  });
});
