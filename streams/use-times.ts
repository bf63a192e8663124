import type { Environment } from '../core/vocabulary/documents/scope.ts';
import type { Clock } from '../core/kernel/clock.ts';
import type { Logger } from '../core/kernel/logger.ts';
import { USE_LIMITS } from './limits.ts';
import type { Log } from './log/log.ts';

/**
 * When things were last used through this service, over all gateways: flags by evaluations, API keys by requests.
 *
 * A use writes one number to memory. At each interval a gateway merges what changed into the bucket USE_TIMES, one
 * entry per subject, game and environment. A request for all flags is one mark, not one per flag.
 *
 * Invariants
 * 1. Stored times only grow: entries are merged by the later time, at the revision that was read.
 * 2. An entry has only keys of things that exist, so it is bounded by their number. Other keys take at most `most` in
 *    memory until the next interval, and never the place of a thing that exists: client keys are public.
 * 3. A crash loses the marks of the last interval. A failed write keeps them for the next one.
 */
export interface UseTimes {
  note(scope: UseScope, keys: readonly string[] | 'all'): void;
  /** What is stored, and what this process adds to it. Rejects if the broker is unreachable. */
  read(scope: UseScope): Promise<Times>;
  /** Stores what is left. */
  stop(): Promise<void>;
}

export interface UseScope {
  game: string;
  environment: Environment;
}

/** Times in epoch milliseconds; 0: never. */
export interface Times {
  /** When all were last used at once. */
  all: number;
  byKey: ReadonlyMap<string, number>;
}

interface Noted extends UseScope {
  all: number;
  byKey: Map<string, number>;
}

type Subject = 'flags' | 'keys';

interface UseOptions {
  subject: Subject;
  log: Pick<Log, 'bucket'>;
  /** Whether there is a thing with this key. */
  isThere: (scope: UseScope, key: string) => boolean;
  /** The interval of writes. */
  everyMs: number;
  most: number;
  clock: Clock;
  logger: Logger;
}

/** What is stored. Rejects if the broker is unreachable. */
export async function readUseTimes(log: Pick<Log, 'bucket'>, subject: Subject, scope: UseScope): Promise<Times> {
  return timesOf((await log.bucket('USE_TIMES').get(nameOf(subject, scope)))?.value);
}

export function createUseTimes({ subject, log, isThere, everyMs, most, clock, logger }: UseOptions): UseTimes {
  const bucket = log.bucket('USE_TIMES');
  let noted = new Map<string, Noted>();
  let stopped = false;
  let storing: Promise<void> = Promise.resolve();
  let stopTimer = schedule();

  function schedule(): () => void {
    return clock.timer(everyMs, () => {
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
        logger.warn({ err: error, game: entry.game }, `could not store when ${subject} were last used`);
      }
    }
  }

  async function storeOne(name: string, { game, environment, all, byKey }: Noted): Promise<void> {
    const scope = { game, environment };
    const known = (times: ReadonlyMap<string, number>) => [...times].filter(([key]) => isThere(scope, key));
    const noted = new Map(known(byKey));
    if (all === 0 && noted.size === 0) return;
    for (let attempt = 0; attempt < USE_LIMITS.writeAttempts; attempt++) {
      const held = await bucket.get(name);
      const merged = mergedTimes(timesOf(held?.value), { all, byKey: noted });
      const text = JSON.stringify({ all: merged.all, byKey: Object.fromEntries(known(merged.byKey)) });
      const outcome = await bucket.put(name, Buffer.from(text), held?.revision ?? 0);
      if (outcome.kind === 'written') return;
      if (outcome.kind === 'unknown') throw new Error(outcome.message);
    }
    throw new Error('others wrote the entry at the same time');
  }

  function noteKey({ game, environment, byKey }: Noted, key: string, nowMs: number): void {
    // Whether it exists is looked up only if requests name very many keys: this runs with every evaluation.
    const isKept = byKey.size < most || byKey.has(key) || isThere({ game, environment }, key);
    if (isKept) byKey.set(key, nowMs);
  }

  function noteAgain(name: string, entry: Noted): void {
    const now = noted.get(name);
    noted.set(name, now === undefined ? entry : { ...entry, ...mergedTimes(entry, now) });
  }

  return {
    note(scope, keys) {
      const name = nameOf(subject, scope);
      let entry = noted.get(name);
      if (entry === undefined) noted.set(name, (entry = { ...scope, all: 0, byKey: new Map() }));
      const nowMs = clock.wallMs();
      if (keys === 'all') entry.all = nowMs;
      else for (const key of keys) noteKey(entry, key, nowMs);
    },
    async read(scope) {
      const held = await readUseTimes(log, subject, scope);
      const now = noted.get(nameOf(subject, scope));
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
function nameOf(subject: Subject, { game, environment }: UseScope): string {
  return `${subject}.${game}.${environment}`;
}

function mergedTimes(one: Times, other: Times): { all: number; byKey: Map<string, number> } {
  const byKey = new Map(one.byKey);
  for (const [key, at] of other.byKey) byKey.set(key, Math.max(at, byKey.get(key) ?? 0));
  return { all: Math.max(one.all, other.all), byKey };
}

function timesOf(value: Uint8Array | undefined): Times {
  if (value === undefined) return { all: 0, byKey: new Map() };
  const stored: { all: number; byKey: Record<string, number> } = JSON.parse(Buffer.from(value).toString());
  return { all: stored.all, byKey: new Map(Object.entries(stored.byKey)) };
}
