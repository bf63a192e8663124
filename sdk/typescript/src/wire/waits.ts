/* How long the client waits at its start. */

/** For the flags: storage that hangs must not delay the game. */
export const READY_MS = 5000;
/** For the stream of changed flags, before a session starts. */
export const FOLLOW_MS = 500;
/** For storage, which must not keep the game from the service. */
export const STORAGE_MS = 2000;
