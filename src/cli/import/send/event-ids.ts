import { hash } from 'node:crypto';
import { IMPORT_SEND_LIMITS } from './limits.ts';
import { createKnownIds, DIGEST_BYTES } from './known-ids.ts';

/**
 * Which lines have an event that a player has already: of this file, of another one, or tracked. Exact, with bounded
 * memory, and without a memory of its own between runs: the rows of ClickHouse are what it knows.
 *
 * Invariants
 * 1. Every id of the game is in `known`, or it is new.
 * 2. What was sent since ClickHouse last had all rows is in `recent`. What is only in `known` is looked up there.
 */
export interface EventIds {
  /** Their indexes. Each line that is not among them counts as sent. */
  repeatedAmong(lines: readonly IdentifiedLine[]): Promise<ReadonlySet<number>>;
}

/** A line whose event has an id of its own. */
export interface IdentifiedLine {
  playerId: string;
  eventId: string;
}

/** The ids that ClickHouse has of a game and environment. */
export interface StoredIds {
  /** Whether an id names one event of the game, or one of its player. */
  ids: 'game' | 'player';
  /** Digests one after another, of all ids or of those of these ids that it has. */
  digests: (eventIds?: readonly string[]) => AsyncIterable<Uint8Array>;
  /** Resolves when ClickHouse has the rows of all lines that were sent. */
  whenConfirmed: () => Promise<void>;
}

export interface EventIdLimits {
  bits: number;
  recentIds: number;
  lookedUpIds: number;
}

const LIMITS_OF_IDS: EventIdLimits = {
  bits: IMPORT_SEND_LIMITS.importKnownIdBits,
  recentIds: IMPORT_SEND_LIMITS.importRecentIds,
  lookedUpIds: IMPORT_SEND_LIMITS.importLookedUpIds,
};

export async function createEventIds(
  { ids: scope, digests, whenConfirmed }: StoredIds,
  { bits, recentIds, lookedUpIds }: EventIdLimits = LIMITS_OF_IDS,
): Promise<EventIds> {
  /** The digest of an event id; `storedDigests` has that of SQL. */
  const digestOf = ({ playerId, eventId }: IdentifiedLine): Buffer =>
    hash('md5', scope === 'game' ? eventId : playerId + eventId, 'buffer');
  const known = createKnownIds(bits);
  const recent = new Set<string>();
  await whenConfirmed();
  await forEachDigest(digests(), (digest) => known.add(digest));

  /** Which of these digests ClickHouse has. */
  async function heldOf(unsure: ReadonlyMap<string, string>): Promise<ReadonlySet<string>> {
    const held = new Set<string>();
    // Beyond the size of a statement, all digests are read and compared.
    const ids = unsure.size > lookedUpIds ? undefined : [...new Set(unsure.values())];
    await forEachDigest(digests(ids), (digest) => {
      const key = keyOf(digest);
      if (unsure.has(key)) held.add(key);
    });
    return held;
  }

  return {
    async repeatedAmong(lines) {
      if (recent.size + lines.length > recentIds) {
        await whenConfirmed();
        recent.clear();
      }
      const read = lines.map((line) => ({ digest: digestOf(line), eventId: line.eventId }));
      const keys = read.map(({ digest }) => keyOf(digest));
      const unsure = new Map<string, string>();
      for (const [at, { digest, eventId }] of read.entries()) {
        const key = keys[at] ?? '';
        if (!recent.has(key) && known.mayHave(digest)) unsure.set(key, eventId);
      }
      const held = unsure.size === 0 ? NONE : await heldOf(unsure);
      const repeated = new Set<number>();
      for (const [at, key] of keys.entries()) {
        if (held.has(key) || recent.has(key)) repeated.add(at);
        else {
          recent.add(key);
          const digest = read[at]?.digest;
          if (digest !== undefined) known.add(digest);
        }
      }
      return repeated;
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

const keyOf = (digest: Uint8Array): string =>
  Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).toString('latin1');

async function forEachDigest(chunks: AsyncIterable<Uint8Array>, onDigest: (digest: Uint8Array) => void): Promise<void> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + DIGEST_BYTES <= bytes.length; at += DIGEST_BYTES) onDigest(bytes.subarray(at, at + DIGEST_BYTES));
    rest = bytes.subarray(at);
  }
}
