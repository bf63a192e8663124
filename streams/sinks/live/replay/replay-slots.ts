import type { Cancel, Clock } from '../../../../core/kernel/clock.ts';

/** A replay that may be started and paused. Neither function is called synchronously by `enter`. */
export interface Replay {
  start(): void;
  /** Its slot goes to another key: it waits for the next `start`. */
  pause(): void;
}

/** Bounds how many replays read from the log at once. */
export interface ReplaySlots {
  /** Starts the replay when a slot is free. The returned function frees the slot or leaves the queue. */
  enter(key: string, replay: Replay): () => void;
}

export interface ReplaySlotsOptions {
  clock: Clock;
  /** Number of slots. */
  limit: number;
  /** How long a replay keeps its slot while a key with fewer replays waits. */
  turnMs: number;
}

interface Place {
  key: string;
  replay: Replay;
  sinceMs: number;
}

/**
 * Owns the slots, and the replays that wait for one, by API key.
 *
 * Invariants
 * 1. A free slot goes to the waiting key with the fewest running replays; among equals, to the key served least
 *    recently.
 * 2. While a waiting key has fewer running replays than another, the other's longest-running replay is paused after its
 *    turn. Equal keys keep their slots, because every pause costs a new reader of the log.
 */
export function createReplaySlots({ clock, limit, turnMs }: ReplaySlotsOptions): ReplaySlots {
  /** Keys with waiting replays, least recently served first. */
  const waiting = new Map<string, Set<Place>>();
  /** In the order of their starts. */
  const running = new Set<Place>();
  const runningOf = new Map<string, number>();
  let cancelTurn: Cancel = () => {};

  const countOf = (key: string): number => runningOf.get(key) ?? 0;

  function count(key: string, change: 1 | -1): void {
    const now = countOf(key) + change;
    if (now === 0) runningOf.delete(key);
    else runningOf.set(key, now);
  }

  function wait(place: Place): void {
    const queue = waiting.get(place.key) ?? new Set();
    waiting.set(place.key, queue.add(place));
  }

  function stopWaiting(place: Place): void {
    const queue = waiting.get(place.key);
    if (queue?.delete(place) === true && queue.size === 0) waiting.delete(place.key);
  }

  function stopRunning(place: Place): void {
    if (running.delete(place)) count(place.key, -1);
  }

  function keyInTurn(): string | undefined {
    let best: string | undefined;
    for (const key of waiting.keys()) if (best === undefined || countOf(key) < countOf(best)) best = key;
    return best;
  }

  /** Pauses a replay of a key with more replays than `key`. False: there is none, or none whose turn is over. */
  function freeSpace(key: string): boolean {
    let oldest: Place | undefined;
    for (const place of running) {
      if (countOf(place.key) <= countOf(key)) continue;
      oldest = place;
      break;
    }
    if (oldest === undefined) return false;
    const leftMs = oldest.sinceMs + turnMs - clock.monotonicMs();
    if (leftMs > 0) {
      cancelTurn = clock.timer(leftMs, admit);
      return false;
    }
    stopRunning(oldest);
    wait(oldest);
    oldest.replay.pause();
    return true;
  }

  function admit(): void {
    cancelTurn();
    for (let key = keyInTurn(); key !== undefined; key = keyInTurn()) {
      if (running.size >= limit && !freeSpace(key)) return;
      const queue = waiting.get(key);
      const [place] = queue ?? [];
      if (queue === undefined || place === undefined) return;
      waiting.delete(key);
      queue.delete(place);
      if (queue.size > 0) waiting.set(key, queue);
      start(place);
    }
  }

  function start(place: Place): void {
    place.sinceMs = clock.monotonicMs();
    running.add(place);
    count(place.key, 1);
    queueMicrotask(() => {
      if (running.has(place)) place.replay.start();
    });
  }

  return {
    enter(key, replay) {
      const place: Place = { key, replay, sinceMs: 0 };
      wait(place);
      admit();
      return () => {
        stopWaiting(place);
        stopRunning(place);
        admit();
      };
    },
  };
}
