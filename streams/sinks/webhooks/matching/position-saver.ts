import { type Cancel, type Clock, sleep } from '../../../../src/kernel/clock.ts';
import { LIMITS, type Limits } from '../../../../src/kernel/limits.ts';
import type { Signal } from '../../../../src/kernel/signal.ts';
import type { StoredValue } from '../../../stored-value.ts';
import type { MatcherPosition } from './matcher-position.ts';

export interface PositionSaverOptions {
  clock: Clock;
  positions: StoredValue<MatcherPosition>;
  from: MatcherPosition;
  present: () => MatcherPosition;
  /** Deliveries that were stored so far. */
  stored: () => number;
  isOver: () => boolean;
  /** Raised when there is something to save by then. */
  signal: Signal;
  limits?: Pick<Limits, 'matcherPositionMs'> | undefined;
}

/** Saves how far matching is: soon while deliveries are sent, seldom else. */
export interface PositionSaver {
  /** Saves the position if that is due. False: somebody else moved it, or this is over. */
  saveInTime(): Promise<boolean>;
  /** Saves what is new at a stop. */
  saveLast(): Promise<void>;
  stop(): void;
}

export function createPositionSaver(options: PositionSaverOptions): PositionSaver {
  const { clock, positions, from, present, stored, isOver, signal, limits = LIMITS } = options;
  let savedText = JSON.stringify(from);
  let savedAtMs = clock.monotonicMs();
  let storedAtSave = 0;
  let cancelTimer: Cancel = () => {};

  async function save(): Promise<boolean> {
    while (!isOver()) {
      const position = present();
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
      if (JSON.stringify(present()) === savedText) return true;
      const intervalMs = stored() > storedAtSave ? LIMITS.matcherSaveMs : limits.matcherPositionMs;
      const leftMs = savedAtMs + intervalMs - clock.monotonicMs();
      if (leftMs > 0) {
        cancelTimer = clock.timer(leftMs, () => signal.notify());
        return true;
      }
      storedAtSave = stored();
      return save();
    },
    async saveLast() {
      const position = present();
      if (JSON.stringify(position) !== savedText) await positions.save(position);
    },
    stop: () => cancelTimer(),
  };
}
