import { describe, expect, test } from 'vitest';
import { DECODERS, currentFixtures, readFixtures, writeMissingFixtures } from '../../test/fixtures/codec/fixtures.ts';
import { SAMPLES, wrap } from '../../test/fixtures/codec/samples.ts';
import { decodeCommit, decodeJson, decodeReplies, encodeCommit, encodeJson, encodeReplies } from './codec.ts';
import { UnknownVersionError } from './unknown-version.ts';

// test/fixtures/codec/README.md says how to make new fixtures.
if (process.env['CODEC_FIXTURES'] === 'write') writeMissingFixtures();
const fixtures = readFixtures();
const current = currentFixtures();

describe('the codec', () => {
  test.each([...fixtures])('reads %s', (_name, { record, bytes, value }) => {
    expect(DECODERS[record](Buffer.from(bytes, 'base64'))).toEqual(value);
  });

  test('every kind has a fixture of the version that is written today', () => {
    expect([...current.keys()].filter((name) => !fixtures.has(name))).toEqual([]);
  });

  test.each([...current])('reads what it writes: %s', (_name, { record, bytes, value }) => {
    expect(DECODERS[record](Buffer.from(bytes, 'base64'))).toEqual(value);
  });

  test('messages of different shapes can be read in any order', () => {
    const commit = encodeCommit(wrap.commit([SAMPLES.facts.EventTracked, SAMPLES.facts.SnapshotMark]));
    const reply = encodeReplies([wrap.reply(SAMPLES.replies.tracked)]);
    for (const bytes of [commit, reply, commit, commit, reply]) {
      const [first] = bytes === commit ? [decodeCommit(bytes)] : decodeReplies(bytes);
      expect(first).toBeDefined();
    }
    expect(decodeCommit(commit).facts[1]).toEqual(SAMPLES.facts.SnapshotMark);
  });

  test('an unknown version is an error that names it', () => {
    const bytes = encodeCommit(wrap.commit([]));
    bytes[0] = 99;
    expect(() => decodeCommit(bytes)).toThrow(UnknownVersionError);
    expect(() => decodeCommit(new Uint8Array())).toThrow(UnknownVersionError);
  });

  test('a truncated record is an error, not half a record', () => {
    const bytes = encodeCommit(wrap.commit([SAMPLES.facts.EventTracked]));
    for (let length = 1; length < bytes.length; length++) {
      expect(() => decodeCommit(bytes.subarray(0, length)), `${length} bytes`).toThrow();
    }
  });

  test('a record decodes the same from a slice of a larger buffer, and keeps nothing of it', () => {
    const bytes = encodeCommit(wrap.commit([SAMPLES.facts.EventTracked]));
    const larger = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]);
    const decoded = decodeCommit(larger.subarray(6, 6 + bytes.length));
    larger.fill(0);
    expect(decoded).toEqual(wrap.commit([SAMPLES.facts.EventTracked]));
  });

  test('documents of buckets are plain JSON', () => {
    expect(Buffer.from(encodeJson({ name: 'ü' })).toString('utf8')).toBe('{"name":"ü"}');
    expect(decodeJson(encodeJson({ name: 'ü' }))).toEqual({ name: 'ü' });
    expect(() => decodeJson(Buffer.from('{'))).toThrow(SyntaxError);
  });
});
