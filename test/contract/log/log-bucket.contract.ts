import { beforeAll, describe, expect, test } from 'vitest';
import type { Bucket, BucketEntry } from '../../../streams/log/log.ts';
import { bytes, eventually, text, type LogSuite } from './log-suite.ts';

/** Buckets. */
export function bucketContract(suite: LogSuite): void {
  const { freshKey, cleanups } = suite;

  describe('bucket', () => {
    let bucket: Bucket;
    beforeAll(() => {
      bucket = suite.log.bucket('CONFIG');
    });

    test('writes only over the revision named; 0 means absent', async () => {
      const key = freshKey();
      expect(await bucket.get(key)).toBeUndefined();
      const first = await bucket.put(key, bytes('a'), 0);
      expect(first).toMatchObject({ kind: 'written' });
      expect(await bucket.put(key, bytes('b'), 0)).toEqual({ kind: 'conflict' });
      const entry = await suite.other.bucket('CONFIG').get(key);
      expect(text(entry?.value)).toBe('a');
      const second = await bucket.put(key, bytes('b'), entry?.revision);
      expect(second).toMatchObject({ kind: 'written' });
      expect(await bucket.put(key, bytes('c'), entry?.revision)).toEqual({ kind: 'conflict' });
      expect(await bucket.put(key, bytes('d'))).toMatchObject({ kind: 'written' });
      expect(text((await bucket.get(key))?.value)).toBe('d');
    });

    test('a deleted key is absent, and can be made again under revision 0', async () => {
      const key = freshKey();
      await bucket.put(key, bytes('a'));
      expect(await bucket.delete(key, 1)).toEqual({ kind: 'conflict' });
      const entry = await bucket.get(key);
      expect(await bucket.delete(key, entry?.revision)).toMatchObject({ kind: 'written' });
      expect(await bucket.get(key)).toBeUndefined();
      expect(await bucket.put(key, bytes('again'), 0)).toMatchObject({ kind: 'written' });
      expect(await bucket.put(key, bytes('twice'), 0)).toEqual({ kind: 'conflict' });
    });

    test('knows the revision of the last write of any key, a deletion included', async () => {
      const key = freshKey();
      const written = await bucket.put(key, bytes('a'));
      const revision = written.kind === 'written' ? written.revision : 0;
      expect(await suite.other.bucket('CONFIG').latest()).toBe(revision);
      await bucket.delete(key);
      expect(await bucket.latest()).toBe(revision + 1);
      expect(await bucket.delete(key, revision)).toEqual({ kind: 'conflict' });
      expect(await bucket.latest()).toBe(revision + 1);
    });

    test('one of many contenders for a revision wins', async () => {
      const key = freshKey();
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 === 0 ? suite.log : suite.other).bucket('OWNERS').put(key, bytes(String(i)), 0),
        ),
      );
      expect(outcomes.filter(({ kind }) => kind === 'written')).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === 'conflict')).toHaveLength(9);
    });

    test('an empty value is a value', async () => {
      const key = freshKey();
      await bucket.put(key, new Uint8Array());
      expect((await bucket.get(key))?.value).toHaveLength(0);
    });

    test('an entry has the time at which the broker stored it, the same for a read and a watch', async () => {
      const key = freshKey();
      await bucket.put(key, bytes('1'));
      const first = await bucket.get(key);
      await bucket.put(key, bytes('2'));
      const second = await bucket.get(key);
      const seen: BucketEntry[] = [];
      cleanups.push(suite.other.bucket('CONFIG').watch({ onEntry: (entry) => seen.push(entry), onCurrent: () => {} }));
      await eventually(() => expect(seen.map((entry) => entry.key)).toContain(key));
      const times = [first?.storedAtMs, second?.storedAtMs, seen.findLast((entry) => entry.key === key)?.storedAtMs];
      expect(times.every((ms) => Number.isSafeInteger(ms) && (ms ?? 0) > Date.UTC(2020, 0))).toBe(true);
      expect(times[1]).toBeGreaterThanOrEqual(times[0] ?? Infinity);
      expect(times[2]).toBe(times[1]);
    });

    test('a watch delivers every entry, reports when it is current, and then delivers changes in order', async () => {
      const [kept, gone, later] = [freshKey(), freshKey(), freshKey()];
      await bucket.put(kept, bytes('1'));
      await bucket.put(gone, bytes('1'));
      const seen: BucketEntry[] = [];
      let current = 0;
      cleanups.push(
        suite.other.bucket('CONFIG').watch({ onEntry: (entry) => seen.push(entry), onCurrent: () => (current += 1) }),
      );
      await eventually(() => expect(current).toBe(1));
      expect(seen.map(({ key }) => key)).toEqual(expect.arrayContaining([kept, gone]));

      seen.length = 0;
      // Each change is awaited, as one that the next replaces may be skipped.
      expect(await bucket.put(later, bytes('1'))).toMatchObject({ kind: 'written' });
      await eventually(() => expect(seen).toHaveLength(1));
      expect(await bucket.put(later, bytes('2'))).toMatchObject({ kind: 'written' });
      await eventually(() => expect(seen).toHaveLength(2));
      expect(await bucket.delete(gone, undefined, bytes('left'))).toMatchObject({ kind: 'written' });
      await eventually(() => expect(seen).toHaveLength(3));
      expect(seen.map(({ key, value, left }) => [key, text(value), text(left)])).toEqual([
        [later, '1', undefined],
        [later, '2', undefined],
        [gone, undefined, 'left'],
      ]);
      const revisions = seen.map(({ revision }) => revision);
      expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
      expect(current).toBe(1);
    });

    test('a watch delivers the last of many changes of a key, and may skip those it replaced', async () => {
      const [key, end] = [freshKey(), freshKey()];
      const seen: BucketEntry[] = [];
      let current = 0;
      cleanups.push(
        suite.other.bucket('CONFIG').watch({ onEntry: (entry) => seen.push(entry), onCurrent: () => (current += 1) }),
      );
      await eventually(() => expect(current).toBe(1));
      const outcomes = await Promise.all(Array.from({ length: 100 }, () => bucket.put(key, bytes('x'))));
      const written = outcomes.map((outcome) => (outcome.kind === 'written' ? outcome.revision : 0));
      await bucket.put(end, bytes('x'));
      await eventually(() => expect(seen.at(-1)?.key).toBe(end));
      const revisions = seen.filter((entry) => entry.key === key).map(({ revision }) => revision);
      expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
      expect(new Set(revisions).size).toBe(revisions.length);
      expect(written).toEqual(expect.arrayContaining(revisions));
      expect(revisions.at(-1)).toBe(Math.max(...written));
    });

    test('a watch of an empty bucket is current at once; a stopped one is silent', async () => {
      const seen: BucketEntry[] = [];
      let current = 0;
      const stop = suite.other
        .bucket('POSITIONS')
        .watch({ onEntry: (entry) => seen.push(entry), onCurrent: () => (current += 1) });
      await eventually(() => expect(current).toBe(1));
      stop();
      const witness: BucketEntry[] = [];
      cleanups.push(
        suite.other.bucket('POSITIONS').watch({ onEntry: (entry) => witness.push(entry), onCurrent: () => {} }),
      );
      await suite.log.bucket('POSITIONS').put(freshKey(), bytes('x'));
      await eventually(() => expect(witness).toHaveLength(1));
      expect(seen).toEqual([]);
    });
  });
}
