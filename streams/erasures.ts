import type { Clock } from '../src/kernel/clock.ts';
import { LIMITS } from '../src/kernel/limits.ts';
import { decodeJson, encodeJson } from './codec.ts';
import type { BucketEntry, BucketOutcome, Log } from './log/log.ts';
import type { FactPlace } from './records/fact-place.ts';

/**
 * Who was erased and where in the log, for those that read older facts: replays of the stream and waiting deliveries. Held in
 * the bucket ERASURES for longer than either of them holds anything, and then forgotten.
 */
export interface Erasures {
  /** Whether a fact about a player comes from before an erasure of that player. */
  covers(playerId: string, place: FactPlace): boolean;
  /** Whether everything that was noted before the start is known. */
  readonly current: boolean;
  /** Settles once it is. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** An erasure as it stands in the bucket under the player's id. */
interface Mark extends FactPlace {
  /** Epoch milliseconds. */
  erasedAt: number;
}

/** Follows the bucket. */
export function watchErasures(log: Pick<Log, 'bucket'>, clock: Pick<Clock, 'wallMs'>): Erasures {
  /** In the order they were noted, which is nearly that of their times. */
  const marks = new Map<string, Mark>();
  let current = false;
  let onReady = (): void => {};
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });

  function take({ key, value }: BucketEntry): void {
    marks.delete(key);
    const mark = value === undefined ? undefined : parseMark(decodeJson(value));
    if (mark !== undefined) marks.set(key, mark);
    forgetOld();
  }

  function forgetOld(): void {
    const before = clock.wallMs() - LIMITS.erasureMarkMs;
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

/** Notes an erasure; a repeat changes nothing. */
export function noteErasure(log: Pick<Log, 'bucket'>, playerId: string, mark: Mark): Promise<BucketOutcome> {
  return log.bucket('ERASURES').put(playerId, encodeJson(mark));
}

/** A fact of another FACTS is older if that was created earlier: sequences start over with it. */
function isBefore(place: FactPlace, mark: Mark): boolean {
  if (place.created !== mark.created) return place.created === '' || place.created < mark.created;
  return place.sequence < mark.sequence || (place.sequence === mark.sequence && place.index < mark.index);
}

function parseMark(value: unknown): Mark | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('created' in value) || !('sequence' in value) || !('index' in value) || !('erasedAt' in value))
    return undefined;
  const { created, sequence, index, erasedAt } = value;
  if (typeof created !== 'string' || typeof sequence !== 'number') return undefined;
  return typeof index === 'number' && typeof erasedAt === 'number' ? { created, sequence, index, erasedAt } : undefined;
}
