/**
 * Bounds of the statements that routes run in ClickHouse: event queries, experiment results, exports.
 * All of them together use at most `analyticsStatements` × 1 GiB of ClickHouse's memory for each process.
 */
export const ANALYTICS_LIMITS = {
  /**
   * Concurrent statements of one process's routes. The embedded ClickHouse gives the service 6; the sink needs some
   * too.
   */
  analyticsStatements: 2,
  /** The same for each of several processes on one machine. */
  analyticsStatementsOfMany: 1,
  /** Requests that wait for one of them, and for how long. Beyond either 503. */
  analyticsWaiting: 32,
  analyticsWaitMs: 5_000,
  /**
   * Time, memory and threads of one statement. Beyond them 503. A million players with 5 million events took 3 to 12 s.
   */
  analyticsSeconds: 30,
  analyticsMemoryBytes: 1024 * 1024 * 1024,
  analyticsThreads: 2,
  /**
   * How long the client waits for the response: `analyticsSeconds`, and `clickhouseWaitMs` for a slot in ClickHouse.
   */
  analyticsRequestMs: 45_000,
  /**
   * Bytes of properties on one page of events; the event that exceeds it is the last. Without it, 500 events of 64 KiB
   * are 32 MiB, of which several copies exist at once.
   */
  eventPageBytes: 1024 * 1024,

  /**
   * Questions of the query API that one process asks ClickHouse at once, beside `analyticsStatements`: a long one never
   * keeps pages of events waiting. All processes of a machine together use 512 MiB for each.
   */
  questionStatements: 1,
  /** Questions of one process that wait for it, and for how long: two of the longest. Beyond either 503. */
  questionsWaiting: 16,
  questionsWaitMs: 30_000,
  /** Questions of one game and environment in one process, running or waiting: others get their turn. Beyond it 429. */
  questionsOfGame: 4,
  /**
   * Time, memory and rows read of one question; beyond one of them 422. Groups and sorts use the disk beyond a quarter
   * of the memory. 10,000,000 rows take 0.1 to 6 s.
   */
  questionSeconds: 15,
  questionMemoryBytes: 512 * 1024 * 1024,
  questionRows: 500_000_000,
  /** Figures of a trend: `trendPoints` of each of `questionKeys`; 20,000 at most, about 1 MB. */
  trendPoints: 1_000,
  questionKeys: 20,
  breakdownKeys: 500,
  /** Longest range of a question: two years, so that a year can be compared with the one before. */
  questionRangeDays: 732,
  /** Conditions of a question or of a step, values of one, and characters of a value, also of one that is shown. */
  questionFilters: 8,
  questionValues: 50,
  questionValueLength: 512,
  /** Characters of all values that a question names. ClickHouse takes 1 MiB of parameters, up to 9 a character. */
  questionValueChars: 65_536,
  /** Names of events that one question measures. */
  questionNames: 20,
  /** Steps of a funnel; `windowFunnel` itself takes 32. */
  funnelSteps: 10,
  funnelWindowSeconds: 90 * 86_400,
  /** Days after the first in one retention question, and the latest of them. */
  retentionDays: 32,
  retentionLongestDay: 365,
  /** Figures of one retention answer: its JSON has 40 bytes each, and 50,000 take the process 15 ms. */
  retentionFigures: 50_000,
  /** Longest pause between two steps of a path. */
  pathSeconds: 7 * 86_400,
  /** Saved queries of a game and environment: two pages of a list. Each holds a body of at most 60 KB. */
  savedQueries: 200,
  /**
   * Answers kept until new rows come: at most this many bytes of them in one process, and for this long, as an erased
   * player's rows go without new ones. Days of `player_days` come without new rows, too, 10 s after theirs.
   */
  answersKeptBytes: 16 * 1024 * 1024,
  answersKeptMs: 60_000,
  answersOfDaysKeptMs: 10_000,

  /** Rows of an experiment's results for one group of players: four for each possible variant, with a wide margin. */
  analyticsVariantRows: 1_000,
  /**
   * Groups of players in a breakdown of results, and metrics measured at once. Together with 50 variants an answer has
   * at most 10,000 comparisons, about 2 MB.
   */
  resultsGroups: 20,
  resultsGroupsDefault: 10,
  resultsMetrics: 10,
  /**
   * Days before a period in which a player's country, platform and version are looked for. A player who is exposed
   * plays, so nearly all have them on that day; more days read more months.
   */
  resultsKnownDays: 30,
  /** Days after the first exposure in which an event may count. */
  resultsWindowDays: 90,
  /** Longest period of an experiment's results. Each request reads the events of all its months. */
  resultsSpanDays: 366,
  /**
   * Margin around a definition's creation when rows are selected by receive time: the clocks of nodes differ by less.
   */
  resultsMarginMs: 60 * 60 * 1000,
  /** A path into an event's properties: characters, and keys. */
  propertyPathLength: 256,
  propertyPathKeys: 16,

  /**
   * Names in the dictionary of events: three times as many as a game has schemas. Newest events of a name whose
   * properties are read: a few granules of each part, at most 64 MiB. The view bounds properties to 200.
   */
  dictionaryNames: 1_500,
  dictionaryEvents: 1_000,

  /** Players of one search: several screens of them. Its text: the longest of external id, device id and address. */
  foundPlayers: 100,
  foundPlayersDefault: 50,
  playerSearchLength: 256,
  /** Exposures of one player to one flag that are shown, the newest: a flag has few periods and variants. */
  exposuresOfFlag: 5,
  /** Entries on one page of a player's timeline. A page is at least as long as the entries that one fact makes. */
  timelineEntries: 200,
  timelineEntriesLeast: 10,
  timelineEntriesDefault: 50,
  /** Different faults of events that are listed, and days of events in which they are counted. */
  schemaFaults: 200,
  schemaFaultDays: 30,
  /** Hours of attempts that the health of webhooks counts: retries of one delivery end within a day. */
  webhookHealthHours: 24,
  /** Groups of attempts in its answer: kinds of events times statuses, or webhooks times outcomes. */
  webhookHealthRows: 2_000,

  /** Rows on one page of a player's export: the maximum, and the default. */
  exportRows: 1_000,
  exportRowsDefault: 500,
  /**
   * Bytes of rows on one page of an export; the row that exceeds it is the last. Without it, 1,000 events of 64 KiB
   * made 61 MiB of JSON in several copies: 16 such requests at once took a gigabyte.
   */
  exportPageBytes: 1024 * 1024,
} as const;
