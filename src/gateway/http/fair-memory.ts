import type { ApiKey } from '../../access/api-key.ts';

/**
 * Memory that senders fill while they send. When it is full, the sender with the most makes room, so whoever holds many
 * unfinished bodies does not keep other games out.
 *
 * Invariants
 * 1. All entries together have at most `mostBytes`.
 * 2. A game that has less than another never loses an entry to it; within a game the same holds for callers.
 */
export interface FairMemory {
  /** Adds bytes to an entry. Returns whether there is room, also by taking entries of the sender with the most. */
  grow(entry: MemoryEntry, bytes: number): boolean;
  /** Forgets an entry that has ended. */
  forget(entry: MemoryEntry): void;
  readonly bytes: number;
}

/** Something that grows. */
export interface MemoryEntry {
  readonly sender: BodySender;
  /** What it has; changed here only. */
  bytes: number;
  /** Called when it has to make room; it is forgotten already. */
  readonly onTaken: () => void;
}

/** Who sends: the game of the key, empty while it is unknown, and the key with the network. */
export interface BodySender {
  readonly game: string;
  readonly caller: string;
}

/** The sender of a request with a known key. */
export function senderOf(key: Pick<ApiKey, 'id' | 'game'>, caller: string | undefined): BodySender {
  return { game: key.game, caller: `${key.id} ${caller ?? ''}` };
}

interface Account {
  bytes: number;
  entries: Set<MemoryEntry>;
}

export function createFairMemory(mostBytes: number): FairMemory {
  const games = new Map<string, { bytes: number; callers: Map<string, Account> }>();
  let total = 0;

  function add(entry: MemoryEntry, bytes: number): void {
    const { game, caller } = entry.sender;
    const ofGame = games.get(game) ?? { bytes: 0, callers: new Map<string, Account>() };
    games.set(game, ofGame);
    const account = ofGame.callers.get(caller) ?? { bytes: 0, entries: new Set() };
    ofGame.callers.set(caller, account);
    account.entries.add(entry);
    entry.bytes += bytes;
    account.bytes += bytes;
    ofGame.bytes += bytes;
    total += bytes;
  }

  function forget(entry: MemoryEntry): void {
    const { game, caller } = entry.sender;
    const ofGame = games.get(game);
    const account = ofGame?.callers.get(caller);
    if (ofGame === undefined || account === undefined || !account.entries.delete(entry)) return;
    account.bytes -= entry.bytes;
    ofGame.bytes -= entry.bytes;
    total -= entry.bytes;
    if (account.entries.size === 0) ofGame.callers.delete(caller);
    if (ofGame.callers.size === 0) games.delete(game);
  }

  /** The largest entry of the caller with the most in the game with the most; undefined if the sender has the most. */
  function largestFor({ game, caller }: BodySender, bytes: number): MemoryEntry | undefined {
    const [most, ofMost] = largest(games) ?? [];
    const own = games.get(game);
    if (ofMost === undefined || (most !== game && ofMost.bytes < (own?.bytes ?? 0) + bytes)) return undefined;
    const [biggest, account] = largest(ofMost.callers) ?? [];
    const ownOfCaller = most === game ? (own?.callers.get(caller)?.bytes ?? 0) : 0;
    if (account === undefined || (most === game && (biggest === caller || account.bytes < ownOfCaller + bytes))) {
      return undefined;
    }
    let found: MemoryEntry | undefined;
    for (const entry of account.entries) if (found === undefined || entry.bytes > found.bytes) found = entry;
    return found;
  }

  return {
    grow(entry, bytes) {
      while (total + bytes > mostBytes) {
        const taken = largestFor(entry.sender, bytes);
        if (taken === undefined) return false;
        forget(taken);
        taken.onTaken();
      }
      add(entry, bytes);
      return true;
    },
    forget,
    get bytes() {
      return total;
    },
  };
}

function largest<T extends { bytes: number }>(of: ReadonlyMap<string, T>): [string, T] | undefined {
  let found: [string, T] | undefined;
  for (const one of of) if (found === undefined || one[1].bytes > found[1].bytes) found = one;
  return found;
}
