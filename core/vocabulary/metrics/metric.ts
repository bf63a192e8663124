/* What the declarations of metrics and dimensions say. */

/**
 * The rows that a metric counts. `player_days`: a row for each player and day of activity. `first_days`: the first of
 * them of each player, by the time of the first activity.
 */
export type Source = 'events' | 'sessions' | 'purchases' | 'player_days' | 'first_days';

/** How a figure is shown. `money` is in the game's currency, `share` from 0 to 1. */
export const UNITS = ['count', 'money', 'seconds', 'share', 'number'] as const;
export type Unit = (typeof UNITS)[number];

interface Described {
  readonly title: string;
  /** One or two sentences: which rows or players count, and by which time. */
  readonly words: string;
  readonly unit: Unit;
}

/** A figure of the rows of one source. */
export interface Measure extends Described {
  readonly source: Source;
  /** Whether the figures of days, or of parts, add up to the figure of all. */
  readonly addsUp: boolean;
  /** Whether it is a number of players, each counted once in an interval. */
  readonly countsPlayers?: true;
  /** Whether it is of a property of events. */
  readonly ofProperty?: true;
  /** Whether it is not known of a part of a day. */
  readonly onlyWhole?: true;
  /** The days that end with the day of the figure, if these are more than one. It has a figure for each day only. */
  readonly windowDays?: number;
  /** Why there is no figure without rows; absent: it is 0. */
  readonly nullWithout?: string;
}

/** One figure divided by another. */
export interface Ratio extends Described {
  readonly numerator: string;
  readonly denominator: string;
  readonly nullWithout: string;
}

/** A value by which figures are split and filtered. */
export interface Dimension {
  readonly title: string;
  readonly words: string;
  /** The sources whose rows have it. */
  readonly sources: readonly Source[];
}
