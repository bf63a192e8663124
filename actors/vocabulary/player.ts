import type { JsonText } from '../../src/kernel/json.ts';
import type { FlagReason } from './flag-reason.ts';
import type { CallerKind, Environment } from './scope.ts';
import type { DeviceInfo } from './commands.ts';

/** Stages of a player's life. */
export type LifecycleStage = 'new' | 'active' | 'at_risk' | 'churned' | 'reactivated';

/** What analysts, webhooks and callers see of a player. Times are epoch milliseconds, money ten-thousandths. */
export interface PlayerView {
  id: string;
  externalId: string;
  deviceId: string | null;
  email: string | null;
  lifecycleStage: LifecycleStage;
  sessionCount: number;
  totalRevenue: number;
  isPayer: boolean;
  firstSeenAt: number;
  lastSeenAt: number;
  attributes: JsonText;
}

/** A caller-supplied event id and the answer it got, oldest first in `PlayerState.recentEvents`. */
export interface RecentEvent {
  eventId: string;
  eventName: string;
  timestamp: number;
  receivedAt: number;
  /** It was set aside, and has not been released since. */
  quarantined?: true;
  /** Ids of client and server keys never meet; absent when the kind was not kept yet: then it meets both. */
  by?: CallerKind;
}

/** Which of a player's quarantined events were released: it stays exact however old they are. */
export interface QuarantineTally {
  /** The number of the latest one; 0: none so far. */
  last: number;
  /** Ranges of numbers, both ends included, ascending, with a gap between any two. */
  released: readonly { from: number; to: number }[];
}

export const NO_QUARANTINE: QuarantineTally = { last: 0, released: [] };

/**
 * How often a player did one thing, by UTC day: `counts[0]` on `day`, `counts[1]` the day before, and so on, at most 30.
 */
export interface EventCounter {
  name: string;
  /** Days since the Unix epoch, UTC. */
  day: number;
  counts: readonly number[];
}

/** A segment the player is in. */
export interface SegmentMembership {
  segmentId: string;
  /** As it was on entry: a segment that is no more can still be named. */
  segmentKey: string;
  since: number;
}

/** A value set for one player by hand. */
export interface FlagOverride {
  flagKey: string;
  value: JsonText;
}

/** What a session was told of a flag: `enabled` unless the flag is off or serves false or null. */
export interface SeenFlag {
  flagKey: string;
  enabled: boolean;
  variant: string | null;
}

/** A session that an init opened and nothing has closed yet. Times are epoch milliseconds. */
export interface OpenSession {
  sessionId: string;
  openedAt: number;
  /** The latest init or sync. */
  lastCallAt: number;
  /** It expires so long after its last call. */
  ttlMs: number;
  /** The flags the init asked for; `null`: all there are. */
  flagKeys: readonly string[] | null;
  flags: readonly SeenFlag[];
  /** Events accepted by its syncs and its end. */
  eventCount: number;
  /** In the order they were unlocked, each once. */
  achievements: readonly string[];
  interventionsShown: number;
  interventionsClicked: number;
}

/** How much a player played, by UTC day: index 0 is `day`, 1 the day before, and so on, at most 28. */
export interface DailyActivity {
  /** Days since the Unix epoch, UTC. */
  day: number;
  sessions: readonly number[];
  playtimeSeconds: readonly number[];
}

export const NO_ACTIVITY: DailyActivity = { day: 0, sessions: [], playtimeSeconds: [] };

/** A recorded session and what it was answered: it can come again at any time. */
export interface RecordedSession {
  /** Of the caller's `session_id`. */
  digest: string;
  sessionCount: number;
  totalPlaytimeSeconds: number;
}

/** A purchase that came with a `transaction_id`, and what it was answered. */
export interface RecordedPurchase {
  /** Of the caller's `transaction_id`. */
  digest: string;
  amount: number;
  totalRevenue: number;
  purchaseCount: number;
  /**
   * Present when a client key recorded it: then a purchase of the same transaction by a server key replaces it. `told` is
   * what the correction needs beside the amount; `null` for all but the newest (`LIMITS.correctablePurchases`).
   */
  byClient?: { told: ToldPurchase | null };
}

/** What a client key said of a purchase, and when (epoch milliseconds). */
export interface ToldPurchase {
  at: number;
  currency: string | null;
  productId: string | null;
}

/** What a campaign gave a player, to be shown in the game. Times are epoch milliseconds, 0: not yet. */
export interface PendingIntervention {
  interventionId: string;
  campaignId: string;
  /** Key and version of the campaign when it was triggered. */
  campaignKey: string;
  campaignVersion: number;
  createdAt: number;
  expiresAt: number;
  /** How often a sync delivered it, and the latest time. */
  offers: number;
  offeredAt: number;
  /** When the client said that the player saw it: from then on it only waits for a click. */
  shownAt: number;
}

/** What a player had of one campaign. Days are UTC, since the Unix epoch. */
export interface CampaignTally {
  campaignId: string;
  /** Interventions so far. */
  total: number;
  /** The day of the latest one, and how many there were on it. */
  day: number;
  today: number;
  /** Epoch milliseconds of the latest one; 0: none. */
  lastAt: number;
  /** When a suppression was noted last, epoch milliseconds, and for which reasons on that UTC day: one bit each. */
  suppressedAt: number;
  suppressed: number;
}

/** What a flag served a player last: what an event with its `flag_key` exposes. */
export interface ServedFlag {
  flagKey: string;
  /** The version and period it was first served like this. */
  flagVersion: number;
  period: number;
  variantKey: string | null;
  /** `null`: too long to keep; the definition has it. */
  value: JsonText | null;
  reason: FlagReason;
  /** With `segment_match`. */
  segmentId?: string;
  /** Changes within the period; at `LIMITS.servedChanges` nothing more is recorded, and the rest may be out of date. */
  changes: number;
  /** Whether the player was served two variants in this period. */
  mixed: boolean;
  /** Other variants served before, the latest last. */
  earlier: readonly ServedVariant[];
}

/** A variant that a flag served a player before the last one. */
export interface ServedVariant {
  /** Of a boolean flag, which has no variants, the value: `true` or `false`. */
  variant: string;
  flagVersion: number;
  period: number;
  reason: FlagReason;
}

/** The player saw this variant of a flag in this period. */
export interface FlagExposure {
  flagKey: string;
  flagVersion: number;
  /** 0 in exposures from before there were periods. */
  period: number;
  /** Of a boolean flag, which has no variants, the value: `true` or `false`. */
  variantKey: string | null;
}

/** Everything held about one player but its Idempotency-Keys. */
export interface PlayerFields extends PlayerView {
  kind: 'player';
  game: string;
  environment: Environment;
  lifecycleChangedAt: number;
  purchaseCount: number;
  totalPlaytimeSeconds: number;
  /** The `country` attribute if it is a string, else '': it stands on every event row. */
  country: string;
  recentEvents: readonly RecentEvent[];
  /** Most recently counted first. */
  counters: readonly EventCounter[];
  device: DeviceInfo | null;
  /** In order of the segments' ids. */
  segments: readonly SegmentMembership[];
  /** When a membership may change with no request at all, epoch milliseconds; 0: never. */
  segmentsDueAt: number;
  overrides: readonly FlagOverride[];
  /** Oldest first. */
  exposures: readonly FlagExposure[];
  /** In order of the flags' keys. */
  servedFlags: readonly ServedFlag[];
  /** Oldest first. */
  sessions: readonly OpenSession[];
  activity: DailyActivity;
  /** Oldest first. */
  recordedSessions: readonly RecordedSession[];
  /** Oldest first. */
  recordedPurchases: readonly RecordedPurchase[];
  /** Sessions since the stage last changed. */
  sessionsInStage: number;
  /** Oldest first. */
  interventions: readonly PendingIntervention[];
  /** The one changed longest ago first. */
  campaignTallies: readonly CampaignTally[];
  /** When stage or churn risk may change with no request at all, epoch milliseconds, or before that; 0: never. */
  lifecycleDueAt: number;
  /** Whether the player was a high churn risk when that was looked at last. */
  churnHigh: boolean;
  quarantine: QuarantineTally;
  /** FACTS sequence of the last record that touched this player; records at or below it are not applied again. */
  lastSeq: number;
}
