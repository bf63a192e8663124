import { sleep } from '../../../core/kernel/clock.ts';
import { REBUILD_LIMITS } from './limits.ts';
import { createSignal } from '../../../core/kernel/flow/signal.ts';
import { decodeCommit } from '../../../core/codec/codec.ts';
import type { Reader } from '../../../streams/log/log.ts';
import { factsSubject } from '../../../streams/subjects.ts';
import type { CommitRecord } from '../../../core/vocabulary/facts/commit-record.ts';
import { createEntities, type Entities, type EntitiesOptions } from '../term/entities.ts';
import { prepareStore, type RebuildLimits, type RebuildOptions } from './rebuild.ts';
import { StoreFaultError } from '../store/checked-store.ts';

/**
 * Prepares this process to lead a partition: brings the local store up to date and then folds FACTS as it grows. It
 * decides nothing and writes nothing to the log.
 *
 * States: preparing → ready ⇄ behind → taken (by a term) or ended.
 * Invariants
 * 1. It is ready only after a write to the store has succeeded and while it is a fraction of a second behind FACTS.
 * 2. Its memory is bounded: entities beyond `hotBytes` are evicted, and those that wait for the store are written.
 */
export interface Follower {
  readonly ready: boolean;
  /** Resolves when following has ended without `take`. */
  readonly ended: Promise<FollowerEnd>;
  /** Ends following and hands the entities over. The caller then folds up to its barrier with `foldUpTo`. */
  take(): Promise<Followed | undefined>;
  /** Ends following. Resolves when the store is no longer used. */
  stop(): Promise<void>;
}

/**
 * `reset`: FACTS was created anew or trimmed under the reader. `failed`: the store, its rebuild or FACTS failed;
 * `content`: a store that was not rebuilt just now is faulty, so other content may help.
 */
export type FollowerEnd =
  | { kind: 'stopped' | 'taken' | 'reset' }
  | { kind: 'failed'; error: unknown; content: boolean };

/** A partition's entities, and the reader that brings them up to date. */
export interface Followed {
  entities: Entities;
  factsCreated: string;
  /** Folds every record up to `sequence` and writes the store. Throws what the store throws. */
  foldUpTo(sequence: number, stopped: () => boolean): Promise<'done' | 'stopped' | 'reset'>;
  stop(): void;
}

export interface FollowerOptions extends Omit<RebuildOptions, 'stopped' | 'limits'> {
  hotBytes: number;
  /** Entities in one write to the local store; tests set it. */
  flushChunk?: number | undefined;
  limits?: (EntitiesOptions['limits'] & RebuildLimits) | undefined;
  onReady: (ready: boolean) => void;
}

/** Folded in one turn of the event loop: about 8 ms. */
const SLICE_RECORDS = 64;
const SLICE_BYTES = 256 * 1024;
/** Bytes of entities that may wait to be written during a fold. */
const PINNED_BYTES = 64 * 1024 * 1024;
/** How often a fold that waits for records checks for a stop. */
const STOP_CHECK_MS = 500;

/** A record that was decoded and cannot be folded does not fit the state that the store holds. */
function fold(entities: Entities, record: CommitRecord, sequence: number): void {
  try {
    entities.fold(record, sequence);
  } catch (cause) {
    if (cause instanceof StoreFaultError) throw cause;
    throw new StoreFaultError(`record ${sequence} of FACTS does not fit the local store: ${String(cause)}`, { cause });
  }
}

export function startFollower(options: FollowerOptions): Follower {
  const { clock, partition, log, store } = options;
  const signal = createSignal();
  let ending = false;
  let ready = false;
  let followed: Followed | undefined;
  /** The store still holds what an earlier term or process wrote. */
  let kept = !options.discard;
  let onEnding: () => void = () => {};
  const isEnding = (): boolean => ending;

  function setReady(now: boolean): void {
    if (ready === now) return;
    ready = now;
    options.onReady(now);
  }

  /** The answer of the broker; `undefined` once following ends, because a broker that is away may never answer. */
  function unlessEnding<T>(request: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      onEnding = () => resolve(undefined);
      if (ending) onEnding();
      request.then(resolve, reject);
    });
  }

  async function prepare(): Promise<Followed | undefined> {
    const bounds = await unlessEnding(log.info('FACTS'));
    if (bounds === undefined) return undefined;
    const before = options.discard ? undefined : store.mark();
    await prepareStore({ ...options, stopped: isEnding }, bounds, bounds.lastSequence);
    kept = before !== undefined && store.mark()?.appliedSeq === before.appliedSeq;
    const entities = createEntities({
      store,
      factsCreated: bounds.created,
      hotBytes: options.hotBytes,
      flushChunk: options.flushChunk,
      nowMs: () => clock.monotonicMs(),
      limits: options.limits,
    });
    const from = entities.appliedSeq + 1;
    const reader = log.read('FACTS', { subjects: [factsSubject(partition)], from, onWaiting: signal.notify });
    return {
      entities,
      factsCreated: bounds.created,
      async foldUpTo(sequence, stopped) {
        const outcome = await foldUpTo(sequence, reader, entities, stopped);
        if (outcome === 'done') await entities.flush();
        return outcome;
      },
      stop: () => reader.stop(),
    };
  }

  async function foldUpTo(
    sequence: number,
    reader: Reader,
    entities: Entities,
    stopped: () => boolean,
  ): Promise<'done' | 'stopped' | 'reset'> {
    while (entities.appliedSeq < sequence) {
      if (stopped()) return 'stopped';
      const records = reader.take(SLICE_RECORDS, SLICE_BYTES);
      for (const { data, sequence: at } of records) fold(entities, decodeCommit(data), at);
      if (entities.pinnedBytes > PINNED_BYTES) {
        await entities.flush();
        entities.trim();
      }
      if (records.length > 0) await sleep(clock, 0);
      else if (reader.ended !== undefined) return 'reset';
      else await signal.wait(clock, STOP_CHECK_MS);
    }
    return 'done';
  }

  /** Folds to the end of FACTS again and again. Near the end it looks once every `followMs`. */
  async function follow(current: Followed): Promise<'ending' | 'reset'> {
    while (!isEnding()) {
      const last = await unlessEnding(log.last('FACTS', factsSubject(partition)).then((record) => ({ record })));
      if (last === undefined) break;
      const began = clock.monotonicMs();
      // The first flush proves that the store can be written, even if there is nothing to write.
      const outcome = await current.foldUpTo(last.record?.sequence ?? 0, isEnding);
      if (outcome === 'reset') return 'reset';
      if (outcome === 'stopped') break;
      current.entities.trim();
      const isClose = clock.monotonicMs() - began <= REBUILD_LIMITS.followLagMs;
      setReady(isClose);
      if (isClose) await unlessEnding(sleep(clock, REBUILD_LIMITS.followMs));
    }
    return 'ending';
  }

  async function run(): Promise<FollowerEnd> {
    try {
      followed = await prepare();
      if (followed === undefined) return { kind: 'stopped' };
      const end = await follow(followed);
      return end === 'reset' ? { kind: 'reset' } : { kind: 'stopped' };
    } catch (error) {
      return { kind: 'failed', error, content: kept && error instanceof StoreFaultError };
    } finally {
      setReady(false);
    }
  }

  let taken = false;
  const ended = run().then((end): FollowerEnd => {
    if (taken && end.kind === 'stopped') return { kind: 'taken' };
    followed?.stop();
    return end;
  });

  function end(): void {
    ending = true;
    onEnding();
    signal.notify();
  }

  return {
    get ready() {
      return ready;
    },
    ended,
    async take() {
      taken = true;
      end();
      return (await ended).kind === 'taken' ? followed : undefined;
    },
    async stop() {
      end();
      await ended;
    },
  };
}
