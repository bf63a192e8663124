import { within } from '../../core/kernel/clock.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Bucket } from '../log/log.ts';

export interface LeaseKeyOptions {
  bucket: Bucket;
  key: string;
  holder: string;
  clock: Clock;
  /** Time-out of one request. */
  patienceMs: number;
}

/** The key of a lease as one contender last knew it. */
export interface LeaseKey {
  /** Whether it holds our own value: its revision, nothing of ours, or a write of ours was not answered. */
  readonly state: { kind: 'written'; revision: number } | { kind: 'nothing' } | { kind: 'unsure' };
  /** `watchedMs`: for how long this revision is known. `undefined`: no answer came. */
  read(): Promise<{ revision: number; holder: string | null; watchedMs: number } | undefined>;
  /** Writes our name over a revision. Resolves to whether the broker confirmed it. */
  renew(revision: number): Promise<boolean>;
  /** Releases the key if it holds our value or may hold it. */
  release(): Promise<void>;
}

interface LeaseValue {
  holder: string | null;
  /** Changes with every renewal, so that contenders see that the holder lives. */
  beat: number;
}

export function createLeaseKey({ bucket, key, holder, clock, patienceMs }: LeaseKeyOptions): LeaseKey {
  let state: LeaseKey['state'] = { kind: 'nothing' };
  /** The revision last read, and since when it has not changed. */
  let seen: { revision: number; sinceMonotonicMs: number } | undefined;
  let beat = 0;

  async function write(value: LeaseValue, revision: number): Promise<boolean> {
    state = { kind: 'unsure' };
    const outcome = await answerOf(bucket.put(key, encode(value), revision));
    if (outcome?.kind !== 'written') return false;
    state = { kind: 'written', revision: outcome.revision };
    return true;
  }

  async function read(): ReturnType<LeaseKey['read']> {
    const answer = await answerOf(bucket.get(key).then((entry) => ({ entry })));
    if (answer === undefined) return undefined;
    const revision = answer.entry?.revision ?? 0;
    const found = holderOf(answer.entry?.value);
    state = found === holder ? { kind: 'written', revision } : { kind: 'nothing' };
    const nowMs = clock.monotonicMs();
    if (seen?.revision !== revision) seen = { revision, sinceMonotonicMs: nowMs };
    return { revision, holder: found, watchedMs: nowMs - seen.sinceMonotonicMs };
  }

  /** The answer; `undefined` if none came in time or the log is closed. */
  async function answerOf<T>(request: Promise<T>): Promise<T | undefined> {
    try {
      return await within(clock, patienceMs, request);
    } catch {
      return undefined;
    }
  }

  return {
    get state() {
      return state;
    },
    read,
    renew(revision) {
      beat += 1;
      return write({ holder, beat }, revision);
    },
    async release() {
      if (state.kind === 'unsure') await read();
      const isReleased = state.kind === 'written' && (await write({ holder: null, beat: 0 }, state.revision));
      if (isReleased) state = { kind: 'nothing' };
    },
  };
}

/**
 * The holder that a lease's key names; null: the key is absent or released. A value of an unknown form, which a newer
 * version may have written, names a holder that equals no process of this version.
 */
export function holderOf(value: Uint8Array | undefined): string | null {
  if (value === undefined) return null;
  try {
    const lease: unknown = JSON.parse(new TextDecoder().decode(value));
    if (typeof lease !== 'object' || lease === null || !('holder' in lease)) return UNKNOWN_HOLDER;
    const { holder } = lease;
    return holder === null || typeof holder === 'string' ? holder : UNKNOWN_HOLDER;
  } catch {
    return UNKNOWN_HOLDER;
  }
}

/** No process has this name. */
const UNKNOWN_HOLDER = '?';

function encode(value: LeaseValue): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
