import type { Log } from '../../../streams/log/log.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { API_LIMITS } from '../limits.ts';
import { FLAG_API_LIMITS } from './limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';

/**
 * When flags were last evaluated through this service, over all gateways.
 *
 * An evaluation writes one number to memory. Every `flagUseStoreMs` a gateway merges what changed into the
 * bucket FLAG_USE, one entry per game and environment. A request for all flags is one mark, not one per flag.
 *
 * Invariants
 * 1. Stored times only grow: entries are merged by the later time, at the revision that was read.
 * 2. An entry has only keys of existing flags, so it is bounded by `flagKeysPerEnvironment`. Keys without a flag
 *    take at most as much memory again until the next interval, and never the place of a flag: client keys are public.
 * 3. A crash loses the marks of the last interval. A failed write keeps them for the next one.
 */
export interface FlagUse {
  note(scope: FlagScope, keys: readonly string[] | 'all'): void;
  /** What is stored, and what this process adds to it. Rejects if the broker is unreachable. */
  read(scope: FlagScope): Promise<FlagTimes>;
  /** Stores what is left. */
  stop(): Promise<void>;
}

interface FlagScope {
  game: string;
  environment: Environment;
}

/** Times in epoch milliseconds; 0: never. */
export interface FlagTimes {
  /** When all flags were last evaluated at once. */
  all: number;
  byKey: ReadonlyMap<string, number>;
}

interface Noted extends FlagScope {
  all: number;
  byKey: Map<string, number>;
}

interface FlagUseOptions {
  log: Pick<Log, 'bucket'>;
  /** Whether a key is that of a flag. */
  isFlag: (scope: FlagScope, key: string) => boolean;
  clock: Clock;
  logger: Logger;
}

export function createFlagUse({ log, isFlag, clock, logger }: FlagUseOptions): FlagUse {
  const bucket = log.bucket('FLAG_USE');
  let noted = new Map<string, Noted>();
  let stopped = false;
  let storing: Promise<void> = Promise.resolve();
  let stopTimer = schedule();

  function schedule(): () => void {
    return clock.timer(FLAG_API_LIMITS.flagUseStoreMs, () => {
      storing = store().finally(() => {
        if (!stopped) stopTimer = schedule();
      });
    });
  }

  async function store(): Promise<void> {
    const changed = noted;
    noted = new Map();
    for (const [name, entry] of changed) {
      try {
        await storeOne(name, entry);
      } catch (error) {
        // The next interval tries again.
        noteAgain(name, entry);
        logger.warn({ err: error, game: entry.game }, 'could not store when flags were evaluated');
      }
    }
  }

  async function storeOne(name: string, { game, environment, all, byKey }: Noted): Promise<void> {
    const known = new Map([...byKey].filter(([key]) => isFlag({ game, environment }, key)));
    if (all === 0 && known.size === 0) return;
    for (let attempt = 0; attempt < API_LIMITS.definitionWriteAttempts; attempt++) {
      const held = await bucket.get(name);
      const merged = mergedTimes(timesOf(held?.value), { all, byKey: known });
      const text = JSON.stringify({ all: merged.all, flags: Object.fromEntries(merged.byKey) });
      const outcome = await bucket.put(name, Buffer.from(text), held?.revision ?? 0);
      if (outcome.kind === 'written') return;
      if (outcome.kind === 'unknown') throw new Error(outcome.message);
    }
    throw new Error('others wrote the entry at the same time');
  }

  function noteKey({ game, environment, byKey }: Noted, key: string, nowMs: number): void {
    // Whether it is a flag is looked up only if requests name very many keys: this runs with every evaluation.
    const isKept =
      byKey.size < FLAG_API_LIMITS.flagKeysPerEnvironment || byKey.has(key) || isFlag({ game, environment }, key);
    if (isKept) byKey.set(key, nowMs);
  }

  function noteAgain(name: string, entry: Noted): void {
    const now = noted.get(name);
    noted.set(name, now === undefined ? entry : { ...entry, ...mergedTimes(entry, now) });
  }

  return {
    note(scope, keys) {
      const name = nameOf(scope);
      let entry = noted.get(name);
      if (entry === undefined) noted.set(name, (entry = { ...scope, all: 0, byKey: new Map() }));
      const nowMs = clock.wallMs();
      if (keys === 'all') entry.all = nowMs;
      else for (const key of keys) noteKey(entry, key, nowMs);
    },
    async read(scope) {
      const held = timesOf((await bucket.get(nameOf(scope)))?.value);
      const now = noted.get(nameOf(scope));
      return now === undefined ? held : mergedTimes(held, now);
    },
    async stop() {
      stopped = true;
      stopTimer();
      await storing;
      await store();
    },
  };
}

/** Ids of games are words of the bucket's keys. */
function nameOf({ game, environment }: FlagScope): string {
  return `${game}.${environment}`;
}

function mergedTimes(one: FlagTimes, other: FlagTimes): { all: number; byKey: Map<string, number> } {
  const byKey = new Map(one.byKey);
  for (const [key, at] of other.byKey) byKey.set(key, Math.max(at, byKey.get(key) ?? 0));
  return { all: Math.max(one.all, other.all), byKey };
}

function timesOf(value: Uint8Array | undefined): FlagTimes {
  if (value === undefined) return { all: 0, byKey: new Map() };
  const stored: { all: number; flags: Record<string, number> } = JSON.parse(Buffer.from(value).toString());
  return { all: stored.all, byKey: new Map(Object.entries(stored.flags)) };
}
