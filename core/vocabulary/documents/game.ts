/** A game, the unit of isolation. Stored at `gameAddress` (games.ts) under environment `_`, because it spans both. */
export interface GameDocument {
  name: string;
  /** The organisation that owns the game, for score records. */
  tenant: string;
  /** Random UUID; player ids are UUIDv5 over it. */
  namespace: string;
  createdAt: number;
  /** Counted from 1 with each change of settings. Absent: 1. */
  version?: number;
  /** Whether client keys may record purchases. Absent means true. */
  clientPurchases?: boolean;
  /** The attributes of players that client keys may set. Absent means all. */
  clientAttributes?: ClientAttributes;
  /** Whether client keys require a player token. Absent means false. */
  requirePlayerToken?: boolean;
  /** Whether changes of live flags and campaigns by people wait for a second person. Absent means false. */
  approval?: boolean;
  /** Days that such a change waits before it expires. Absent: the default (`APPROVAL_LIMITS`). */
  approvalDays?: number;
  /** Whether changes of live definitions need a reason. Absent means false. */
  changeReason?: boolean;
  /** The IANA name of the time zone in which figures count days. Absent means UTC. */
  timeZone?: string;
  /** The ISO 4217 code of the currency of amounts. Absent or empty: the game names none. */
  currency?: string;
  /** Which purchases count: all, or those whose receipts are verified. Absent means all. */
  revenue?: Revenue;
  /** Paths of properties of events that have a column of their own, each by its place. Absent: none. */
  extractedProperties?: readonly string[];
  /** The players who take part in no experiment of the game. Absent or `null`: none. */
  holdout?: Holdout | null;
  /** The stretches in which it was the same, oldest first; the latest. Absent: there was none. */
  holdoutPeriods?: readonly HoldoutPeriod[];
  /** Overrides of the defaults (`DEFAULT_THRESHOLDS`). */
  lifecycle?: Partial<LifecycleThresholds>;
}

/** A share of all players, by their ids. With the same salt a larger one has all players of a smaller one. */
export interface Holdout {
  /** 0 to 100. */
  percentage: number;
  salt: string;
}

/** A stretch in which the same players were held out. */
export interface HoldoutPeriod {
  /** Counts from 1. */
  period: number;
  /** Epoch milliseconds; `until` null: it goes on. */
  since: number;
  until: number | null;
  /** Above 0. */
  percentage: number;
}

export const REVENUES = ['all', 'verified'] as const;
export type Revenue = (typeof REVENUES)[number];

export type ClientAttributes = 'all' | 'none' | { listed: string[] };

/** The thresholds of lifecycle stages, in whole days of at least 1: no timer is due within a day of its cause. */
export interface LifecycleThresholds {
  /** Days after registration for which a player counts as new, unless it opens a second session earlier. */
  newDays: number;
  /** Days without activity after which a player is at risk. */
  atRiskDays: number;
  /** Days without activity after which it has churned; more than `atRiskDays`. */
  churnedDays: number;
  /** Sessions after the return that make a reactivated player active. */
  reactivatedSessions: number;
}
