import type { PurchaseReceipt } from './receipt.ts';
import type { JsonText } from '../../kernel/text/json.ts';
import type { ComputedValue } from '../documents/computed.ts';
import type { Draw, FlagReason } from '../facts/flag-reason.ts';
import type { CallerKind, Environment } from '../documents/scope.ts';
import type { DeviceInfo } from '../state/device.ts';
import type { PlayedWith } from '../state/device.ts';
import type { LifecycleStage } from './lifecycle-stages.ts';
import type { AbsorbedGuest } from '../merge/merged.ts';
import type { PlayerList } from '../documents/player-lists.ts';

/** The fields of a player for analysts, webhooks and callers. Times are epoch milliseconds, money ten-thousandths. */
export interface PlayerView {
  id: string;
  externalId: string;
  deviceId: string | null;
  email: string | null;
  lifecycleStage: LifecycleStage;
  sessionCount: number;
  totalRevenue: number;
  isPayer: boolean;
  /** Somebody's own player for trying things out: no figure counts it. */
  isTestPlayer: boolean;
  firstSeenAt: number;
  /** `NEVER_SEEN`: the player was imported without its last time, and was not active since. */
  lastSeenAt: number;
  attributes: JsonText;
}

/** The API's name of `isTestPlayer`, as `PlayerUpdated.changed` holds it. */
export const TEST_PLAYER_FIELD = 'is_test_player';

/** The ledger that counts a game's and environment's test players, one in each partition. */
export function testersLedgerOf(game: string, environment: Environment): string {
  return `ledger:testers:${game}/${environment}`;
}

/** `lastSeenAt` of a player whose activity nobody saw. Its stage and churn risk do not change until it is active. */
export const NEVER_SEEN = 0;

/** A caller-supplied event id and its result, oldest first in `PlayerState.recentEvents`. */
export interface RecentEvent {
  eventId: string;
  eventName: string;
  timestamp: number;
  receivedAt: number;
  /** The event is quarantined and not released. */
  quarantined?: true;
  /** Client and server keys have separate ids. Without it, the id matches both kinds. */
  by?: CallerKind;
}

/** Blocks of older events by kind of API key, the oldest first (`actors/events/event-block.ts`). */
export interface OlderEvents {
  client: readonly Uint8Array[];
  server: readonly Uint8Array[];
}

export const NO_OLDER_EVENTS: OlderEvents = { client: [], server: [] };

/** The released numbers of a player's quarantined events. Exact regardless of age. */
export interface QuarantineTally {
  /** The number of the latest one; 0: none. */
  last: number;
  /** Ranges of numbers, both ends included, ascending, with a gap between any two. */
  released: readonly { from: number; to: number }[];
}

/** The tally of a guest that was merged into this player. */
export interface GuestQuarantine extends QuarantineTally {
  playerId: string;
}

export const NO_QUARANTINE: QuarantineTally = { last: 0, released: [] };

/** Counts of one event name by UTC day: `counts[0]` on `day`, `counts[1]` the day before, and so on, at most 30. */
export interface EventCounter {
  name: string;
  /** Days since the Unix epoch, UTC. */
  day: number;
  counts: readonly number[];
}

/** A segment the player is in. */
export interface SegmentMembership {
  segmentId: string;
  /** The key at entry, so that a removed segment still has a name. */
  segmentKey: string;
  since: number;
}

/** An override: a flag value set for one player. */
export interface FlagOverride {
  flagKey: string;
  value: JsonText;
}

/** The result of a flag that a session has received: `enabled` unless the flag is off or serves false or null. */
export interface SeenFlag {
  flagKey: string;
  enabled: boolean;
  variant: string | null;
  /** Identifies the reason and the value (`session-flags.ts`). */
  mark: string;
}

/** An open session, begun by an init. Times are epoch milliseconds. */
export interface OpenSession extends PlayedWith {
  sessionId: string;
  openedAt: number;
  /** The latest init or sync. */
  lastCallAt: number;
  /** The session expires this long after its last call. */
  ttlMs: number;
  /** The flags that the init requested; `null`: all flags. */
  flagKeys: readonly string[] | null;
  flags: readonly SeenFlag[];
  /** The number of events accepted by its syncs and its end. */
  eventCount: number;
  /** In the order of unlocking, without repeats. */
  achievements: readonly string[];
  interventionsShown: number;
  interventionsClicked: number;
}

/** Play time of a player by UTC day: index 0 is `day`, 1 the day before, and so on, at most 28. */
export interface DailyActivity {
  /** Days since the Unix epoch, UTC. */
  day: number;
  sessions: readonly number[];
  playtimeSeconds: readonly number[];
}

export const NO_ACTIVITY: DailyActivity = { day: 0, sessions: [], playtimeSeconds: [] };

/** A recorded session and its reply, kept because the request can repeat at any time. */
export interface RecordedSession {
  /** Of the caller's `session_id`. */
  digest: string;
  sessionCount: number;
  totalPlaytimeSeconds: number;
}

/** A purchase with a `transaction_id`, and its reply. */
export interface RecordedPurchase {
  /** Of the caller's `transaction_id`. */
  digest: string;
  amount: number;
  totalRevenue: number;
  purchaseCount: number;
  /** What was refunded of `amount`. Absent: nothing. */
  refunded?: number;
  /** Present if `amount` was converted; `refunded` as above. */
  paid?: Paid & { refunded?: number };
  /** Present if a client key recorded it and nothing was refunded: a server key then replaces the purchase. */
  byClient?: true;
  /** What the store said of its receipt. Absent: it has none. */
  receipt?: PurchaseReceipt;
  /** Present if it adds nothing to the totals: it waits for its verification, or was rejected. */
  uncounted?: true;
  /** What a correction and a refund repeat. Absent for all but the newest (`PURCHASE_LIMITS.detailedPurchases`). */
  details?: PurchaseDetails;
}

/** What a player paid in another currency than the game's, in ten-thousandths, and the rate that made it `amount`. */
export interface Paid {
  amount: number;
  /** ISO 4217. */
  currency: string;
  rate: number;
}

/** The part of it that a refund paid back, and what remains. */
export interface PaidBack {
  amount: number;
  remaining: number;
  currency: string;
}

/** The fields of a purchase, and its time (epoch milliseconds). */
export interface PurchaseDetails {
  at: number;
  currency: string | null;
  productId: string | null;
}

/** A refund with a `refund_id`, and its reply. */
export interface RecordedRefund {
  /** Of the caller's `refund_id`. */
  digest: string;
  /** The digest of the purchase's `transaction_id`. */
  transaction: string;
  amount: number;
  remaining: number;
  totalRevenue: number;
  purchaseCount: number;
  /** Present if the purchase was converted. */
  paid?: PaidBack;
}

/** An intervention of a campaign, to be shown in the game. Times are epoch milliseconds, 0: not yet. */
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
  /** When the client told that the player saw it. From then on only a click or a dismissal can follow. */
  shownAt: number;
  /** The variant that the player was drawn for. Absent: the campaign had none. */
  variant?: string;
}

/** A player's counts for one campaign. Days are UTC, since the Unix epoch. */
export interface CampaignTally {
  campaignId: string;
  /** The total of interventions that were created. */
  total: number;
  /** How many of them the player saw. One that was delivered as often as allowed counts as seen, also unreported. */
  shown: number;
  /** The day of the latest intervention, and the count of that day. */
  day: number;
  today: number;
  /** Epoch milliseconds of the latest one; 0: none. */
  lastAt: number;
  /** The latest recorded suppression, epoch milliseconds, and the reasons of that UTC day: one bit each. */
  suppressedAt: number;
  suppressed: number;
}

/** The last result that a flag served a player. An event with its `flag_key` counts as its exposure. */
export interface ServedFlag extends Draw {
  flagKey: string;
  /** The version and period that first served this result. In an experiment the period is the phase of `trial`. */
  flagVersion: number;
  period: number;
  variantKey: string | null;
  /** `null`: too long to store; the definition holds it. */
  value: JsonText | null;
  reason: FlagReason;
  /** With `segment_match`. */
  segmentId?: string;
  /** Changes within the period. At `LIMITS.servedChanges` recording stops, and the other fields may be outdated. */
  changes: number;
  /** Whether the player was served two variants in this period. */
  mixed: boolean;
  /** Other variants served before, the latest last. */
  earlier: readonly ServedVariant[];
}

/** A variant that a flag served a player earlier. */
export interface ServedVariant extends Draw {
  /** For boolean flags, which have no variants, the value: `true` or `false`. */
  variant: string;
  flagVersion: number;
  period: number;
  reason: FlagReason;
}

/** The player saw this variant of a flag in this period. */
export interface FlagExposure {
  flagKey: string;
  flagVersion: number;
  period: number;
  /** For boolean flags, which have no variants, the value: `true` or `false`. */
  variantKey: string | null;
  /** Whether it was drawn, so that the player counts in results. */
  drawn: boolean;
  /** The key of the experiment that served it; `period` is its phase then. */
  experiment?: string;
}

/** The complete state of one player, without its Idempotency-Keys. */
export interface PlayerFields extends PlayerView {
  kind: 'player';
  game: string;
  environment: Environment;
  lifecycleChangedAt: number;
  purchaseCount: number;
  totalPlaytimeSeconds: number;
  /** The `country` attribute if it is a string, else ''. Every event row includes it. */
  country: string;
  recentEvents: readonly RecentEvent[];
  /** Absent without any. */
  olderEvents?: OlderEvents;
  /** Most recently counted first. */
  counters: readonly EventCounter[];
  device: DeviceInfo | null;
  /** In order of the segments' ids. */
  segments: readonly SegmentMembership[];
  /** In order of the segments' ids. Absent without any. */
  lists?: readonly PlayerList[];
  /** When a membership may change by time alone, epoch milliseconds; 0: never. */
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
  /** Oldest first. Absent without any. */
  recordedRefunds?: readonly RecordedRefund[];
  /** Sessions since the stage last changed. */
  sessionsInStage: number;
  /** Oldest first. */
  interventions: readonly PendingIntervention[];
  /** The least recently changed first. */
  campaignTallies: readonly CampaignTally[];
  /** No later than the next timed change of stage or churn risk, epoch milliseconds; 0: never. */
  lifecycleDueAt: number;
  /** Whether the latest evaluation found a high churn risk. */
  churnHigh: boolean;
  quarantine: QuarantineTally;
  /** Of guests that were merged into it. Absent: none. */
  guestQuarantines?: readonly GuestQuarantine[];
  /** FACTS sequence of its registration after an erasure: earlier events are not its own. Absent: never erased. */
  bornSeq?: number;
  /** Computed properties with a value. Absent: none. */
  computed?: readonly ComputedValue[];
  /** The guests that were merged into it, the oldest first. Absent: none. */
  absorbed?: readonly AbsorbedGuest[];
  /** Merges that it will not take part in: they were cancelled or taken back. The latest last. Absent: none. */
  refused?: readonly string[];
  /** FACTS sequence of the last record that touched this player; records at or below it are not applied again. */
  lastSeq: number;
}
