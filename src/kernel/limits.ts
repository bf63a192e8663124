/**
 * Every bound of the service, with its reason. What happens at the bound is said where it is enforced.
 * Sizes are bytes, times are milliseconds unless the name says otherwise.
 */
export const LIMITS = {
  /** A request body. The contract's largest legal body (100 events of 64 KiB properties) would be bigger: 413. */
  bodyBytes: 1024 * 1024,
  /** A request's header block; uWebSockets.js answers 431 by itself beyond its own 4 KiB default. */
  headerBytes: 4096,
  /** `attributes` or `properties`, as JSON text in UTF-8. */
  documentBytes: 64 * 1024,
  /** Top-level keys of `attributes` or `properties`. */
  documentKeys: 256,
  /** Any string in a body, in UTF-8. */
  stringBytes: 8 * 1024,
  /** Names of events and attributes, in characters. */
  nameLength: 128,
  /** Nesting of objects and arrays in a body. */
  jsonDepth: 32,
  /** Events in one batch request (contract). */
  batchEvents: 100,
  /** Characters of an Idempotency-Key: room for a UUID with a prefix, no room for a document. */
  idempotencyKeyLength: 255,
  /** Idempotency keys remembered per player, and per API key for writes without one player. */
  idempotencyKeys: 64,
  /** How long an Idempotency-Key is remembered. */
  idempotencyTtlMs: 24 * 60 * 60 * 1000,
  /** Caller-supplied event ids remembered per player. */
  recentEvents: 256,

  /** A command older than this is never applied. */
  commandDeadlineMs: 5_000,
  /** The gateway says 503 only this long after the deadline: room for clock skew between nodes. */
  commandGraceMs: 1_000,
  /** A query older than this is answered 503; nothing was at stake. */
  queryDeadlineMs: 3_000,
  /** How long an owner waits to see the CONFIG revision a command was made under. */
  configWaitMs: 1_000,
  /** One REQUESTS message; well under `max_payload`. */
  requestsBatchBytes: 2 * 1024 * 1024,
  /** Commands in one REQUESTS message: keeps one decide step below about 50 ms. */
  requestsBatchCommands: 2_000,
  /** Commands waiting in a gateway for one partition; beyond it 503 at once. */
  gatewayPendingCommands: 20_000,
  /** Bytes of commands waiting in a gateway for one partition; beyond it 503 at once. */
  gatewayPendingBytes: 64 * 1024 * 1024,
  /** One FACTS record; a command's facts must fit, so a command is bounded by the body limit. */
  commitBytes: 4 * 1024 * 1024,
  /** Facts in one FACTS record. */
  commitFacts: 5_000,
  /** The broker's `max_payload`. */
  brokerPayloadBytes: 8 * 1024 * 1024,

  /** REQUESTS: age at which a request is dropped, whatever happened to it. */
  requestsMaxAgeMs: 60_000,
  /** REQUESTS: bytes held in the broker's memory. */
  requestsBytes: 256 * 1024 * 1024,
  /** REQUESTS: window in which a republished batch is recognised; at least twice the deadline. */
  requestsDuplicateWindowMs: 30_000,
  /** How long a write to the log waits for its answer before it counts as unknown; under half the deadline, so one retry fits. */
  logRequestMs: 2_000,
  /** Records a reader holds before it stops pulling. */
  readerBufferRecords: 256,
  /** Bytes a reader holds before it stops pulling. */
  readerBufferBytes: 16 * 1024 * 1024,

  /** A lease's length. A stopped owner is replaced after this plus the margin. */
  leaseMs: 3_000,
  /** Added by a contender for drift between the clocks of two nodes over one lease. */
  leaseMarginMs: 500,
  /** How often an owner renews its lease. */
  leaseRenewMs: 1_000,
  /** How often dirty players are written to the local store. */
  storeFlushMs: 250,
  /** Bytes of hot players per process, as encoded; in memory they take about three times that. */
  hotPlayersBytes: 128 * 1024 * 1024,
  /** A dirty player is snapshotted at most this often. */
  snapshotIntervalMs: 60_000,
  /** A player's first snapshot comes sooner, so that analysts see new players at once. */
  firstSnapshotMs: 2_000,
  /** Snapshots in one record: bounded so that they never delay commands noticeably. */
  snapshotsPerCommit: 500,
  /** An idle owner appends an empty record this often, so that its subject never empties. */
  idleRecordMs: 60 * 60 * 1000,
  /** How long FACTS is kept at least (see the trimmer); also the longest a node may be away and still resume. */
  factsRetentionMs: 30 * 24 * 60 * 60 * 1000,
  /** How often the trimmer looks. */
  trimMs: 60_000,

  /** Rows in one ClickHouse insert. */
  sinkBatchRows: 50_000,
  /** FACTS bytes taken into one ClickHouse insert. */
  sinkBatchBytes: 8 * 1024 * 1024,
  /** How long the ClickHouse sink gathers before it inserts what it has. */
  sinkLingerMs: 250,

  /** SSE readers per process. */
  streamReaders: 5_000,
  /** Bytes buffered for one SSE reader before it is disconnected. */
  streamReaderBytes: 1024 * 1024,
  /** FACTS bytes kept in memory for readers a little behind: a few seconds of heavy load, shared by all of them. */
  streamRecentBytes: 4 * 1024 * 1024,
  /** A reader that is behind is sent more while it has less than this buffered; so a stalled one holds no more. */
  streamRefillBytes: 256 * 1024,
  /** How often a reader that is behind is looked at for room: cheap, and with the refill still 5 MB/s. */
  streamPollMs: 50,
  /** A reader that is behind and takes nothing for this long is disconnected. */
  streamStallMs: 30_000,
  /** Readers replaying from the log at once per process, each with a broker consumer of its own; others wait their turn. */
  streamReplays: 32,
  /** FACTS bytes one replay decodes before others get a turn. */
  streamReplayStepBytes: 256 * 1024,

  /** Deliveries in flight at once over all webhooks of a process. */
  deliveriesInFlight: 256,
  /** Deliveries in flight at once to one webhook that answers well; one that doesn't falls to 1. */
  deliveriesPerWebhook: 16,
  /** Deliveries waiting in memory for one healthy webhook's next free place; more are put off through the broker. */
  deliveriesWaitingPerWebhook: 64,
  /** Deliveries the broker hands out at once, over all processes: those in flight, waiting or being put off. */
  deliveriesHandedOut: 2_048,
  /** First delay of a delivery that found no place; doubles with each time it is put off. */
  deliveryDeferMs: 1_000,
  /** Longest delay of a delivery that found no place. */
  deliveryDeferMaxMs: 60_000,
  /** Appends to DELIVERIES in flight at once while facts are matched. */
  matcherAppends: 256,
  /** FACTS bytes matched between two moves of the webhooks position. */
  matcherBatchBytes: 4 * 1024 * 1024,
  /** How often the webhooks position moves when nothing was sent; what is read again then only costs time. */
  matcherPositionMs: 1_000,
  /** How long matching waits to see the CONFIG revision a record was made under, before it goes on with an error. */
  matcherConfigWaitMs: 60_000,
  /** How long a stop waits for deliveries in flight; those cut off are made again. */
  deliveryStopMs: 5_000,
  /** Response body bytes read from a webhook receiver. */
  deliveryResponseBytes: 4 * 1024,

  /** Time for a graceful stop, end to end (operational contract: 10 s). */
  shutdownMs: 9_000,

  /** The list of checksums of a nats-server release; it has some forty lines. */
  checksumListBytes: 64 * 1024,
  /** A nats-server release archive; today's is 7 MiB. */
  natsArchiveBytes: 64 * 1024 * 1024,
  /** What the supervisor gives nats-server and ClickHouse to stop before it kills them: both are safe to kill. */
  dependencyStopMs: 700,
  /** A child that dies is started again after this, doubled for every death soon after the last. */
  restartDelayMs: 50,
  /** The longest wait before a child is started again: it is found ready soon after its cause of death is gone. */
  restartDelayMaxMs: 5_000,
  /** A child that ran this long died for a new reason: the delays begin anew. */
  restartSettledMs: 10_000,
  /** How often migrations are tried at a start: ClickHouse may be killed, and be back, meanwhile. */
  prepareAttempts: 10,
  /** Between two of those attempts. */
  prepareDelayMs: 1_000,
  /** A child's log file is moved aside when it is larger than this at the child's start; one old one is kept. */
  childLogBytes: 8 * 1024 * 1024,
} as const;
