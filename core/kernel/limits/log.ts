/** Bounds of the log: the broker's streams, and the time-outs and buffers of its client. */
export const LOG_LIMITS = {
  /** The broker's `max_payload`: twice the largest record. */
  brokerPayloadBytes: 8 * 1024 * 1024,

  /** REQUESTS: age at which a request is dropped, processed or not: twelve times the deadline of a command. */
  requestsMaxAgeMs: 60_000,
  /** REQUESTS: bytes in the broker's memory; the oldest are dropped first. 5 s of deadline at 50 MB/s. */
  requestsBytes: 256 * 1024 * 1024,
  /** REQUESTS: window in which a batch published twice is recognised; at least twice the deadline. */
  requestsDuplicateWindowMs: 30_000,

  /**
   * How long a write waits for its acknowledgement before its outcome is unknown. One retry fits the command's
   * deadline.
   */
  logRequestMs: 2_000,
  /** How long the broker may take for one administrative request (create, look up) before it is repeated. */
  logApiMs: 3_000,
  /** How long a starting process waits for the broker. A cluster elects its leaders in that time. */
  logPatienceMs: 30_000,
  /**
   * Interval at which a process compares the streams with the deployment: about ten requests. A process of an older
   * version lowers them for at most this long.
   */
  logStreamCheckMs: 60_000,
  /** First pause before a request to the broker is repeated; doubled each time up to the second figure. */
  logRetryMs: 20,
  logRetryMaxMs: 500,
  /** Pause between attempts to reconnect. A restarted broker accepts connections within a second. */
  logReconnectMs: 100,
  /** One attempt to connect. A broker that hangs during TLS must not delay the next one of its cluster for longer. */
  logConnectMs: 5_000,
  /** Interval of pings. A silent connection is closed after two without an answer. */
  logPingMs: 5_000,
  /** Without an answer to appends for this long, writes are refused: one unanswered append and a second that waits. */
  logSilentMs: 3_000,
  /** Without an answer to appends for this long a local broker is restarted. Longer than stalls of a busy disk. */
  logStuckMs: 15_000,

  /** How long one pull request of a reader stays open at the broker before the reader renews it. */
  readerPullMs: 30_000,
  /** How often the broker sends an idle reader a heartbeat. A consumer is lost after three missing ones. */
  readerHeartbeatMs: 2_000,
  /**
   * The broker deletes a consumer without pull requests after this: twice the renewal, so only dead ones are deleted.
   */
  readerInactiveMs: 60_000,
  /** Records that a reader buffers before it stops pulling. */
  readerBufferRecords: 256,
  /** Bytes that a reader buffers before it stops pulling. */
  readerBufferBytes: 16 * 1024 * 1024,
  /**
   * Records and bytes that a shared reader keeps for the slowest sink; one further behind reads the log by itself. At
   * 5,000 records/s an insert of a second fits.
   */
  sharedReaderRecords: 8_192,
  sharedReaderBytes: 16 * 1024 * 1024,
  /** A sink with fewer stored records before it than this joins the shared reader. */
  sharedReaderNear: 256,
  /** Bytes of records whose commits one sink of a thread has decoded and the other one has not taken yet. */
  sharedDecodeBytes: 1024 * 1024,
  /** Pause before a shared reader that failed is opened again; until then each sink reads by itself. */
  sharedReaderReopenMs: 1_000,
  /** A process hands its own records over in memory once it alone has appended to FACTS for this long. */
  aloneMs: 2_000,
  /** Bytes on the way to the sinks' thread; beyond them it reads the log. */
  handOverBytes: 16 * 1024 * 1024,
  /** How long the shared reader of the sinks lets records gather once they follow each other closely. */
  sinksGatherMs: 5,
  /** Half of the nursery of the sinks' thread. What it holds longer than one batch is little. */
  sinksNurseryMiB: 16,

  /**
   * How often a process reads the size of FACTS, and how often while a trim is near. In between it adds what its own
   * owners append.
   */
  factsPollMs: 1_000,
  factsPollNearMs: 200,
  /**
   * The part of FACTS that commands leave free: a sixteenth, at least 256 MiB, at most a quarter. Of 64 GiB it is 4
   * GiB: 32 partitions with a record in flight (128 MiB), two polls at 50 MB/s from other processes (100 MB), and the
   * owners' own records: a snapshot of each of the 90,000 players in memory takes 0.2 to 1.8 GB, the rest a few MB.
   */
  factsReserveShare: 1 / 16,
  factsReserveBytes: 256 * 1024 * 1024,
  factsReserveMostShare: 1 / 4,
  /**
   * Of the bytes that commands may fill: where trimming for room begins, and where it ends. Of 64 GiB 9 GiB remain
   * above the first share, three minutes at 50 MB/s; a trim takes a second or two.
   */
  factsTrimFromShare: 0.85,
  factsTrimToShare: 0.75,
  /**
   * How often a process forecasts when FACTS is full (a read for each partition and sink), over which time it measures
   * the growth, and how often it logs a warning.
   */
  factsForecastMs: 10_000,
  factsGrowthMs: 10 * 60 * 1000,
  factsLineMs: 60 * 60 * 1000,
  /**
   * A warning comes when commands would be refused within this time, which leaves a weekend to act, or when so much of
   * their bytes cannot be trimmed. Held bytes below the last share are the normal lag of snapshots.
   */
  factsWarnMs: 3 * 24 * 60 * 60 * 1000,
  factsHeldShare: 0.5,
  factsHeldNoise: 0.05,
  /** What a partition has held for less does not warn: an hourly mark and the longest delay of a snapshot. */
  factsMarkLagMs: 75 * 60 * 1000,
  /** How long a sink that cannot read a record leaves its lease to other processes, which may be of a newer version. */
  unreadableYieldMs: 30_000,

  /** Partitions of a deployment. Each has an owner with readers and timers of its own. */
  partitionsMost: 256,
  /** Replicas of a stream: the most that JetStream stores. */
  replicasMost: 5,
  /** The smallest FACTS that a setting or an operator may choose, for tests and trials. */
  factsSmallestBytes: 1024 * 1024,

  /** Bytes of one key-value bucket. CONFIG is the largest: 100,000 documents of 8 KiB. */
  bucketBytes: 1024 * 1024 * 1024,
} as const;
