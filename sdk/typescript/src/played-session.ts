import type { FlagState } from './flags/answers.ts';
import type { DeviceClock } from './flags/device-clock.ts';
import { ownSessionId } from './events/entries.ts';
import { changedFlags } from './wire/listeners.ts';
import { ignored } from './platform-guards.ts';
import { noState, type SavedState } from './events/saved-state.ts';

/*
 * The session that the game plays, and the saved state that belongs to it.
 *
 * Invariants
 * 1. Writes of the state follow each other, so that an older one never wins.
 * 2. Only the tab that sends stores which session is played.
 */
export interface PlayedSession {
  /** Changed by `set` only. */
  readonly saved: SavedState;
  /** Own id of the session; undefined after its end. */
  own: string | undefined;
  /** When it began, by the device's clock. */
  sinceMs: number;
  /** Resolves when the state was written, or could not be. */
  readonly written: Promise<void>;
  /** @param isOwn false: the state is another tab's, or storage has it already */
  set(state: SavedState, isOwn?: boolean): void;
  begin(): string;
  /** Stores the session, so that a start soon after goes on with it. */
  keep(): void;
  /** Stores that the session still goes on. */
  touch(): void;
  /** The session of a new entry: the service's id as soon as it is known. */
  current(): string;
}

export interface PlayedSessionOptions {
  clock: Pick<DeviceClock, 'rawMs'>;
  newId: () => string;
  /** What `init` sends beside the player, as text. */
  fields: string;
  /** Stored with a session, so that its events can be sent when another player uses the device. */
  registration: SavedState['registration'];
  /** Storage is not touched before this resolves. */
  isAllowed: Promise<void>;
  /** Whether this tab sends, or another one does. */
  role: () => 'sends' | 'follows' | undefined;
  /** Writes the state, unless consent is missing. */
  write: (text: string) => Promise<void> | undefined;
  /** The state changed here: other tabs follow. */
  onChanged: (text: string) => void;
  onFlagChange: (flagKey: string, flag: FlagState | undefined) => void;
}

/** How exactly the time is stored at which a session was last known to go on. */
const ACTIVE_MS = 60_000;

export function createPlayedSession(options: PlayedSessionOptions): PlayedSession {
  const { clock, newId, fields, registration, role } = options;
  const play: { -readonly [K in keyof PlayedSession]: PlayedSession[K] } = {
    saved: noState(),
    own: ownSessionId(newId()),
    sinceMs: clock.rawMs(),
    written: options.isAllowed,
    set(state: SavedState, isOwn = true): void {
      const changed = changedFlags(play.saved.flags, state.flags);
      play.saved = state;
      for (const [flagKey, flag] of changed) options.onFlagChange(flagKey, flag);
      if (!isOwn) return;
      const text = JSON.stringify(state);
      play.written = play.written.then(() => options.write(text)).catch(ignored);
      options.onChanged(text);
    },
    begin(): string {
      play.sinceMs = clock.rawMs();
      const own = (play.own = ownSessionId(newId()));
      play.keep();
      return own;
    },
    keep(): void {
      const { own, saved, sinceMs } = play;
      if (role() !== 'sends' || own === undefined || saved.session?.own === own) return;
      const session = { own, sinceMs, activeMs: clock.rawMs(), fields };
      play.set({ ...saved, session, ...(registration && { registration }) });
    },
    touch(): void {
      const { own, saved } = play;
      const { session } = saved;
      const activeMs = clock.rawMs();
      if (role() !== 'sends' || session === undefined || session.own !== own) return;
      if (activeMs - session.activeMs < ACTIVE_MS) return;
      play.set({ ...saved, session: { ...session, activeMs } });
    },
    current(): string {
      const own = play.own ?? play.begin();
      const { session } = play.saved;
      return session?.id !== undefined && (role() === 'follows' || session.own === own) ? session.id : own;
    },
  };
  return play;
}
