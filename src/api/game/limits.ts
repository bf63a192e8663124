/** Bounds of the requests of a game client. */
export const GAME_API_LIMITS = {
  /** Events in one sync, or at a session's end, as documented for clients. */
  syncEvents: 50,
  /** Flags that one init may request by name. Its session stores each name and the value served last. */
  requestedFlags: 500,
  /** One field of `device_info`, in characters. */
  deviceFieldLength: 128,
} as const;
