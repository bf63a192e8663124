import type { DeviceClock } from '../flags/device-clock.ts';
import type { EventEntry } from './entries.ts';
import { createEventQueue } from './event-queue.ts';
import { textOfPlayer } from '../options.ts';
import type { Platform } from '../platform.ts';
import { ignored, within } from '../platform-guards.ts';
import type { DropReason, ReportProblem } from '../wire/problems.ts';
import { type SavedState, stateOf } from './saved-state.ts';
import { createSender } from './sender.ts';
import { playersWithQueues, type StorageNames } from './storage-names.ts';
import type { Transport } from '../wire/transport.ts';

/*
 * Sends what players left behind who used this device before: their events would wait until they sign in again.
 *
 * Owns the queues of other players while it sends them, by the lock that their own clients take. It opens no session,
 * and what it cannot send stays.
 */
export interface Leavers {
  /** Sends now, unless nothing was left. Resolves when it was sent, or could not be. */
  send(): Promise<void>;
  stop(): void;
}

export interface LeaversOptions {
  platform: Platform;
  names: StorageNames;
  clock: DeviceClock;
  newId: () => string;
  tab: string;
  isAllowed: Promise<void>;
  maxQueued: number;
  maxQueuedBytes: number;
  /** Another one for each player: it ends its own requests only. */
  newTransport: () => Transport;
  onDropped: (event: EventEntry, reason: DropReason, message: string) => void;
  onProblem: ReportProblem;
}

/** Players of one start: a device has few, and each costs a handful of requests. */
const MOST_PLAYERS = 8;
/** Of one player. What is not sent by then waits for the next time. */
const MOST_MS = 60_000;
/** A lock that is not free by then is held by the player's own client. */
const LOCK_MS = 1000;

export function createLeavers(options: LeaversOptions): Leavers {
  const { platform, names } = options;
  let isOver = false;
  let sending: Promise<void> | undefined;
  let stopCurrent = () => {};

  async function sendAll(): Promise<void> {
    const players = await playersWithQueues(platform.storage, names);
    isOver ||= players.length === 0;
    for (const player of players.slice(0, MOST_PLAYERS)) if (!isOver) await sendFor(player);
  }

  async function sendFor(player: StorageNames): Promise<void> {
    let got = () => {};
    const isGot = new Promise<void>((resolve) => (got = resolve));
    let holds = false;
    const release = platform.lock(player.lock, (held) => {
      holds = held;
      got();
    });
    await within(isGot, LOCK_MS, platform);
    try {
      if (holds && !isOver) await drain(player);
    } finally {
      release();
    }
  }

  async function drain(player: StorageNames): Promise<void> {
    const { storage } = platform;
    const play = {
      own: undefined,
      saved: stateOf(await storage.getItem(player.state)),
      set(state: SavedState) {
        play.saved = state;
        void storage.setItem(player.state, JSON.stringify(state)).catch(ignored);
      },
    };
    const registration = textOfPlayer(play.saved.registration);
    // Storage lost it: the player's own start sends the events.
    if (registration === undefined) return;
    const queue = createEventQueue({ ...options, names: player });
    const sender = createSender({
      ...options,
      queue,
      registration,
      transport: options.newTransport(),
      syncIntervalMs: MOST_MS,
      play,
    });
    stopCurrent = () => sender.stop();
    await within(sender.flush(true), MOST_MS, platform);
    sender.stop();
    await queue.saved();
  }

  return {
    send: () =>
      (sending ??= isOver
        ? Promise.resolve()
        : sendAll()
            .catch(ignored)
            .finally(() => (sending = undefined))),
    stop() {
      isOver = true;
      stopCurrent();
    },
  };
}
