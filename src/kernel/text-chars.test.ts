import { describe, expect, test } from 'vitest';
import { SAMPLES, wrap } from '../../test/fixtures/codec/samples.ts';
import { encodeCommands, encodeCommit } from '../../streams/codec.ts';
import { charsIn } from './text-chars.ts';

/** What a message takes beside its content: the envelope, and the names of properties. */
const NAMES_CHARS = 400;

describe('the estimate of a value’s size', () => {
  test.each(Object.entries(SAMPLES.facts))('is not below what a fact takes in the log: %s', (_, fact) => {
    expect(NAMES_CHARS + charsIn(fact)).toBeGreaterThanOrEqual(encodeCommit(wrap.commit([fact])).length);
  });

  test.each(Object.entries(SAMPLES.commands))('is not below what a command takes in a message: %s', (_, body) => {
    expect(NAMES_CHARS + charsIn(body)).toBeGreaterThanOrEqual(encodeCommands([wrap.command(body)]).length);
  });

  test('grows with every text of every list', () => {
    expect(charsIn({ a: ['x'.repeat(1_000), { b: 'y'.repeat(1_000) }] })).toBeGreaterThan(2_000);
    expect(charsIn({ a: null, b: undefined, c: 1, d: true })).toBeLessThan(60);
  });
});
