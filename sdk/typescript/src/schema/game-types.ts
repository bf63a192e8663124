import type { FlagState, Intervention } from '../flags/answers.ts';
import type { AnyGame, EventName, FlagKey, FlagValue, GameSchema, Properties } from './schema.ts';

/** An event that had not reached the service at the shutdown. It stays in storage, if there is any. */
export interface UnsentEvent {
  readonly id: string;
  readonly name: string;
  readonly timestamp: string;
}

export interface ShutdownReport {
  readonly unsent: readonly UnsentEvent[];
}

/**
 * What the client does, without the types of a game's schema: it checks what it is given. `Game` is the same with them.
 */
export interface UntypedGame extends Omit<Game, 'track' | 'setState' | 'flag' | 'expose' | 'onFlagChange'> {
  track(name: unknown, properties?: unknown): boolean;
  setState(attributes: unknown): boolean;
  flag(key: string, fallback: unknown): unknown;
  expose(key: string): boolean;
  onFlagChange(listener: (key: string, flag: FlagState | undefined) => void): () => void;
}

/** The game client. No method throws, and none waits for the network unless it returns a promise. */
export interface Game<S extends GameSchema = AnyGame> {
  /** Resolves when the flags are fresh, or the first attempt to get them failed. Never rejects. */
  readonly ready: Promise<void>;
  /** Queues an event. False: it is invalid (see `onDropped`), consent is missing, or the client was shut down. */
  track<K extends EventName<S>>(name: K, ...properties: Properties<S['events'][K]>): boolean;
  /** Merges attributes of the player with the next sync; null deletes one. */
  setState(attributes: Readonly<Record<string, unknown>>): boolean;
  /**
   * What the flag serves the player. The fallback where nothing is known, and where the value is of another type than
   * the fallback; null as a fallback takes any type.
   */
  flag<K extends FlagKey<S>, F extends S['flags'][K] | null>(key: K, fallback: F): FlagValue<S['flags'][K], F>;
  /**
   * Tracks that the player saw the flag as it is now: an experiment counts only such players. Once per variant and
   * period of the flag.
   */
  expose(key: FlagKey<S>): boolean;
  /** All flags as last known. */
  readonly flags: Readonly<Record<string, FlagState>>;
  /** Keys of the player's segments at the last start of a session. */
  readonly segments: readonly string[];
  readonly playerId: string | undefined;
  /** The session by the service; undefined before it is open. */
  readonly sessionId: string | undefined;
  /** The service's time, milliseconds since 1970; the device's time until the service has answered once. */
  nowMs(): number;
  /** Whether the flags are those of the service, as far as the last request tells. */
  readonly isFresh: boolean;
  /** Calls the listener when `isFresh` changes. @returns removes the listener */
  onFresh(listener: (isFresh: boolean) => void): () => void;
  /** Calls the listener for each flag that changed; `undefined`: it is gone. @returns removes the listener */
  onFlagChange(listener: (key: FlagKey<S>, flag: FlagState | undefined) => void): () => void;
  /** Calls the listener for each message to show, also for those that arrived before. @returns removes the listener */
  onIntervention(listener: (intervention: Intervention) => void): () => void;
  /** Ends the session; the next `track` or `setState` begins another. Resolves when that was sent, or could not be. */
  end(): Promise<void>;
  /** Sends what is queued now. Resolves when it was sent, or could not be. */
  flush(): Promise<void>;
  /** False stops everything and removes what is stored on the device. Resolves when that is done. */
  setConsent(isGiven: boolean): Promise<void>;
  /**
   * Ends the session, sends what is queued and stops.
   * @param timeoutMs how long to wait for the service; 5,000 by default
   * @returns the events that the service has not acknowledged
   */
  shutdown(timeoutMs?: number): Promise<ShutdownReport>;
}
