import type { Intervention, Opened } from '../flags/answers.ts';
import type { DeviceClock } from '../flags/device-clock.ts';
import type { EventEntry } from './entries.ts';
import type { EventQueue } from './event-queue.ts';
import type { Platform } from '../platform.ts';
import type { PlayedSession } from '../played-session.ts';
import type { DropReason, ReportProblem } from '../wire/problems.ts';
import type { Transport } from '../wire/transport.ts';

export const MOST_EVENTS = 50;
/** Storage that hangs must not stop the sending. */
export const SAVE_MS = 2000;
/** Slow storage may hold older events, which go first as long as it gives some. A session is opened meanwhile. */
export const ADOPT_MS = 30_000;

export interface Sender {
  /** Sends the queue as soon as the service allows. @param isUrgent does not wait for a backoff to end */
  flush(isUrgent: boolean): Promise<void>;
  /** The service is there: what waits after failures is sent now. */
  reached(): void;
  /** Asks for changed flags, once the page shows. */
  refresh(): void;
  /** The page hides: the first request leaves before this returns, if none is under way. */
  hide(isHidden: boolean): void;
  stop(): void;
}

/** What the sender works with, and its callbacks. */
export interface SenderOptions {
  queue: EventQueue;
  transport: Transport;
  clock: DeviceClock;
  platform: Pick<Platform, 'steadyMs' | 'setTimer' | 'random'>;
  newId: () => string;
  syncIntervalMs: number;
  /** Body of `register`; absent fields are left alone by the service. */
  registration: Readonly<Record<string, unknown>> & { external_id: string };
  initFields?: Readonly<Record<string, unknown>>;
  registersAlways?: boolean;
  /** The session that the game plays, if any, and the saved state. */
  play: Pick<PlayedSession, 'saved' | 'own' | 'set'>;
  /** The service no longer has the session: the game begins another. */
  onSessionGone?: () => void;
  /** The start of a session waits for it: a flag that changes between the two would be missed. */
  flagsFollowed?: Promise<void> | undefined;
  onOpened?: (opened: Opened) => void;
  onSynced?: (flags: Opened['flags'], interventions: readonly Intervention[]) => void;
  onDropped: (event: EventEntry, reason: DropReason, message: string) => void;
  onProblem: ReportProblem;
}
