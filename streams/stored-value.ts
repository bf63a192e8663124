import { decodeJson, encodeJson } from '../core/codec/codec.ts';
import { UnknownVersionError } from '../core/codec/unknown-version.ts';
import type { Bucket } from './log/log.ts';

/**
 * A JSON value under one key of a bucket, replaced by compare-and-set with the revision last read or written. Rejects
 * when the broker cannot be read, and with `UnknownVersionError` when a newer version wrote the value: a sink that took
 * it for absent would start at the first record, or replace it.
 */
export interface StoredValue<T> {
  /** What is stored; `undefined`: nothing. */
  load(): Promise<T | undefined>;
  /** `taken`: another process replaced it since `load`. `unknown`: save the same value again. */
  save(value: T): Promise<'saved' | 'taken' | 'unknown'>;
}

export function createStoredValue<T>(
  bucket: Bucket,
  key: string,
  parse: (value: unknown) => T | undefined,
): StoredValue<T> {
  let revision = 0;
  /** Text of an unanswered write. If it was stored, `revision` is out of date. */
  let unanswered: string | undefined;

  return {
    async load() {
      const entry = await bucket.get(key);
      revision = entry?.revision ?? 0;
      unanswered = undefined;
      if (entry?.value === undefined) return undefined;
      const value = parse(decodeJson(entry.value));
      if (value === undefined) throw new UnknownVersionError(`${key} cannot be read: a newer version wrote it`);
      return value;
    },
    async save(value) {
      if (unanswered !== undefined) {
        const entry = await bucket.get(key);
        const current = entry?.revision ?? 0;
        const text = entry?.value === undefined ? undefined : Buffer.from(entry.value).toString('utf8');
        if (current !== revision && text !== unanswered) return 'taken';
        revision = current;
        unanswered = undefined;
      }
      const bytes = encodeJson(value);
      const outcome = await bucket.put(key, bytes, revision);
      if (outcome.kind === 'conflict') return 'taken';
      if (outcome.kind === 'unknown') {
        unanswered = Buffer.from(bytes).toString('utf8');
        return 'unknown';
      }
      revision = outcome.revision;
      return 'saved';
    },
  };
}
