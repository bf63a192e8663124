import { type Cancel, type Clock, sleep } from '../../../../core/kernel/clock.ts';
import type { Adjustable } from '../../../../core/kernel/adjustable.ts';
import { MATCHING_LIMITS } from './limits.ts';
import type { Signal } from '../../../../core/kernel/flow/signal.ts';
import type { StoredValue } from '../../../stored-value.ts';
import type { MatcherPosition } from './matcher-position.ts';

export interface PositionSaverOptions {
  clock: Clock;
  positions: StoredValue<MatcherPosition>;
  from: MatcherPosition;
  current: () => MatcherPosition;
  /** Number of deliveries stored so far. */
  stored: () => number;
  isOver: () => boolean;
  /** Raised when a save is due. */
  signal: Signal;
  limits?: Adjustable<typeof MATCHING_LIMITS, 'matcherPositionMs'> | undefined;
}

/** Saves the position of matching: often while deliveries are stored, seldom otherwise. */
export interface PositionSaver {
  /** Saves the position if a save is due. False: another process moved it, or matching is over. */
  saveInTime(): Promise<boolean>;
  /** Saves a changed position at a stop. */
  saveLast(): Promise<void>;
  stop(): void;
}

export function createPositionSaver(options: PositionSaverOptions): PositionSaver {
  const { clock, positions, from, current, stored, isOver, signal, limits = MATCHING_LIMITS } = options;
  let savedText = JSON.stringify(from);
  let savedAtMs = clock.monotonicMs();
  let storedAtSave = 0;
  let cancelTimer: Cancel = () => {};

  async function save(): Promise<boolean> {
    while (!isOver()) {
      const position = current();
      const outcome = await positions.save(position);
      if (outcome === 'saved') {
        savedText = JSON.stringify(position);
        savedAtMs = clock.monotonicMs();
        return true;
      }
      if (outcome === 'taken') return false;
      await sleep(clock, limits.matcherPositionMs);
    }
    return false;
  }

  return {
    async saveInTime() {
      cancelTimer();
      if (JSON.stringify(current()) === savedText) return true;
      const intervalMs = stored() > storedAtSave ? MATCHING_LIMITS.matcherSaveMs : limits.matcherPositionMs;
      const leftMs = savedAtMs + intervalMs - clock.monotonicMs();
      if (leftMs > 0) {
        cancelTimer = clock.timer(leftMs, () => signal.notify());
        return true;
      }
      storedAtSave = stored();
      return save();
    },
    async saveLast() {
      const position = current();
      if (JSON.stringify(position) !== savedText) await positions.save(position);
    },
    stop: () => cancelTimer(),
  };
}
