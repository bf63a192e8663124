import type { Clock } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { Log } from '../../log.ts';
import { scheduledSubjects } from './delivery.ts';

/**
 * Bounds what waits for each webhook, so that one whose receiver is away for hours can't fill DELIVERIES for all: while there is
 * plenty of room a webhook may have much of it, and its share once half of the room is taken. Counted are the attempts that are due
 * later: what is due now is handed out within moments, and ends or becomes one of them.
 */
export interface WebhookRoom {
  /** Takes a place for one more delivery of a webhook; false: there is none. */
  take(webhook: string): Promise<boolean>;
}

export interface WebhookRoomOptions {
  log: Pick<Log, 'countSubjects' | 'info'>;
  clock: Clock;
  /** Bytes DELIVERIES may hold. */
  limitBytes: number;
  /** How many may wait for one webhook at most, and once half of that is taken. */
  most: number;
  share: number;
}

interface Room {
  /** Places that may be taken before what waits is counted again. */
  places: number;
  /** There was none when it was counted. */
  isFull: boolean;
  countedAtMs: number;
}

export function createWebhookRoom({ log, clock, limitBytes, most, share }: WebhookRoomOptions): WebhookRoom {
  const rooms = new Map<string, Room>();

  async function count(webhook: string): Promise<Room> {
    const { sizeBytes } = await log.info('DELIVERIES');
    const waiting = await log.countSubjects('DELIVERIES', scheduledSubjects(webhook));
    return remember(webhook, (sizeBytes > limitBytes / 2 ? share : most) - waiting);
  }

  function remember(webhook: string, free: number): Room {
    const places = Math.max(0, Math.min(free, LIMITS.deliveriesPendingStep));
    const room = { places, isFull: places === 0, countedAtMs: clock.monotonicMs() };
    if (rooms.size >= LIMITS.deliveryLanes) rooms.clear();
    rooms.set(webhook, room);
    return room;
  }

  /** What is not known is not counted at once: a process that begins to match would ask for every webhook there is. */
  function roomOf(webhook: string): Room | Promise<Room> {
    const known = rooms.get(webhook);
    if (known === undefined) return remember(webhook, share);
    const wasJustFull = known.isFull && clock.monotonicMs() - known.countedAtMs < LIMITS.deliveriesPendingLookMs;
    return known.places > 0 || wasJustFull ? known : count(webhook);
  }

  return {
    async take(webhook) {
      const room = await roomOf(webhook);
      if (room.isFull) return false;
      room.places -= 1;
      return true;
    },
  };
}
