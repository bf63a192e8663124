import type { Clock } from '../../core/kernel/clock.ts';
import { LOG_LIMITS } from '../log/limits.ts';
import { decodeJson, encodeJson } from '../../core/codec/codec.ts';
import type { BucketEntry, BucketOutcome, Log } from '../log/log.ts';
import type { FactPlace } from '../../core/vocabulary/records/fact-place.ts';

/**
 * The erased players and the place of each erasure in the log, for readers of older facts: replays of the live stream
 * and waiting deliveries. The bucket ERASURES keeps a mark for longer than either of them keeps a fact.
 */
export interface Erasures {
  /** Whether a fact about a player comes from before an erasure of that player. */
  covers(playerId: string, place: FactPlace): boolean;
  /** Whether every mark that existed at the start has been read. */
  readonly current: boolean;
  /** Resolves once `current` is true. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** An erasure, stored in the bucket under the player's id. */
interface Mark extends FactPlace {
  /** Epoch milliseconds. */
  erasedAt: number;
}

/** Watches the bucket. */
export function watchErasures(log: Pick<Log, 'bucket'>, clock: Pick<Clock, 'wallMs'>): Erasures {
  /** In the order in which they were stored, which is almost that of their times. */
  const marks = new Map<string, Mark>();
  let current = false;
  let onReady = (): void => {};
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });

  function take({ key, value }: BucketEntry): void {
    marks.delete(key);
    if (value !== undefined) marks.set(key, readMark(value) ?? { ...EVERYTHING, erasedAt: clock.wallMs() });
    dropOld();
  }

  function dropOld(): void {
    const before = clock.wallMs() - LOG_LIMITS.erasureMarkMs;
    for (const [key, { erasedAt }] of marks) {
      if (erasedAt >= before) return;
      marks.delete(key);
    }
  }

  const stop = log.bucket('ERASURES').watch({
    onEntry: take,
    onCurrent() {
      current = true;
      onReady();
    },
  });

  return {
    covers(playerId, place) {
      const mark = marks.get(playerId);
      return mark !== undefined && isBefore(place, mark);
    },
    get current() {
      return current;
    },
    ready,
    stop,
  };
}

/** Stores the mark of an erasure; a repeat changes nothing. */
export function noteErasure(log: Pick<Log, 'bucket'>, playerId: string, mark: Mark): Promise<BucketOutcome> {
  return log.bucket('ERASURES').put(playerId, encodeJson(mark));
}

/** A fact of another FACTS is older if that FACTS was created earlier: each begins again at sequence 1. */
function isBefore(place: FactPlace, mark: Mark): boolean {
  if (place.created !== mark.created) return place.created < mark.created;
  return place.sequence < mark.sequence || (place.sequence === mark.sequence && place.index < mark.index);
}

/** After every place: a mark that this version cannot read covers all facts of its player, so that none is shown. */
const EVERYTHING: FactPlace = { created: '\uffff', sequence: 0, index: 0 };

function readMark(value: Uint8Array): Mark | undefined {
  try {
    return parseMark(decodeJson(value));
  } catch {
    return undefined;
  }
}

function parseMark(value: unknown): Mark | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('created' in value) || !('sequence' in value) || !('index' in value) || !('erasedAt' in value))
    return undefined;
  const { created, sequence, index, erasedAt } = value;
  if (typeof created !== 'string' || typeof sequence !== 'number') return undefined;
  return typeof index === 'number' && typeof erasedAt === 'number' ? { created, sequence, index, erasedAt } : undefined;
}
