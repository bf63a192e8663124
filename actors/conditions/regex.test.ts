import { array, assert, boolean, constantFrom, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRegex } from './regex.ts';

/** Patterns with the same meaning in RE2 and in JavaScript. */
const atom = constantFrom(
  'a',
  'b',
  'C',
  '.',
  '[ab]',
  '[^a-c]',
  String.raw`\d`,
  String.raw`\w`,
  String.raw`\/`,
  '/',
  String.raw`\.`,
);
const repeat = constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?');
const piece = tuple(atom, repeat).map((parts) => parts.join(''));
const sequence = array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
const group = tuple(constantFrom('(', '(?:', '(?<n>'), sequence, sequence, repeat).map(
  ([open, left, right, times]) => `${open}${left}|${right})${times}`,
);
const pattern = tuple(constantFrom('', '^'), sequence, group, constantFrom('', '$')).map((parts) => parts.join(''));
const text = string({ unit: constantFrom('a', 'b', 'c', 'A', 'C', '1', '/', '.', '_', 'é'), maxLength: 12 });

describe('a regular expression', () => {
  it('matches the same texts as in JavaScript', () => {
    assert(
      property(pattern, array(text, { minLength: 5, maxLength: 5 }), boolean(), (pattern, texts, ignoreCase) => {
        const compiled = compileRegex(pattern, ignoreCase);
        if (compiled.kind === 'invalid') throw new Error(`${pattern} ${compiled.message}`);
        const reference = new RegExp(pattern, ignoreCase ? 'i' : '');
        for (const text of texts)
          expect([pattern, text, compiled.matches(text)]).toEqual([pattern, text, reference.test(text)]);
      }),
      { numRuns: 300 },
    );
  });
});
