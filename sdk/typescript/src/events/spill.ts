import { type Entry, isOwnSession, parseEntries } from './entries.ts';
import type { QuickStorage } from '../platform.ts';
import type { KeyValueStorage } from './storage.ts';
import type { StorageNames } from './storage-names.ts';

/*
 * Keeps what was tracked before the storage was open, for a page that ends by then: the database opens in its own time,
 * and a page that goes does not wait. The next start gives it to the queue.
 *
 * Owns two items of the quick storage: the entries, and a copy of the decision on consent, without which nothing may be
 * kept there.
 */
export function createSpill(quick: QuickStorage | undefined, names: StorageNames, consent: 'given' | 'required') {
  const key = `${names.queue}spill`;

  /** The storage may be full or forbidden. */
  function attempt<T>(use: (storage: QuickStorage) => T): T | undefined {
    try {
      return quick && use(quick);
    } catch {
      return undefined;
    }
  }

  const read = () => parseEntries(attempt((storage) => storage.getItem(key)) ?? '[]') ?? [];

  return {
    keep(entries: readonly Entry[]): void {
      const isGiven = (attempt((storage) => storage.getItem(names.consent)) ?? consent) === 'given';
      if (!isGiven || entries.length === 0) return;
      const kept = new Map([...read(), ...entries].map((entry) => [entry.id, entry]));
      attempt((storage) => storage.setItem(key, JSON.stringify([...kept.values()])));
    },
    /** @param session of the start: the page before belongs to it, unless it had ended its own */
    async restore(storage: KeyValueStorage, session: string | undefined): Promise<void> {
      const entries = read();
      const [first] = entries;
      if (first === undefined) return;
      const atMs = 'atMs' in first ? first.atMs : 0;
      const goesOn =
        session !== undefined && entries.every(({ kind, session: own }) => kind !== 'end' && isOwnSession(own));
      const moved = goesOn ? entries.map((entry) => ({ ...entry, session })) : entries;
      // A chunk of the queue, by its time before those of this run.
      await storage.setItem(`${names.queue}${atMs.toString(36).padStart(10, '0')}-spill`, JSON.stringify(moved));
      attempt((own) => own.removeItem(key));
    },
    decide(isGiven: boolean): void {
      attempt((storage) => storage.setItem(names.consent, isGiven ? 'given' : 'denied'));
      if (!isGiven) attempt((storage) => storage.removeItem(key));
    },
  };
}
