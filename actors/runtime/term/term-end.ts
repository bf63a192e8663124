import { UnknownVersionError } from '../../../core/codec/unknown-version.ts';
import { StoreFaultError, StoreWriteError } from '../store/checked-store.ts';

/**
 * `unwritable`: the local store could not be written for so long that too much memory waits for it. `store_fault`: it
 * could not be read, or did not fit FACTS. `unknown_version`: a newer version wrote a record of the partition.
 * `unprepared`: the follower ended before the barrier, and reports why. `behind`: the definitions of
 * the process were older than the partition's last record. `failed`: anything else. In all cases but `store_fault` and
 * `unprepared` the content of the local store is sound.
 */
export interface TermEnd {
  kind: 'stopped' | 'deposed' | 'unprepared' | 'behind' | 'failed' | 'unwritable' | 'store_fault' | 'unknown_version';
  /** What ended the term, if it failed. */
  error?: unknown;
}

/** How a term ends by an error. */
export function endBy(error: unknown): TermEnd['kind'] {
  if (error instanceof StoreFaultError) return 'store_fault';
  if (error instanceof StoreWriteError) return 'unwritable';
  return error instanceof UnknownVersionError ? 'unknown_version' : 'failed';
}
