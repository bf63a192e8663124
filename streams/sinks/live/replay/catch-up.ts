import type { Clock } from '../../../../core/kernel/clock.ts';
import { LIVE_LIMITS } from '../limits.ts';
import { type Member, matcherOf } from '../audience.ts';
import type { FedRecord } from '../fed-record.ts';
import type { OlderRecords } from './older-records.ts';
import type { Cursor } from '../position.ts';
import type { RecentRecords } from '../recent-records.ts';

export interface CatchUpOptions {
  member: Member;
  from: Cursor;
  recent: RecentRecords;
  clock: Clock;
  /** Without it, a reader that falls behind the recent records is given up. */
  openOlder?: (fromSequence: number, onWaiting: () => void) => OlderRecords;
  /** Whether the player of an event was erased since; such events are not sent. */
  isErased: (playerId: string, sequence: number, index: number) => boolean;
  /**
   * Reports lost events to the reader. Later events wait until it resolves.
   * @param trimmed the lost range; absent if it is unknown
   */
  onLost: (trimmed?: { from: Cursor; beforeSequence: number }) => Promise<void>;
  /** The reader has got every fanned-out record. Called in the same tick. */
  onCaughtUp: () => void;
  /** The reader does not read, is behind all records that are kept, or its next record cannot be read. */
  onGivenUp: (reason: 'stalled' | 'too_far_behind' | 'unreadable') => void;
}

/**
 * Sends one reader the records since a position at the reader's own pace: from the log while it is far behind, from the
 * recent records when it is near. Then it hands the reader to the fan-out in one tick, so no record is missed.
 *
 * Invariants
 * 1. `next` is the first fact that the reader was not offered; it only grows.
 * 2. A message is written only while the reader has less than the refill limit buffered.
 * 3. One of the last two callbacks is called at most once, and nothing is written after it, nor after the returned
 *    stop.
 */
export function catchUp(options: CatchUpOptions): () => void {
  const { member, recent, clock } = options;
  const { reader } = member;
  const { game, environment } = member.request;
  const wants = matcherOf(member.request);
  let next: Cursor = { ...options.from };
  let older: OlderRecords | undefined;
  let over = false;
  /** A gap is being reported to the reader. */
  let reporting = false;
  let capacitySeenMs = clock.monotonicMs();
  let aheadSinceMs: number | undefined;
  let cancelTimer = clock.timer(0, step);

  function finish(then?: () => void): void {
    if (over) return;
    over = true;
    cancelTimer();
    older?.stop();
    then?.();
  }

  function again(delayMs: number): void {
    if (over) return;
    cancelTimer();
    cancelTimer = clock.timer(delayMs, step);
  }

  function hasCapacity(besideBytes = 0): boolean {
    return reader.bufferedBytes() + besideBytes < LIVE_LIMITS.streamRefillBytes;
  }

  /** Offers the reader the rest of a record. False: its buffer is full, or it is gone. */
  function offer(record: FedRecord): boolean {
    const events = record.events();
    if (events === 'unreadable') {
      finish(() => options.onGivenUp('unreadable'));
      return false;
    }
    if (record.sequence > next.sequence) next = { sequence: record.sequence, index: 0 };
    const messages: Uint8Array[] = [];
    let messagesBytes = 0;
    let all = true;
    for (const event of events) {
      const { index, fact } = event;
      if (index < next.index || fact.game !== game || fact.environment !== environment || !wants(fact)) continue;
      if (options.isErased(fact.entityId, record.sequence, index)) continue;
      all = hasCapacity(messagesBytes);
      if (!all) break;
      const bytes = event.bytes();
      messages.push(bytes);
      messagesBytes += bytes.byteLength;
      next.index = index + 1;
    }
    if (all) next = { sequence: record.sequence + 1, index: 0 };
    if (messages.length > 0) reader.write(...messages);
    return all && !over;
  }

  function find(): FedRecord | 'none' | 'waiting' | 'gone' {
    const near = recent.at(next.sequence);
    if (near !== 'gone') {
      older?.stop();
      older = undefined;
      return near;
    }
    if (options.openOlder === undefined) return 'gone';
    older ??= options.openOlder(next.sequence, step);
    const found = older.at(next.sequence);
    if (found === 'waiting' || !('lostBefore' in found)) return found;
    older.stop();
    older = undefined;
    skipTo(found.lostBefore, found.why === 'trimmed');
    return 'waiting';
  }

  /** The records in between are lost: continue after reporting the gap. */
  function skipTo(sequence: number, isTrimmed: boolean): void {
    const trimmed = { from: next, beforeSequence: sequence };
    next = { sequence, index: 0 };
    reporting = true;
    void options.onLost(isTrimmed ? trimmed : undefined).then(() => {
      reporting = false;
      again(0);
    });
  }

  /**
   * There is nothing to offer. A reader from a gateway slightly ahead of this one waits until this one gets there, so
   * that it sees no event twice. A position that is never reached was lost by the log.
   */
  function nothingLeft(): void {
    const ahead = next.sequence > recent.lastSequence + 1 || next.index > 0;
    if (!ahead) {
      finish(options.onCaughtUp);
      return;
    }
    const nowMs = clock.monotonicMs();
    aheadSinceMs ??= nowMs;
    if (nowMs - aheadSinceMs >= LIVE_LIMITS.streamStallMs) skipTo(recent.lastSequence + 1, false);
    else again(LIVE_LIMITS.streamPollMs);
  }

  function step(): void {
    if (over || reporting) return;
    if (!hasCapacity()) {
      if (clock.monotonicMs() - capacitySeenMs >= LIVE_LIMITS.streamStallMs) finish(() => options.onGivenUp('stalled'));
      else again(LIVE_LIMITS.streamPollMs);
      return;
    }
    capacitySeenMs = clock.monotonicMs();
    let stepBytes = 0;
    while (stepBytes < LIVE_LIMITS.streamReplayStepBytes) {
      const record = find();
      if (over || record === 'waiting') return;
      if (record === 'none') return nothingLeft();
      if (record === 'gone') return finish(() => options.onGivenUp('too_far_behind'));
      if (!offer(record)) return over ? undefined : again(LIVE_LIMITS.streamPollMs);
      stepBytes += record.sizeBytes;
    }
    again(0);
  }

  return () => finish();
}
