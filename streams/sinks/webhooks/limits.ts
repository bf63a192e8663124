/** Bounds of the process that serves webhooks. */
export const WEBHOOK_SINK_LIMITS = {
  /** The broker redelivers a delivery whose worker sends no sign of life for this long: the delay after a crash. */
  deliveryAckWaitMs: 20_000,

  /** How often the matcher's thread reads the size of FACTS while there is room. Only games that lag need it. */
  matcherRoomMs: 5_000,
} as const;
