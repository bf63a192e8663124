import { expect, it } from 'vitest';
import { FACTS_LIMITS } from './limits.ts';
import { encodeCommit } from '../../core/codec/codec.ts';
import { decodeRecord } from './decode-record.ts';
import type { LogRecord } from '../log/log.ts';
import { aCommit, aTrackedEvent } from '../sinks/testing-commits.ts';
import { UnknownVersionError } from '../../core/codec/unknown-version.ts';

const recordOf = (data: Uint8Array): LogRecord => ({ subject: 'facts.0', sequence: 1, storedAtMs: 0, data });
const aRecord = (properties = '{}'): LogRecord => recordOf(encodeCommit(aCommit([aTrackedEvent({ properties })])));

it('gives the second reader of a record the commit that the first one decoded, and then forgets it', () => {
  const record = aRecord();
  const first = decodeRecord(record);
  expect(decodeRecord(record)).toBe(first);
  const third = decodeRecord(record);
  expect(third).not.toBe(first);
  expect(third).toEqual(first);
});

it('decodes each record by itself, also one with the same bytes', () => {
  const [one, other] = [aRecord('{"a":1}'), aRecord('{"a":2}')];
  const same = { ...one };
  const first = decodeRecord(one);
  expect(decodeRecord(other).facts[0]).toMatchObject({ properties: '{"a":2}' });
  expect(decodeRecord(same)).not.toBe(first);
});

it('forgets the oldest records beyond the bound', () => {
  const properties = JSON.stringify({ text: 'x'.repeat(FACTS_LIMITS.sharedDecodeBytes / 4) });
  const records = Array.from({ length: 5 }, () => aRecord(properties));
  const commits = records.map(decodeRecord);
  const [first, last] = [records[0], records[4]];
  if (first === undefined || last === undefined) throw new Error('records are missing');
  expect(decodeRecord(last)).toBe(commits[4]);
  expect(decodeRecord(first)).not.toBe(commits[0]);
});

it('keeps nothing of a record that it cannot read', () => {
  const record = recordOf(new Uint8Array([255, 1, 2]));
  expect(() => decodeRecord(record)).toThrow(UnknownVersionError);
  expect(() => decodeRecord(record)).toThrow(UnknownVersionError);
});
