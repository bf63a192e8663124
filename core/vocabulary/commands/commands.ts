import type { IdempotencyClaim } from './idempotency-claim.ts';
import type { DecideReceipt, RecordPurchase, RecordSession, RefundPurchase } from './recorded.ts';
import type { FieldFault } from '../../kernel/errors.ts';
import type { JsonText } from '../../kernel/text/json.ts';
import type { ImportHistory } from './import.ts';
import type { MergeCommand } from '../merge/merge-commands.ts';
import type { ListPlayers } from '../documents/player-lists.ts';
import type { PreviewSegment } from './preview.ts';
import type { GuardrailFound } from '../documents/experiments.ts';
import type { Draw, FlagReason } from '../facts/flag-reason.ts';
import type { CallerKind, Scope } from '../documents/scope.ts';
import type { DeviceInfo, PlayedWith } from '../state/device.ts';

/** Common fields of all commands, set by the gateway. Times are epoch milliseconds. */
export interface CommandEnvelope extends Scope {
  /** Correlates the reply. A number in base 36 that the gateway counts up, so that its commands have an order. */
  requestId: string;
  /** The waiting gateway: replies go to `replies.<replyTo>`. */
  replyTo: string;
  receivedAt: number;
  /** After this time (owner's wall clock) the command is never applied. */
  deadlineAt: number;
  /** The highest CONFIG revision the gateway had seen. */
  configRevision: number;
}

/** Register a player, or update the existing one (attributes merge). */
export interface RegisterPlayer {
  kind: 'RegisterPlayer';
  playerId: string;
  externalId: string;
  deviceId?: string;
  email?: string;
  /** Merged over the stored attributes. */
  attributes?: JsonText;
  /** `If-None-Match: *`: refuse with DUPLICATE_PLAYER when the player exists. */
  createOnly: boolean;
  /** A client key never replaces an existing e-mail, and its reply holds few fields of an existing player. */
  byClientKey: boolean;
  /** A player token proves that the player sent the request. */
  isOwn?: true;
  idempotency?: IdempotencyClaim;
}

/** Change a player. `null` clears. */
export interface PatchPlayer {
  kind: 'PatchPlayer';
  playerId: string;
  deviceId?: string | null;
  email?: string | null;
  isTestPlayer?: boolean;
  /** JSON Merge Patch (RFC 7396) on the attributes. */
  attributes?: JsonText;
  idempotency?: IdempotencyClaim;
}

/** One event to track. */
export interface TrackItem {
  /** Index in the caller's batch; 0 for a single event. */
  index: number;
  playerId: string;
  eventId: string;
  /** Whether the id can repeat (caller's own, or derived from an Idempotency-Key) and so must be stored. */
  remember: boolean;
  eventName: string;
  properties: JsonText;
  sessionId: string | null;
  /** Epoch milliseconds as the caller sent it, else the time of receipt. */
  timestamp: number;
  /** Why the event is quarantined; absent for valid events. */
  quarantine?: QuarantineReason;
  /** Present for the release of a quarantined event: identifies that event. */
  release?: Release;
  /** The first schema fault of an event that is tracked nevertheless, for analysts. */
  schemaFault?: string;
  /** The device that the event itself names. Absent: that of its session, else of the player's latest init. */
  playedWith?: PlayedWith;
}

/** The schema faults of an event's properties. The gateway bounds their number and length. */
export interface QuarantineReason {
  schemaVersion: number;
  /** Paths are JSON Pointers into the properties. */
  faults: FieldFault[];
  /** Ids of further players that the event names, whose erasure deletes it too. */
  named?: string[];
}

/** Identifies a quarantined event, so that it is released once. */
export interface Release {
  /** The number in its `EventQuarantined`. */
  number: number;
  /** When it was quarantined, epoch milliseconds. */
  quarantinedAt: number;
  /** The kind of its sender; absent when unknown. */
  by?: CallerKind;
  /** The player whose number it is, if that is merged into this one: its event was quarantined before. */
  guestId?: string;
}

/** Track events of one or more players of one partition, in order. */
export interface TrackEvents {
  kind: 'TrackEvents';
  items: TrackItem[];
  /** With `ledgerId` for a batch (stored per API key), without for a single event (stored in the player). */
  idempotency?: IdempotencyClaim;
  ledgerId?: string;
}

/** First step of a batch with an Idempotency-Key: is the key new, repeated, or used with another body? */
export interface ClaimIdempotencyKey {
  kind: 'ClaimIdempotencyKey';
  ledgerId: string;
  idempotency: IdempotencyClaim;
}

/** Record what a guardrail found, once per key. */
export interface ReportGuardrail {
  kind: 'ReportGuardrail';
  ledgerId: string;
  found: GuardrailFound;
  idempotency: IdempotencyClaim;
}

/** Set one player's value of one flag; `null` removes it. */
export interface OverrideFlag {
  kind: 'OverrideFlag';
  playerId: string;
  flagKey: string;
  value: JsonText | null;
  idempotency?: IdempotencyClaim;
}

/** The result that one flag serves a player, to be stored. */
export interface ServedNow extends Draw {
  flagKey: string;
  flagVersion: number;
  period: number;
  variantKey: string | null;
  value: JsonText;
  reason: FlagReason;
  /** With `segment_match`. */
  segmentId?: string;
}

/** Store the results that flags serve a player. The owner makes this command from an evaluation. */
export interface ServeFlags {
  kind: 'ServeFlags';
  playerId: string;
  flags: ServedNow[];
}

/**
 * Record an exposure of a player to a flag. The owner makes it from an evaluation, or a server reports it. The owner
 * finds the draw of a `local` exposure by itself.
 */
export interface ExposeFlag extends Draw {
  kind: 'ExposeFlag';
  playerId: string;
  flagKey: string;
  flagVersion: number;
  /** Absent in commands older than periods. */
  period?: number;
  variantKey: string | null;
  value: JsonText;
  reason: FlagReason;
  /** With `segment_match`. */
  segmentId?: string;
  /** Present if a server evaluated the flag in its own process. An owner that does not know it records `served`. */
  attribution?: 'local';
}

/** Open a session. */
export interface InitSession {
  kind: 'InitSession';
  playerId: string;
  /** Made by the gateway (`newSessionId`). */
  sessionId: string;
  /** `null`: the request has no device, and the stored one stays. */
  device: DeviceInfo | null;
  /** The flags to evaluate, now and at every sync; `null`: all flags. */
  flagKeys: readonly string[] | null;
  /** The session expires this long after its latest call. */
  ttlMs: number;
  idempotency?: IdempotencyClaim;
}

/** Record the activity of an open session. All items have this player and this session. */
export interface SyncSession {
  kind: 'SyncSession';
  playerId: string;
  sessionId: string;
  /** In the caller's order. */
  events: TrackItem[];
  /** A merge patch of the attributes. */
  stateUpdates: JsonText | null;
  idempotency?: IdempotencyClaim;
}

/** Close an open session. All items have this player and this session. */
export interface EndSession {
  kind: 'EndSession';
  playerId: string;
  sessionId: string;
  /** As the client counted. The owner caps it at the time since the init. */
  durationSeconds: number;
  /** In the caller's order. */
  events: TrackItem[];
  idempotency?: IdempotencyClaim;
}

/** Erase a player: its state now, and then all earlier rows and queued deliveries. */
export interface ErasePlayer {
  kind: 'ErasePlayer';
  playerId: string;
  /** Of a merged player: erase this alias and the state that it keeps. Without it the reply is `moved`. */
  alias?: true;
  /** Of an account: how many guests its sender has erased. With others it fails, so that no alias is left behind. */
  guests?: number;
  idempotency?: IdempotencyClaim;
}

export type CommandBody =
  | RegisterPlayer
  | PatchPlayer
  | TrackEvents
  | ClaimIdempotencyKey
  | OverrideFlag
  | ServeFlags
  | ExposeFlag
  | RecordSession
  | RecordPurchase
  | RefundPurchase
  | DecideReceipt
  | InitSession
  | SyncSession
  | EndSession
  | ErasePlayer
  | ImportHistory
  | ListPlayers
  | ReportGuardrail
  | MergeCommand;
export interface Command extends CommandEnvelope {
  body: CommandBody;
  /** Absent in commands of the owner itself, and of gateways older than this field. */
  by?: CallerKind;
}

/**
 * A command that this program cannot decide: a newer version sent it. Its envelope is readable in every version;
 * `replyTo` is empty if the whole message cannot be decoded, and then no reply is possible.
 */
export interface UnreadableCommand extends Pick<
  CommandEnvelope,
  'requestId' | 'replyTo' | 'deadlineAt' | 'configRevision'
> {
  body: undefined;
  /** Names what is unknown, for the log. */
  reason: string;
}
export type ReceivedCommand = Command | UnreadableCommand;

/** Read a player. The owner replies to queries and stores nothing. */
export interface GetPlayer {
  kind: 'GetPlayer';
  playerId: string;
}

/** Read a player's lifecycle stage. */
export interface GetLifecycle {
  kind: 'GetLifecycle';
  playerId: string;
}

/** Evaluate a player's churn risk as of now. */
export interface GetChurnRisk {
  kind: 'GetChurnRisk';
  playerId: string;
}

/** Read whether and when a player was erased. */
export interface GetErasure {
  kind: 'GetErasure';
  playerId: string;
}

/** Read all live state of a player. */
export interface ExportPlayer {
  kind: 'ExportPlayer';
  playerId: string;
}

/** Evaluate flags for a player. */
export interface EvaluateFlags {
  kind: 'EvaluateFlags';
  playerId: string;
  /** `'all'`: every flag of the game that is not archived. */
  flagKeys: readonly string[] | 'all';
  /** The request's context as a JSON object: readable by rules, never by segments. */
  context: JsonText;
  /** Whether the served result counts as an exposure (single evaluation). */
  exposes: boolean;
  /** The external_id of a player who need not exist: an unregistered one is evaluated as if it registered now. */
  externalId?: string;
  /** Client keys learn of visible flags only. */
  by: CallerKind;
}

export type QueryBody =
  | GetPlayer
  | GetLifecycle
  | GetChurnRisk
  | GetErasure
  | ExportPlayer
  | EvaluateFlags
  | PreviewSegment;
export type Query = Omit<CommandEnvelope, 'receivedAt'> & { body: QueryBody };

/** The id of the ledger of an API key's Idempotency-Keys. Each partition that received the key has one. */
export function ledgerIdOf(apiKeyId: string): string {
  return `${LEDGER_PREFIX}${apiKeyId}`;
}

/** What the id of every ledger begins with, and no player's id. */
export const LEDGER_PREFIX = 'ledger:';
