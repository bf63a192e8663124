import { decodeJson, encodeJson } from '../../core/codec/codec.ts';
import type { Environment } from '../../core/vocabulary/documents/scope.ts';
import type { MergeTarget } from '../../core/vocabulary/merge/merged.ts';
import type { Log, Stop } from '../log/log.ts';

/*
 * Merges that have begun and may not have ended: the bucket MERGES, an entry for each guest.
 *
 * Invariants
 * 1. An intent is stored before the first command of its merge, and deleted after the last. So a merge whose gateway
 *    died is found, and goes on.
 * 2. A guest has one intent at most, so two merges of it take turns.
 */

/** A merge, or the end of one, that is under way. */
export interface MergeIntent {
  does: 'merge' | 'take back';
  game: string;
  environment: Environment;
  guestId: string;
  into: MergeTarget;
  mergeId: string;
  /** When it was stored, epoch milliseconds. */
  at: number;
}

export interface StoredIntent {
  intent: MergeIntent;
  revision: number;
}

export interface MergeIntents {
  /** @returns what is stored now: this intent, or an earlier one of the guest; undefined: the broker does not answer */
  begin(intent: MergeIntent): Promise<StoredIntent | undefined>;
  /** Forgets an intent that has ended. One that stays is found again, and its merge has ended then. */
  end(stored: Pick<StoredIntent, 'revision'> & { intent: Pick<MergeIntent, 'guestId'> }): Promise<void>;
  find(guestId: string): Promise<StoredIntent | undefined>;
  /** Follows all intents. `open` are those that have not ended; `onEnded` is called for each guest whose ends. */
  watch(onEnded: (guestId: string) => void): { open(): readonly StoredIntent[]; stop: Stop };
}

export function openMergeIntents(log: Pick<Log, 'bucket'>): MergeIntents {
  const bucket = log.bucket('MERGES');

  async function find(guestId: string): Promise<StoredIntent | undefined> {
    const entry = await bucket.get(guestId);
    const intent = entry?.value === undefined ? undefined : readIntent(entry.value);
    return entry === undefined || intent === undefined ? undefined : { intent, revision: entry.revision };
  }

  return {
    find,
    async begin(intent) {
      try {
        const outcome = await bucket.put(intent.guestId, encodeJson(intent), 0);
        if (outcome.kind === 'written') return { intent, revision: outcome.revision };
        // After an unknown outcome it is stored or not; a repeat of the request finds out.
        return outcome.kind === 'conflict' ? await find(intent.guestId) : undefined;
      } catch {
        return undefined;
      }
    },
    async end({ intent: { guestId }, revision }) {
      try {
        await bucket.delete(guestId, revision);
      } catch {
        // The keeper finds it again.
      }
    },
    watch(onEnded) {
      const open = new Map<string, StoredIntent>();
      const stop = bucket.watch({
        onEntry({ key, value, revision }) {
          const intent = value === undefined ? undefined : readIntent(value);
          if (intent !== undefined) open.set(key, { intent, revision });
          else {
            open.delete(key);
            onEnded(key);
          }
        },
        onCurrent() {},
      });
      return { open: () => [...open.values()], stop };
    },
  };
}

/** Undefined: another version wrote it. Its own keeper goes on with it. */
function readIntent(value: Uint8Array): MergeIntent | undefined {
  try {
    const read: unknown = decodeJson(value);
    return isIntent(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isIntent(value: unknown): value is MergeIntent {
  if (typeof value !== 'object' || value === null) return false;
  if (!('does' in value) || (value.does !== 'merge' && value.does !== 'take back')) return false;
  return 'guestId' in value && 'into' in value && 'mergeId' in value && 'game' in value && 'environment' in value;
}
