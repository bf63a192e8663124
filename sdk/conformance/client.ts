/*
 * The client under test, behind commands. Each client package has a small program that reads them as JSON, one a line,
 * and answers each with one line; README.md lists them.
 */

export type Command =
  | ({ do: 'start' } & StartCommand)
  | { do: 'track'; name: string; properties?: unknown }
  | { do: 'setState'; attributes: unknown }
  | { do: 'flag'; key: string; fallback: unknown; isWhole?: boolean; spoil?: boolean }
  | { do: 'expose'; key: string }
  /** `listen`: from now on the game listens to messages. */
  | { do: 'end' | 'flush' | 'look' | 'listen' }
  /** The app goes to the background, or comes back. */
  | { do: 'pause'; isPaused: boolean }
  | { do: 'consent'; isGiven: boolean }
  /** The game ends; answered when everything is stored. */
  | { do: 'quit' }
  /** Time passes on the device; timers that come due run. */
  | { do: 'advance'; ms: number }
  /** Sets the device's clock. */
  | { do: 'skew'; ms: number }
  /** Storage fails from now on, or works again. */
  | { do: 'disk'; isFull: boolean };

export interface StartCommand {
  folder: string;
  baseUrl: string;
  key: string;
  player: string;
  /** The device's clock, ms since 1970. */
  wallMs: number;
  seed: number;
  options: ClientOptions;
}

/** Options that every client has under these names. */
export interface ClientOptions {
  maxQueued?: number;
  timeoutMs?: number;
  consent?: 'given' | 'required';
  debug?: boolean;
}

/** What a client answers to every command. Lists hold what is new since the answer before. */
export interface Look {
  /** A request is under way. */
  sending: boolean;
  /** Storage is being read or written. */
  saving: boolean;
  /** Until the next timer, in ms of the device; null if there is none. */
  dueMs: number | null;
  dropped: { id: string; name: string; reason: string }[];
  /** Kinds of problems. */
  problems: string[];
  /** Keys of flags that changed. */
  changes: string[];
  /** Ids of the messages that the game's listener got. */
  messages: string[];
  /** Lines that the client wrote to the game's log. */
  log: string[];
  /** What the called method returned; why the client did not start. */
  result?: unknown;
}

export interface Client {
  send(command: Command): Promise<Look>;
  /** Ends it without a word. What was written to storage stays. */
  kill(): Promise<void>;
}

export interface ClientKind {
  readonly name: string;
  /** What only some clients do: a scenario that needs it is skipped for the others. */
  readonly features: readonly Feature[];
  launch(): Promise<Client>;
}

/** `log`: the queue is one file that is appended to, so a crash may tear its last line. */
export type Feature = 'log';
