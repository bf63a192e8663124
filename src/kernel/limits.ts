/**
 * Every bound of the service, with its reason. What happens at the bound is said where it is enforced.
 * Sizes are bytes, times are milliseconds unless the name says otherwise.
 */
export const LIMITS = {
  /** A request body. 100 events with 64 KiB of properties each would be larger: 413. */
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
  /**
   * Commas, colons and opening brackets of a body: a batch of 100 events with 200 properties each holds 41,000. Parsing costs up to
   * 0.5 µs each (unique keys with escapes), so the worst body takes 25 ms of the main thread.
   */
  jsonSeparators: 50_000,
  /** Characters of one number in a body: what a double tells apart has 17 digits, and exact decimals 767. */
  jsonNumberLength: 1_000,
  /** Integers past 2^53 that are named as faults one by one; collecting one costs a microsecond. */
  jsonLongIntegers: 2_000,
  /** Faults listed in one error answer: enough to mend a body, too few to make one costly. */
  reportedFaults: 32,
  /**
   * Values of a body, or of an item of a batch, up to which all its faults are looked for and not only the first: the largest
   * bodies that people write by hand. A batch of 100 wrong items of this size takes 30 ms.
   */
  validatedValues: 500,
  /** Names listed in X-Ignored-Fields: enough to find the slip, and headers stay small. */
  ignoredFieldNames: 16,
  /** Characters of one name in X-Ignored-Fields. */
  ignoredFieldLength: 64,
  /** Bytes of X-Ignored-Fields: with all other headers it fits the 4 KiB that nginx holds of an answer's head. */
  ignoredFieldsBytes: 2_048,
  /** `external_id`, in characters: percent-encoded it must still fit the header block of a look-up by it. */
  externalIdLength: 256,
  /** `device_id` of a player, in characters. */
  deviceIdLength: 256,
  /** An e-mail address, in characters (RFC 5321 path limit). */
  emailLength: 254,
  /** `event_id`, `session_id` and other ids a caller makes, in characters. */
  callerIdLength: 128,
  /** Open HTTP connections of one process; a connection over it is closed at once. */
  connections: 20_000,
  /** From a request's headers to the end of its body. uWebSockets.js cuts off a body under 16 KiB/s much sooner. */
  bodyReceiveMs: 60_000,
  /** Bytes of bodies that are still arriving, over all connections of a process; beyond it 503. */
  bodyReceivingBytes: 256 * 1024 * 1024,
  /** A declared body up to this size is answered 413 and drained; a larger one ends the connection. */
  bodyDrainBytes: 8 * 1024 * 1024,
  /**
   * Seconds that an answer's `Keep-Alive` promises its idle connection. uWebSockets.js closes it 8 to 12 s after the last
   * answer (10 s, counted in steps of 4; not configurable): the difference covers the way of the next request.
   */
  keepAliveSeconds: 5,
  /** uWebSockets.js holds answers back up to this size until it has parsed all that has arrived. */
  corkBufferBytes: 16 * 1024,
  /** Log lines about failed requests a second. */
  errorLinesPerSecond: 10,
  /** An API key's text, in characters: ours are shorter, and a longer text is not hashed. */
  apiKeyLength: 208,
  /** API keys whose text is remembered in a gateway, so that a request costs no hash. */
  apiKeyCache: 10_000,
  /** IPv6 addresses of callers whose network is remembered in a gateway. */
  callerAddressCache: 10_000,
  /** Characters of a player token: room for an external_id of 256 characters in any script. */
  playerTokenLength: 2_048,
  /** Added on both sides of a player token's time for clocks that differ. */
  playerTokenSkewMs: 60_000,
  /** Player tokens remembered in a gateway, 20 MB of the longest: a request costs a look-up and not a signature (10 µs). */
  playerTokenCache: 10_000,
  /** Hours that tokens of a secret stay valid after its rotation, at most. */
  playerTokenOverlapHours: 30 * 24,
  /** Attributes that a game lists as those which client keys may set: as many as a player may have. */
  listedAttributes: 256,
  /** How often gateways tell each other what they let through; a burst may exceed a rate limit by one exchange. */
  rateExchangeMs: 250,
  /** Key and second pairs in one message of that exchange. */
  rateCountsPerMessage: 2_000,
  /** Names in one SSE reader's event_name filter. */
  streamEventNames: 50,
  /** Bytes of one SSE reader's messages that wait for the network before it is cut off, whatever the feed thinks. */
  streamQueueBytes: 4 * 1024 * 1024,
  /** Webhooks of one game and environment: each is matched against every fact. */
  webhooksPerEnvironment: 100,
  /** A webhook's URL, in characters. */
  webhookUrlLength: 2_048,
  /** Event kinds, and filter paths, of one webhook. */
  webhookEvents: 100,
  webhookFilters: 32,
  /** Values in an `in` or `nin` filter. */
  webhookFilterValues: 100,
  /** Extra headers of a webhook, and characters of one value. */
  webhookHeaders: 20,
  webhookHeaderLength: 1_024,
  /** A webhook's signing secret, in characters. */
  webhookSecretLength: 256,
  /** How long after a rotation deliveries are also signed with the previous secret, as documented for receivers. */
  webhookSecretOverlapMs: 24 * 60 * 60 * 1_000,
  /** Test deliveries under way in one process: people ask for them, and each may take as long as a receiver may. */
  webhookTests: 32,
  /** Events in one batch request, as documented for clients. */
  batchEvents: 100,
  /** Characters of an Idempotency-Key: room for a UUID with a prefix, no room for a document. */
  idempotencyKeyLength: 255,
  /** Idempotency keys remembered per player and kind of API key, and per API key for writes without one player. */
  idempotencyKeys: 64,
  /**
   * Characters of the answers remembered per player, half of them for client keys, or per API key: an init's may hold all
   * attributes and hundreds of flags.
   */
  idempotencyChars: 1_000_000,
  /** How long an Idempotency-Key is remembered. */
  idempotencyTtlMs: 24 * 60 * 60 * 1000,
  /** Caller-supplied event ids remembered per player, for client keys and apart from those for server keys. */
  recentEvents: 256,

  /** Schemas of events of one game and environment; one event asks one of them. */
  eventSchemasPerEnvironment: 500,
  /** A schema as JSON text in UTF-8: every gateway compiles those it meets events of, in a few milliseconds each. */
  eventSchemaBytes: 32 * 1024,
  /** Nesting of a schema: its checks are functions within functions. */
  eventSchemaDepth: 16,
  /** Keywords of a schema, and names it requires, with each reference spelled out: compiling them takes about 0.3 ms each. */
  eventSchemaKeywords: 1_000,
  /** Patterns of a schema: compiling the largest takes 20 ms. */
  eventSchemaPatterns: 32,
  /**
   * Keywords of a schema times characters of an event: each keyword may be asked of each value. Beyond it the event counts as
   * faulty; the worst below takes 10 ms of a gateway (lengths of long texts), and what people write takes microseconds.
   */
  eventSchemaWork: 4_000_000,
  /**
   * Keywords of a schema times values of an event. A branch of `oneOf` that fails makes an error of 130 ns, so the worst event below
   * takes 13 ms; a schema of 500 keywords still takes events of 200 values.
   */
  eventSchemaVisits: 100_000,
  /** How long a request checks events against schemas before others get a turn; one event more may go over. */
  validationTurnMs: 5,
  /** What patterns and comparisons may take to check one event, in steps of about 10 ns; beyond it likewise. */
  eventSchemaSteps: 1_000_000,
  /** Keywords times characters up to which all faults of an event are looked for, not only the first. */
  eventSchemaAllFaults: 100_000,
  /** Faults told and kept of one event, and characters of each path and message. */
  quarantineFaults: 8,
  quarantineFaultLength: 200,
  /** Ranges of released events in the quarantine of one player: thousands of broken events of which every second was mended. */
  quarantineRanges: 4_000,
  /** Quarantined events that one call looks at to replay, and the bytes of their properties; the event that goes over is the last. */
  replayEvents: 500,
  replayBytes: 4 * 1024 * 1024,
  /** How long a replay checks events before others get a turn. */
  replayTurnMs: 5,
  /** Quarantined events in one command of a replay, and characters of their properties: as of a batch request. */
  replayCommandEvents: 100,
  replayCommandChars: 512 * 1024,

  /** Sessions of one player that are open at once, on several devices; the oldest is closed when one more opens. */
  openSessions: 4,
  /** Events in one sync, or at a session's end, as documented for clients. */
  syncEvents: 50,
  /** Flags one init may ask for by name: its session remembers them, and what it was told of each. */
  requestedFlags: 500,
  /** Achievements a session's summary names, and characters of one; what is past either is an event only. */
  sessionAchievements: 256,
  achievementLength: 128,
  /** One field of `device_info`, in characters. */
  deviceFieldLength: 128,
  /** Days or sessions of a game's lifecycle thresholds: a year without activity is churn to anybody. */
  lifecycleThreshold: 365,
  /** Days of play kept by day: what the churn risk looks at. */
  activityDays: 28,
  /**
   * Recorded sessions, and purchases with a transaction id, whose repeat is recognised, per player: ten years of three
   * sessions a day. Each takes about 30 bytes of the player; all of them must fit one record.
   */
  recordedSessions: 10_000,
  recordedPurchases: 10_000,
  /** A recorded session, in seconds: nobody plays for longer than a day. What claims more is a clock that was set meanwhile. */
  recordedSessionSeconds: 24 * 60 * 60,
  /** Purchases by client keys of which the player keeps what a correction needs, per player: 300 bytes each at most. */
  clientPurchasesTold: 1_000,
  /** One purchase, in ten-thousandths: 900,000,000,000 of the game's currency. Fits 2^53 with 0.08 % to spare. */
  purchaseAmount: 900_000_000_000 * 10_000,
  /**
   * A player's revenue, in ten-thousandths. Beyond 2^53 sums of integers are no longer exact, so a purchase that would pass it
   * is refused. Client keys are refused earlier, so that a client that claims the most leaves room (719,925,474 units) for
   * what the game's server records.
   */
  totalRevenue: Number.MAX_SAFE_INTEGER,
  totalRevenueByClients: 900_000_000_000 * 10_000,
  /** `product_id` of a purchase, in characters. */
  productIdLength: 256,

  /** A command older than this is never applied. */
  commandDeadlineMs: 5_000,
  /** The gateway says 503 only this long after the deadline: room for clock skew between nodes. */
  commandGraceMs: 1_000,
  /** A query older than this is answered 503; nothing was at stake. */
  queryDeadlineMs: 3_000,
  /** How long an owner waits to see the CONFIG revision a command was made under. */
  configWaitMs: 1_000,
  /** Queries waiting in an owner for an append or a proof; beyond it they are dropped and the gateway asks again. */
  waitingQueries: 20_000,
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
  /** REQUESTS: bytes held in the broker's memory; the oldest make room. 5 s of deadline at 50 MB/s. */
  requestsBytes: 256 * 1024 * 1024,
  /** REQUESTS: window in which a republished batch is recognised; at least twice the deadline. */
  requestsDuplicateWindowMs: 30_000,
  /** How long a write to the log waits for its answer before it counts as unknown; under half the deadline, so one retry fits. */
  logRequestMs: 2_000,
  /** How long the broker may take for one administrative answer (create, look up) before it is asked again. */
  logApiMs: 3_000,
  /** How long the broker may take to be there when a process starts: a cluster elects its leaders in that time. */
  logPatienceMs: 30_000,
  /** First pause before the broker is asked again; doubled up to the second figure. */
  logRetryMs: 20,
  logRetryMaxMs: 500,
  /** Pause between attempts to reach a broker that is away: short, as a restarted one is back within a second. */
  logReconnectMs: 100,
  /** One attempt to connect: a broker that hangs, or drops us during TLS, must not keep us from the next of its cluster. */
  logConnectMs: 5_000,
  /** A silent connection is given up after two unanswered pings, this far apart. */
  logPingMs: 5_000,
  /** How long a reader's request for more stands at the broker before it is renewed. */
  readerPullMs: 30_000,
  /** How often the broker tells an idle reader that it is still served; silence of three times this is a lost consumer. */
  readerHeartbeatMs: 2_000,
  /** The broker forgets a reader that asked for nothing this long: twice the renewal, so only dead ones are met. */
  readerInactiveMs: 60_000,
  /** Bytes of one key-value bucket: CONFIG's largest, 100,000 documents of 8 KiB. */
  bucketBytes: 1024 * 1024 * 1024,
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
  /**
   * How often changed players are written to the local store. A player that changes often is written once for all of it:
   * every 250 ms this took 3.8 µs an event. What it costs is a second of the log more to replay after a crash.
   */
  storeFlushMs: 1_000,
  /**
   * Bytes of hot players per process, as estimated; in memory a player takes about as much again. A player that played for a while is
   * 2.9 kB, so this holds 90,000 of them and 160,000 who just registered.
   */
  hotPlayersBytes: 256 * 1024 * 1024,
  /** A dirty player is snapshotted at most this often. */
  snapshotIntervalMs: 60_000,
  /** A player's first snapshot comes sooner, so that analysts see new players at once. */
  firstSnapshotMs: 2_000,
  /** Snapshots in one record: bounded so that they never delay commands noticeably. */
  snapshotsPerCommit: 500,
  /** An idle owner appends an empty record this often, so that its subject never empties. */
  idleRecordMs: 60 * 60 * 1000,
  /** How often the local store is written anew without its free pages after erasures, at starts: it copies all players. */
  compactionMs: 24 * 60 * 60 * 1000,
  /** What receipts of erasures say: the days after which FACTS holds nothing of an erased player any more. */
  logRetentionDays: 30,
  /**
   * How long FACTS is kept at least (see the trimmer); also the longest a node may be away and still resume. Two hours short of
   * what receipts say: the trimmer may be late by an idle partition's hourly record, and its own minute.
   */
  factsRetentionMs: (30 * 24 - 2) * 60 * 60 * 1000,
  /** How often the trimmer looks. */
  trimMs: 60_000,

  /** Segments of one game and environment: each is asked about every player that changes. */
  segmentsPerEnvironment: 500,
  /** Flags of one game and environment, archived ones apart: bulk evaluation asks all of them. */
  flagsPerEnvironment: 2_000,
  /** Flags of one game and environment, archived ones included: their keys stay taken, and every process holds them. */
  flagKeysPerEnvironment: 10_000,
  /** `key` of a flag, a segment or a variant, in characters. */
  definitionKeyLength: 100,
  /** `description` of a definition, in characters. */
  descriptionLength: 1_000,
  /** Targeting rules of one flag: each may be asked at every evaluation. */
  flagRules: 50,
  /** Variants of one flag; each rule prepares an answer for each of them. */
  flagVariants: 50,
  /** Other flags that one flag waits for. */
  flagPrerequisites: 10,
  /** A variant's weight: sums of weights stay far from where numbers lose their last digits. */
  flagWeight: 1_000_000,
  /** One flag's definition as JSON text in UTF-8: every process holds all of them. */
  flagBytes: 64 * 1024,
  /** How often a definition's change is tried again when others change it at the same moment. */
  definitionWriteAttempts: 8,
  /** The value set by hand for one player and flag, as JSON text in UTF-8: players hold up to `overridesPerPlayer`. */
  overrideBytes: 8 * 1024,
  /** Items of one page of a list: most, and when nothing is said. */
  pageItems: 500,
  pageItemsDefault: 50,
  /** Characters of the items of one page of a list: writing and sending them takes 25 ms of the main thread. */
  pageChars: 4 * 1024 * 1024,
  /** `cursor` of a list, in characters: room for the key it names. */
  cursorLength: 512,
  /** Event names counted per player: a game has dozens. */
  countedNames: 256,
  /** UTC days an event is counted for: the longest window a condition asks about. */
  countedDays: 30,
  /** Nesting of a condition. Three levels of logic over an element's fields need 10. */
  conditionDepth: 16,
  /** Values in a condition, at every level: room for a list of all countries, and cheap to ask at every event. */
  conditionValues: 1_000,
  /** A regular expression in a condition, in characters. */
  regexLength: 256,
  /** Its length with counted repetitions spelled out, about: compiling it costs 5 µs each. */
  regexSpelledOut: 4_000,
  /**
   * The same over all regular expressions of a new definition: 1 µs a character once the code is warm. 50 rules of 18 expressions each
   * took 820 ms. A class of Unicode counts as 100 characters.
   */
  regexTotal: 16_000,
  /** Instructions of a compiled regular expression: times the text's length it is the most a match can cost. */
  regexProgram: 500,
  /** Text a regular expression is tried on, in characters; anything longer does not match. */
  regexTextLength: 1_024,
  /**
   * What conditions may take, in steps of about 10 ns: all that one command or query asks, of it one player's evaluation (all
   * segments, flags and campaigns), of that one condition. So the worst command takes about 30 ms of the main thread. An ordinary
   * condition takes 10 to 50 steps, a short regular expression on a name some hundreds.
   */
  meterSteps: 3_000_000,
  playerSteps: 1_000_000,
  conditionSteps: 500_000,
  /** Steps of those that only plain tests may take: 500 segments of 100 tests each. */
  plainSteps: 1_000_000,
  /** Steps of conditions in one commit, or one go of queries, before others get a turn: about 20 ms, and one command more. */
  turnSteps: 2_000_000,
  /** What a new condition is judged by: its worst cost on texts of so many characters and lists of so many elements. */
  validatedTextLength: 100,
  validatedListLength: 10,
  /** Attributes, in characters of JSON, that are kept parsed between questions: parsing takes 5 ns a character. */
  largeAttributesLength: 4_096,
  /** Versions remembered in their sortable form, and the longest of them in characters. */
  rememberedVersions: 1_024,
  rememberedVersionLength: 64,

  /** `device_id` of a score, in characters, as documented for clients. */
  scoredDeviceIdLength: 64,
  /** Installs scored in one run of a model: under a millisecond of the event loop, and as many records as one append takes. */
  scoringBatchRows: 512,
  /** Score requests waiting for model and log; beyond it 503 at once. */
  scoringWaiting: 20_000,
  /** How often a model's files are looked at; a change counts once two looks find the same. */
  modelLookMs: 1_000,

  /** Flags set by hand for one player: a tester has a few. */
  overridesPerPlayer: 64,
  /** Exposures remembered per player, oldest first out; a forgotten one would count again. */
  exposuresPerPlayer: 512,
  /**
   * Flags of which a player's state holds what was served last: as many as a game may have. Typically 50 bytes each; at most
   * 600 (key, variant, segment, value, two earlier variants), so 1.2 MB if every name has its maximum length.
   */
  servedFlags: 2_000,
  /** A served value kept beside its variant, in characters; the definition holds longer ones. */
  servedValueLength: 64,
  /** Variants kept that a flag served a player before the last one: what an offline client may still show. */
  servedVariants: 2,
  /**
   * Changes of what one flag serves one player that are recorded within a period. A caller that alternates contexts could
   * otherwise make every evaluation a write. After them an exposure must name its variant.
   */
  servedChanges: 16,
  /** Periods of a flag whose results can be read; the oldest is dropped. 20 of 50 variants are 130 kB of the definition. */
  flagPeriods: 20,
  /** Exposures and served flags of one partition waiting for the next commit; what is past it is noted by a later evaluation. */
  waitingExposures: 20_000,
  /** Keys in one request to evaluate flags. */
  evaluatedFlags: 2_000,
  /** Characters of all values in one answer of evaluated flags: even at three bytes each it fits a broker's message. */
  evaluatedChars: 2_000_000,
  /** Text of an evaluation kept beside it, in characters: copying a longer one costs more than writing it anew. */
  rememberedEvaluationChars: 1_000,

  /** Campaigns of one game and environment: one trigger may be that of all of them. */
  campaignsPerEnvironment: 200,
  /** Interventions of one player that wait for a sync, or for a click: five weeks of more than anybody reads. */
  interventionsPerPlayer: 32,
  /** Interventions a player gets on one UTC day, of all campaigns together: past it they are a nuisance, whoever sent them. */
  interventionsPerDay: 20,
  /** Sessions in which an intervention is delivered that the client never says it showed. */
  interventionOffers: 3,
  /** How long an intervention waits when its campaign says nothing, and the longest it, or a cooldown, may be, in seconds. */
  interventionExpirySeconds: 7 * 24 * 60 * 60,
  campaignSeconds: 365 * 24 * 60 * 60,
  /** Campaigns of which a player remembers what it got: five times as many as there may be, as ids never come again. */
  campaignTallies: 1_000,
  /** Facts about campaigns that one command may lead to; beyond them nothing is triggered: a record must stay below its size. */
  campaignFactsPerCommand: 2_000,
  /** How late a campaign's scheduled time may still be acted on: a service that was down for longer has missed it. */
  scheduleLateMs: 24 * 60 * 60 * 1000,
  /** A message to players, in characters; its key figures fit a phone's screen. */
  interventionTitleLength: 200,
  interventionBodyLength: 2_000,
  interventionCtaLength: 100,
  /** How long a message may stay before it dismisses itself, in seconds. */
  interventionDismissSeconds: 24 * 60 * 60,
  /** Caps of one campaign: far more than anybody sets, and exact as a number. */
  campaignCap: 1_000_000,
  /** Formatters of time zones kept: there are about 600 names of zones, and players may hold any text. */
  timeZones: 700,

  /** Changes of segments that only midnight (UTC) brings are spread over this, so that there is no rush. */
  segmentJitterMs: 10 * 60 * 1000,
  /** Changes by time that one player is given in one record, when an owner was away for long. */
  dueSteps: 32,
  /** Facts about segments that one command may lead to; what exceeds it follows in the next record: one must stay below its size. */
  segmentFactsPerCommand: 2_000,
  /** Entities looked at in one go after an edit of a segment. */
  sweepEntities: 256,
  /** Time one such go may take out of a commit, and how many times as long the next one waits: traffic comes first. */
  sweepMs: 2,
  sweepRest: 4,
  /**
   * A player whose membership changes costs far more later than the look did: the store, a snapshot, rows. So one such go
   * ends at so many, and the next waits so long for each: a thousand a second and partition.
   */
  sweepChanges: 50,
  sweepChangeMs: 1,
  /**
   * Steps that the players of one game and environment may take in a pass of a sweep before it goes on with the others: 0.2 s, more
   * than 10,000 players take with 20 plain segments.
   */
  sweepShareSteps: 20_000_000,
  /** Shortest pause between two of them. */
  sweepPauseMs: 5,
  /** How often the progress of a re-evaluation is written. */
  sweepProgressMs: 1_000,

  /**
   * How long score records may take to be stored before their callers are told 503. Far below the duplicate window of RECORDS: a
   * message that is sent again within it is stored once.
   */
  recordDeadlineMs: 5_000,
  /** Score records in one RECORDS message: under 1 MiB, as one takes at most about 500 bytes. */
  recordsPerMessage: 2_000,
  /** Score records of one process waiting to be stored; beyond it 503 at once. A challenger doubles them. */
  recordsPending: 50_000,
  /** Appends of score records under way at once. With one, a quarter of the main thread waited for the broker at 512 connections. */
  recordsInFlight: 2,

  /** Rows in one ClickHouse insert. */
  sinkBatchRows: 50_000,
  /** FACTS bytes taken into one ClickHouse insert. */
  sinkBatchBytes: 8 * 1024 * 1024,
  /**
   * How long the ClickHouse sink gathers before it inserts what it has; longer when that came to many rows, as an insert
   * costs the engine about 10 ms beside 3 µs a row.
   */
  sinkLingerMs: 250,
  sinkLongLingerMs: 1_000,
  sinkManyRows: 2_000,

  /** Statements of one process's routes in ClickHouse at once: the embedded one leaves the service 6, and the sink needs its own. */
  analyticsStatements: 2,
  /** Requests waiting for such a place, and how long; beyond either 503. */
  analyticsWaiting: 32,
  analyticsWaitMs: 5_000,
  /** Running time, memory and threads of such a statement; beyond them 503. A million players with 5 million events took 3 to 12 s. */
  analyticsSeconds: 30,
  analyticsMemoryBytes: 1024 * 1024 * 1024,
  analyticsThreads: 2,
  /** How long the client waits for such an answer: past what ClickHouse itself cuts off, and a wait for a place there. */
  analyticsRequestMs: 45_000,
  /**
   * Bytes of properties in one page of events; the event that goes over is its last. As much as a request's body: 500 events of
   * 64 KiB would be 32 MiB, held several times over.
   */
  eventPageBytes: 1024 * 1024,
  /** Rows of an experiment's answer: two for every variant there may be, and room. */
  analyticsVariantRows: 1_000,
  /** Days after a first exposure in which events may count. */
  resultsWindowDays: 90,
  /** How far back an experiment is read: months of events are opened for every request. */
  resultsSpanDays: 366,
  /** Clocks of nodes differ by less: what was received around a definition's creation is looked for with this margin. */
  resultsMarginMs: 60 * 60 * 1000,
  /** A path into an event's properties, in characters, and its keys. */
  propertyPathLength: 256,
  propertyPathKeys: 16,

  /** Back-off of the ClickHouse sink after a refusal: first and longest wait. It retries for ever and skips nothing. */
  sinkRetryFirstMs: 100,
  sinkRetryLongestMs: 5_000,
  /** One insert or position write of a sink; beyond it the outcome is unknown and the same intent is repeated. */
  sinkRequestMs: 60_000,
  /** How long a stopping sink may take to finish the batch it holds; what is left is repeated at the next start. */
  sinkStopMs: 4_000,
  /** How long a sink waits before it looks again when its log or stream cannot be read. */
  sinkReopenMs: 500,
  /** How often an idle sink looks whether it still holds its lease. */
  sinkIdleCheckMs: 1_000,

  /** Embedded ClickHouse: running time of one statement of the read-only user. */
  clickhouseReaderSeconds: 60,
  /** Embedded ClickHouse: memory of one statement of the read-only user; half of it before sorts and groups go to disk. */
  clickhouseReaderMemoryBytes: 512 * 1024 * 1024,
  /** Embedded ClickHouse: temporary files of one statement of the read-only user. */
  clickhouseReaderDiskBytes: 4 * 1024 * 1024 * 1024,
  /** Embedded ClickHouse: threads of one statement of the read-only user: the writer keeps a share of a small machine. */
  clickhouseReaderThreads: 2,
  /** How long the ports of a run that was killed may take to become free. */
  portPatienceMs: 5_000,
  /** Embedded ClickHouse: statements of read-only users running at once. */
  clickhouseReaderStatements: 4,
  /** Embedded ClickHouse: statements of the service running at once (inserts, snapshot loads, event queries). */
  clickhouseServiceStatements: 6,
  /** Embedded ClickHouse: statements waiting for a place, per kind of user; beyond it 503 at once. */
  clickhouseWaitingStatements: 64,
  /** Embedded ClickHouse: how long a statement waits for a place before 503. */
  clickhouseWaitMs: 10_000,
  /** Embedded ClickHouse: statement text, as ClickHouse's own max_query_size. */
  clickhouseQueryBytes: 256 * 1024,
  /**
   * Embedded ClickHouse: words, literals and signs of one statement; checking this many takes up to 100 ms on a busy core. The
   * longest statement of the service erases `erasuresAtOnce` players and has some 2,000.
   */
  clickhouseStatementTokens: 20_000,
  /** Embedded ClickHouse: brackets within brackets of one statement; the check recurses, and the engine's own bound is 1,000. */
  clickhouseStatementDepth: 200,
  /** Embedded ClickHouse: body of an insert after decompression; several times the sink's largest batch. */
  clickhouseBodyBytes: 128 * 1024 * 1024,
  /** Embedded ClickHouse: a result in a format that cannot be streamed (JSON, Parquet) is held whole up to this. */
  clickhouseBufferedResultBytes: 128 * 1024 * 1024,
  /** Embedded ClickHouse: open connections of readers; over it, the one that was idle for longest is closed. */
  clickhouseConnections: 256,
  /** Embedded ClickHouse: connections of the service besides; sink, routes, erasures and rebuilds use under 20. */
  clickhouseServiceConnections: 64,
  /** Embedded ClickHouse: time from a connection, or a request's first byte, to the end of its headers. */
  clickhouseHeadersMs: 5_000,
  /** Embedded ClickHouse: time for a whole request to arrive; 128 MiB come within a second on one machine. */
  clickhouseRequestMs: 120_000,
  /** Embedded ClickHouse: how long a connection may idle between requests; the service's client drops its own after 2.5 s. */
  clickhouseKeepAliveMs: 10_000,
  /** Embedded ClickHouse: a client that neither sends nor takes a byte for this long is cut off; over the time cap. */
  clickhouseIdleMs: 120_000,
  /** Embedded ClickHouse: how long a stop waits for running statements. */
  clickhouseStopMs: 3_000,
  /** Threads for calls into the embedded engine, which block theirs: all statements at once plus file and zip work. */
  clickhousePoolThreads: 16,

  /** Players erased from ClickHouse with one pass over its tables; their ids must fit a statement's text. */
  erasuresAtOnce: 500,
  /** Pause between two such passes, while there is more to erase or ClickHouse is away. */
  eraseAgainMs: 1_000,
  /** How often the sink looks for erasures that an earlier one left; new ones are told to it. */
  eraseLookMs: 60_000,
  /** How long one deletion may take before it is looked at again; it goes on meanwhile. */
  eraseRequestMs: 300_000,
  /** How long what was under way to webhooks when an erasure was met may take to be logged: one attempt, and the log's deadline. */
  lateRowsMs: 60_000,
  /** How long it is remembered who was erased, for replays of FACTS and waiting deliveries: longer than either holds anything. */
  erasureMarkMs: 35 * 24 * 60 * 60 * 1000,
  /** Rows of ClickHouse in one page of a player's export: most, and when nothing is said. */
  exportRows: 1_000,
  exportRowsDefault: 500,
  /**
   * Bytes of rows in one page of a player's export; the row that goes over is its last. 1,000 events of 64 KiB were 61 MiB of JSON,
   * held several times over: with 16 such requests at once a gigabyte.
   */
  exportPageBytes: 1024 * 1024,

  /** How long a stream token may wait for its connection, and how long the broker keeps it: clocks differ by less. */
  streamTokenMs: 60_000,
  streamTokenKeptMs: 120_000,
  /** Characters of a stream token: `st_`, the id of its key and 256 bits. */
  streamTokenLength: 82,
  /** Stream tokens of one API key made by one process within `streamTokenMs`: a synced write each, and 0.2 kB for two minutes. */
  streamTokensOfKey: 1_000,
  /** Stream tokens being redeemed at once in one process; beyond it 503: anybody may send what looks like one. */
  streamTokensRedeemed: 64,
  /** SSE readers per process. */
  streamReaders: 5_000,
  /** SSE readers of one API key per process, by its tier: no key takes all places of a process. */
  streamReadersOfKey: { growth: 100, pro: 1_000, enterprise: 4_000 },
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
  /** Bytes buffered for all SSE readers of a process: a thousand stalled ones at the refill. Beyond it the fullest are disconnected. */
  streamBuffersBytes: 256 * 1024 * 1024,
  /** How often the readers' buffers are added up. */
  streamMeasureMs: 1_000,
  /** How long a reader is made to wait for how many events it has missed; then it is told of the gap without. */
  streamCountMs: 5_000,
  /** Heartbeats written in one turn of the event loop: a millisecond or two, also when all readers came at once. */
  streamBeatsAtOnce: 200,
  /** What readers are told to wait before they come back after a cut: long enough for a restart, shorter than a user's patience. */
  streamRetryMs: 2_000,
  /** Readers replaying from the log at once per process, each with a broker consumer of its own; others wait their turn. */
  streamReplays: 32,
  /** How long a replay keeps its place although a key with fewer replays waits: moving it has the broker read ahead again. */
  streamReplayTurnMs: 2_000,
  /** FACTS bytes one replay decodes before others get a turn. */
  streamReplayStepBytes: 256 * 1024,

  /** Deliveries in flight at once over all webhooks of a process: room for hundreds of hanging receivers at one each. */
  deliveriesInFlight: 1_024,
  /** The same over all webhooks of one game and environment: the rest stays free for other games. */
  deliveriesInFlightPerGame: 768,
  /** Deliveries in flight at once to one webhook that answers well; one that doesn't falls to 1. */
  deliveriesPerWebhook: 32,
  /** Deliveries waiting in memory for one healthy webhook's next free place; more are put off through the broker. */
  deliveriesWaitingPerWebhook: 512,
  /** A webhook whose deliveries in flight made no progress for this long keeps none waiting. */
  deliveryProgressMs: 1_000,
  /** A webhook whose deliveries in flight made no progress for this long is taken to give no answer: receivers should within 5 s. */
  deliverySilentMs: 5_000,
  /** A delivery whose worker shows no life for this long is handed out again: how late a crash makes an attempt. */
  deliveryAckWaitMs: 20_000,
  /** How often what waits in DELIVERIES is counted for the metrics. */
  deliveriesCountMs: 5_000,
  /** Webhooks whose state of health is remembered; beyond it the idle ones are forgotten. */
  deliveryLanes: 10_000,
  /** Deliveries the broker hands out at once, over all processes: those in flight, waiting or being put off. */
  deliveriesHandedOut: 2_048,
  /** Bytes of deliveries that were matched and are due, over all games: they are in the memory of the processes that make them. */
  deliveriesDueBytes: 64 * 1024 * 1024,
  /** How often what is due is counted while some game has much of it. */
  deliveriesDueLookMs: 25,
  /** First delay of a delivery that found no place; doubles with each time it is put off. */
  deliveryDeferMs: 1_000,
  /** The same while its receiver gives no answer: an attempt takes its one place for up to the time-out of 30 s. */
  deliveryDeferHangingMs: 10_000,
  /** Longest delay of a delivery that found no place. */
  deliveryDeferMaxMs: 60_000,
  /**
   * Deliveries that come back in a second after they were put off: to receivers without an answer, over all of a process; to one that
   * takes few. And how far that may spread them. A write to disk each, it is to stay a small part of what the broker can do.
   */
  deliveryDefersPerSecond: 250,
  /** The same to a receiver of which nothing is known but that it answers: about as many as this service can make. */
  deliveryReturnsPerSecond: 5_000,
  deliverySpreadMs: 60 * 60 * 1000,
  /** Bytes DELIVERIES may hold before matching waits: the stream itself would drop its oldest at twice this. */
  deliveriesBytes: 4 * 1024 ** 3,
  /** Bytes appended to DELIVERIES between two looks at its size. */
  deliveriesCheckBytes: 4 * 1024 * 1024,
  /**
   * Appends to DELIVERIES in flight at once while facts are matched, at least and at most, and their bytes; half of each for one game.
   * What is in flight stands before another game's next delivery in the broker: so fewer while an answer takes longer than this.
   */
  matcherAppendsLeast: 16,
  matcherAppends: 256,
  matcherAppendMs: 20,
  matcherAppendBytes: 4 * 1024 * 1024,
  /** FACTS bytes that were read and whose deliveries are not stored; beyond it the game with most of them is read by itself. */
  matcherWindowBytes: 8 * 1024 * 1024,
  /** The same of a game that is read by itself; and how many such games there may be: each has a reader of the log. */
  matcherBehindBytes: 1024 * 1024,
  matcherBehindGames: 16,
  /** What such a game may be behind; older facts are passed over, as FACTS must not be kept for it past its own retention. */
  matcherBehindMs: 7 * 24 * 60 * 60 * 1000,
  /** FACTS bytes matched between two moves of the webhooks position. */
  matcherBatchBytes: 4 * 1024 * 1024,
  /** How often the webhooks position moves when nothing was sent; what is read again then only costs time. */
  matcherPositionMs: 1_000,
  /** The same while deliveries are sent: what is read again then is appended again, which the broker recognises. */
  matcherSaveMs: 100,
  /** How long matching waits to see the CONFIG revision a record was made under, before it goes on with an error. */
  matcherConfigWaitMs: 60_000,
  /** How long a stop waits for deliveries in flight; those cut off are made again. */
  deliveryStopMs: 5_000,
  /** Attempts in one RECORDS message: under 4 MiB, as one takes at most about 4 kB with its piece of the answer. */
  attemptsPerMessage: 1_000,
  /** Attempts of one process waiting to be logged; beyond it they are not, and counted: logging never holds up a delivery. */
  attemptsPending: 10_000,
  /** How long attempts are gathered before they are logged: nobody waits for it, and every message is a write to disk. */
  attemptLingerMs: 100,
  /** Characters of an answer's body, and of a URL's host, that are logged. */
  attemptResponseLength: 1_000,
  attemptHostLength: 256,
  /** Longest delay that a receiver may request with Retry-After. */
  retryAfterMaxMs: 2 * 60 * 60 * 1000,
  /** Only failures for this long disable a webhook, as documented for operators. */
  webhookFailingMs: 5 * 24 * 60 * 60 * 1000,
  /** Failures are noted for other processes, and for the next start, once they last this long: a restart loses less. */
  webhookFailingNoteMs: 10 * 60 * 1000,
  /** How long notes of a webhook (since when it fails, its latest recovery) are kept: far past what disables it. */
  webhookNoteMs: 35 * 24 * 60 * 60 * 1000,
  /** How often disabling a webhook is tried when CONFIG does not take it; the next failure tries again. */
  webhookDisableTries: 5,
  /** Retries waiting for one webhook, over all processes; what exceeds it is logged as overflowed and left to a recovery. */
  deliveriesPendingPerWebhook: 500_000,
  /** The same once half of `deliveriesBytes` is taken: then a hundred receivers that are away leave room for all others. */
  deliveriesPendingShare: 20_000,
  /** Deliveries queued for one webhook between two counts of what waits; and how often it is counted while there is no room. */
  deliveriesPendingStep: 10_000,
  /** Bytes queued for one webhook, or for one game, between two such counts; fewer when little room is free. */
  deliveriesPendingStepBytes: 32 * 1024 * 1024,
  deliveriesPendingLookMs: 15_000,
  /** A look-up of a receiver's name, all of it: a name server that never answers must not use up a delivery's time. */
  dnsLookupMs: 5_000,
  /** One query to one name server, and the queries to each. */
  dnsTryMs: 1_000,
  dnsTries: 3,
  /** Names that are looked up at once: one for each delivery in flight, so that none is refused for others' names. */
  dnsLookups: 1_024,
  /** How long a name that could not be looked up is not asked for again, and how many such names are remembered. */
  dnsFailureMs: 5_000,
  dnsFailures: 10_000,
  /** Addresses of one name that a connection may try. */
  dnsAddresses: 16,
  /** How much later than due a delivery may show up before it counts as seen to by another process. */
  deliveryOverdueMs: 60_000,
  /** Recoveries at work at once, and deliveries each queues in a second: what happens now goes through the same queue. */
  recoveriesAtOnce: 4,
  recoveryPerSecond: 500,
  /** A recovery looks this far past its request: by then every process matches by the definitions it was asked under. */
  recoverySeamMs: 5_000,
  /** How long the broker may take for what a request asks of a webhook's deliveries, some thirty looks at the log; then 503. */
  webhookOperationMs: 5_000,
  /** How often the progress of a recovery is stored; what is queued again after a crash is known by its ids. */
  recoveryProgressMs: 1_000,
  /** Response body bytes read from a webhook receiver. */
  deliveryResponseBytes: 4 * 1024,

  /** How long a stopping server waits for requests in flight: a command's deadline and grace, within the whole stop. */
  serverCloseMs: 6_500,
  /** Time for the service's graceful stop. The documented 10 s also cover the processes that stop after it. */
  shutdownMs: 8_500,

  /** A nats-server release archive; today's is 7 MiB. */
  natsArchiveBytes: 64 * 1024 * 1024,
  /** How long an operator's command waits for the broker before it gives up. */
  cliConnectMs: 10_000,
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
