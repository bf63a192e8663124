/**
 * Bounds of commands and queries on their way from a gateway to the owner of a partition and into FACTS.
 * One gateway holds at most `gatewayPendingAllBytes`, in equal shares of the partitions.
 */
export const COMMAND_LIMITS = {
  /** A command older than this is never applied. */
  commandDeadlineMs: 5_000,
  /** The gateway answers 503 this long after the deadline: tolerance for clocks that differ between nodes. */
  commandGraceMs: 1_000,
  /**
   * A query older than this is answered 503. It writes nothing, so the caller may repeat it at once. Longer than a
   * failover: lease and margin (3.5 s), up to 0.75 s until a contender looks, the take-over, and 0.25 s (`RESEND_MS`)
   * until the query is sent again.
   */
  queryDeadlineMs: 6_000,
  /** How long an owner waits for the CONFIG revision that a command refers to. */
  configWaitMs: 1_000,
  /**
   * How long a change of a definition waits for the other processes of its machine. The time within which it is in
   * effect on all nodes, as documented for callers.
   */
  configGroupMs: 200,
  /**
   * Queries that wait in an owner for an append or a proof of ownership. Beyond it they are dropped; the gateway
   * repeats them.
   */
  waitingQueries: 20_000,

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

  /**
   * Replies to work in bulk (an import, lists of players) that are slower than this halve its window over all
   * partitions: live traffic waits for the same owners. Such a command takes 1 to 10 ms.
   */
  bulkSlowMs: 30,
  /** The longest rest after a command of work in bulk that was slow although it was alone. */
  bulkRestMs: 250,

  /** One FACTS record. All facts of a command must fit: four times the largest body. */
  commitBytes: 4 * 1024 * 1024,
  /**
   * Time between the moments at which the owners of a process append, while commands follow each other. At 1,000
   * events/s it halves the records of an event and adds 1.5 ms to the median.
   */
  commitSpacingMs: 3,
  /** Facts in one FACTS record. */
  commitFacts: 5_000,
} as const;
