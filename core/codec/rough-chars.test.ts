import { describe, expect, test } from 'vitest';
import { SAMPLES, wrap } from '../../test/fixtures/codec/samples.ts';
import { encodeCommands, encodeQueries, encodeReplies } from './codec.ts';
import { roughChars } from './rough-chars.ts';

/** UTF-8 takes at most this many bytes per UTF-16 unit. */
const CHAR_BYTES = 3;
/** The envelope of a message, and the names of properties. */
const ENVELOPE_BYTES = 500;

const LONG = '漢'.repeat(2_000);

/** The value with long texts where it has lists, repeated. Short texts are often names of our own. */
function grown<T>(value: T): T;
function grown(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return Array.from({ length: 20 }, () => value.map(grown)).flat();
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === 'properties' || key === 'attributes' ? LONG : grown(item),
    ]),
  );
}

const most = (value: unknown): number => CHAR_BYTES * roughChars(value) + ENVELOPE_BYTES;

describe('rough characters, three bytes each, are not below the encoded size', () => {
  test.each(Object.entries(SAMPLES.commands))('of a command: %s', (_, sample) => {
    for (const body of [sample, grown(sample)])
      expect(encodeCommands([wrap.command(body)]).length).toBeLessThanOrEqual(most(body));
  });

  test.each(Object.entries(SAMPLES.queries))('of a query: %s', (_, sample) => {
    for (const body of [sample, grown(sample)])
      expect(encodeQueries([wrap.query(body)]).length).toBeLessThanOrEqual(most(body));
  });

  test.each(Object.entries(SAMPLES.replies))('of a reply: %s', (_, sample) => {
    for (const reply of [sample, grown(sample)])
      expect(encodeReplies([wrap.reply(reply)]).length).toBeLessThanOrEqual(most(reply));
  });
});
