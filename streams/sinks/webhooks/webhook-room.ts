import type { Clock } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { Log } from '../../log.ts';
import { scheduledSubjects } from './delivery.ts';

/**
 * Bounds what waits for each webhook, so that one whose receiver is away for hours can't fill DELIVERIES for all. Counted are the
 * attempts that are due later: what is due now is handed out within moments, and ends or becomes one of them.
 */
export interface WebhookRoom {
  /** Takes a place for one more delivery of a webhook; false: there is none. */
  take(webhook: string): Promise<boolean>;
}

export interface WebhookRoomOptions {
  log: Pick<Log, 'countSubjects'>;
  clock: Clock;
  /** How many may wait for one webhook. */
  limit: number;
}

interface Room {
  /** Places that may be taken before what waits is counted again. */
  places: number;
  /** There was none when it was counted. */
  isFull: boolean;
  countedAtMs: number;
}

export function createWebhookRoom({ log, clock, limit }: WebhookRoomOptions): WebhookRoom {
  const rooms = new Map<string, Room>();

  async function count(webhook: string): Promise<Room> {
    const waiting = await log.countSubjects('DELIVERIES', scheduledSubjects(webhook));
    const places = Math.max(0, Math.min(limit - waiting, LIMITS.deliveriesPendingStep));
    const room = { places, isFull: places === 0, countedAtMs: clock.monotonicMs() };
    if (rooms.size >= LIMITS.deliveryLanes) rooms.clear();
    rooms.set(webhook, room);
    return room;
  }

  return {
    async take(webhook) {
      const known = rooms.get(webhook);
      const wasJustFull =
        known?.isFull === true && clock.monotonicMs() - known.countedAtMs < LIMITS.deliveriesPendingLookMs;
      if (wasJustFull) return false;
      const room = known === undefined || known.places === 0 ? await count(webhook) : known;
      if (room.isFull) return false;
      room.places -= 1;
      return true;
    },
  };
}
