/** Bounds of the query API and of saved queries. */
export const ANALYTICS_LIMITS = {
  /** Questions of one game and environment in one process, running or waiting: others get their turn. Beyond it 429. */
  questionsOfGame: 4,
  /** Figures of a trend: `trendPoints` of each of `questionKeys`; 20,000 at most, about 1 MB. */
  trendPoints: 1_000,
  questionKeys: 20,
  breakdownKeys: 500,
  /** Longest range of a question: two years, so that a year can be compared with the one before. */
  questionRangeDays: 732,
  /** Characters of all values that a question names. ClickHouse takes 1 MiB of parameters, up to 9 a character. */
  questionValueChars: 65_536,
  /** Names of events that one question measures. */
  questionNames: 20,
  /**
   * Steps of a funnel: each adds two arrays as long as the player's events. With the bits of exclusions they fill the
   * tag of an event. In any order each step holds an event, and all of them are looked at together.
   */
  funnelSteps: 10,
  funnelAnyOrderSteps: 6,
  funnelExclusions: 5,
  funnelWindowSeconds: 90 * 86_400,
  /** Days after the first in one retention question, and the latest of them. */
  retentionDays: 32,
  retentionLongestDay: 365,
  /** The latest week or month: a year of weeks. */
  retentionLongestPeriod: 52,
  /** Figures of one retention answer: its JSON has 40 bytes each, and 50,000 take the process 15 ms. */
  retentionFigures: 50_000,
  /** Longest pause between two steps of a path. */
  pathSeconds: 7 * 86_400,
  /**
   * Players behind a figure that a segment is made of: their ids are one answer of ClickHouse, 4 MB of text. Longer
   * lists are uploaded.
   */
  playersOfSegment: 100_000,
  /** Saved queries of a game and environment: two pages of a list. Each holds a body of at most 60 KB. */
  savedQueries: 200,
  /** Annotations of a game and environment: one page of a list, 600 KB at most. */
  annotations: 500,
  annotationChars: 300,
  /**
   * Answers kept until new rows come: at most this many bytes of them in one process, and for this long, as an erased
   * player's rows go without new ones. Days of `player_days` come without new rows, too, 10 s after theirs.
   */
  answersKeptBytes: 16 * 1024 * 1024,
  answersKeptMs: 60_000,
  answersOfDaysKeptMs: 10_000,
} as const;
