import type { CommitRecord } from '../../core/vocabulary/facts/commit-record.ts';
import { FACTS_LIMITS } from './limits.ts';
import { decodeCommit } from '../../core/codec/codec.ts';
import type { LogRecord } from '../log/log.ts';

/*
 * Sinks of a thread that share a reader of FACTS get the same records, one soon after the other. The first one decodes
 * a record, and the second one gets the result. A commit is kept for one more reading only, so it is collected soon.
 */
const decoded = new Map<LogRecord, CommitRecord>();
let decodedBytes = 0;

/**
 * Decodes a record of FACTS; the result must not be changed. Throws `UnknownVersionError` if the record holds anything
 * that this program does not know.
 */
export function decodeRecord(record: LogRecord): CommitRecord {
  const known = decoded.get(record);
  if (known !== undefined) {
    forget(record);
    return known;
  }
  const commit = decodeCommit(record.data);
  decoded.set(record, commit);
  decodedBytes += record.data.length;
  // A map keeps the order of insertion.
  for (const oldest of decoded.keys()) {
    if (decodedBytes <= FACTS_LIMITS.sharedDecodeBytes) break;
    forget(oldest);
  }
  return commit;
}

function forget(record: LogRecord): void {
  if (decoded.delete(record)) decodedBytes -= record.data.length;
}
