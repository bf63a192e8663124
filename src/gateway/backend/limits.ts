/**
 * Bounds of commands and queries on their way from a gateway to the owner of a partition and into FACTS.
 * One gateway holds at most `gatewayPendingAllBytes`, in equal shares of the partitions.
 */
export const BACKEND_LIMITS = {
  /** A command older than this is never applied. */
  commandDeadlineMs: 5_000,
  /** The gateway answers 503 this long after the deadline: tolerance for clocks that differ between nodes. */
  commandGraceMs: 1_000,

  /** One REQUESTS message: a quarter of `brokerPayloadBytes`, and room for the largest body. */
  requestsBatchBytes: 2 * 1024 * 1024,
  /** Commands in one REQUESTS message. Deciding this many takes less than about 50 ms. */
  requestsBatchCommands: 2_000,
  /**
   * Time between a gateway's messages while commands follow each other. At 1,000 events/s it halves the messages and
   * records of an event and adds 1.5 ms to the median; a fourth millisecond saves another tenth.
   */
  requestsGatherMs: 3,
  /** Commands waiting in a gateway for one partition. Beyond it a request is answered 503 at once. */
  gatewayPendingCommands: 20_000,
  /** Bytes of those commands. Beyond it a request is answered 503 at once. */
  gatewayPendingBytes: 64 * 1024 * 1024,
  /**
   * The same for all partitions of a deployment with more than four: a quarter of the smallest heap of a process, half
   * of it if the texts are not Latin-1. Shares are equal, so a partition that stalls takes nothing from the others.
   */
  gatewayPendingAllBytes: 256 * 1024 * 1024,
  /** The smallest share: the largest body, twice. At 256 partitions they take 512 MiB. */
  gatewayPendingLeastBytes: 2 * 1024 * 1024,
} as const;
