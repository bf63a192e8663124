import type { FieldFault } from '../../src/kernel/errors.ts';
import type { JsonText } from '../../src/kernel/json.ts';
import type { FlagReason } from './flag-reason.ts';
import type { CallerKind, Scope } from './scope.ts';

/** An Idempotency-Key as a command carries it. `bodyHash` covers method, path and body. */
export interface IdempotencyClaim {
  key: string;
  bodyHash: string;
}

/** What every command carries, stamped by the gateway. Times are epoch milliseconds. */
export interface CommandEnvelope extends Scope {
  /** Correlates the reply; a number in base 36 that a gateway counts up, so that its commands have an order. */
  requestId: string;
  /** The gateway that waits: replies go to `replies.<replyTo>`. */
  replyTo: string;
  receivedAt: number;
  /** Past this moment (owner's wall clock) the command is never applied. */
  deadlineAt: number;
  /** The highest CONFIG revision the gateway had seen. */
  configRevision: number;
}

/** Register a player, or update the one already there (attributes merge). */
export interface RegisterPlayer {
  kind: 'RegisterPlayer';
  playerId: string;
  externalId: string;
  deviceId?: string;
  email?: string;
  /** Merged over what is held. */
  attributes?: JsonText;
  /** `If-None-Match: *`: refuse with DUPLICATE_PLAYER when the player exists. */
  createOnly: boolean;
  /** A client key never replaces an e-mail already held, and is answered little of a player that was there. */
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
  /** JSON Merge Patch (RFC 7396) on the attributes. */
  attributes?: JsonText;
  idempotency?: IdempotencyClaim;
}

/** One event to track. */
export interface TrackItem {
  /** Place in the caller's batch; 0 for a single event. */
  index: number;
  playerId: string;
  eventId: string;
  /** Whether the id can come again (caller's own, or derived from an Idempotency-Key) and so must be remembered. */
  remember: boolean;
  eventName: string;
  properties: JsonText;
  sessionId: string | null;
  /** Epoch milliseconds as the caller sent it, else the time of receipt. */
  timestamp: number;
  /** Why it is to be set aside; left out where nothing speaks against it. */
  quarantine?: QuarantineReason;
  /** With an event that was set aside before and is tracked after all: which one. */
  release?: Release;
  /** What its schema has against it although it is tracked, for analysts. */
  schemaFault?: string;
}

/** What the event's schema has against its properties. Bounded in number and length by the gateway. */
export interface QuarantineReason {
  schemaVersion: number;
  /** Paths are JSON Pointers into the properties. */
  faults: FieldFault[];
}

/** A quarantined event, by which it is released once. */
export interface Release {
  /** As `EventQuarantined` counted it. */
  number: number;
  /** When it was quarantined, epoch milliseconds. */
  quarantinedAt: number;
  /** Who sent it; absent when that is not known. */
  by?: CallerKind;
}

/** Track events of one or more players of one partition, in order. */
export interface TrackEvents {
  kind: 'TrackEvents';
  items: TrackItem[];
  /** With `ledgerId` for a batch (remembered per API key), without for a single event (remembered by the player). */
  idempotency?: IdempotencyClaim;
  ledgerId?: string;
}

/** First step of a batch sent with an Idempotency-Key: is this key new, the same again, or taken by another body? */
export interface ClaimIdempotencyKey {
  kind: 'ClaimIdempotencyKey';
  ledgerId: string;
  idempotency: IdempotencyClaim;
}

/** Set, or with `null` remove, what one player gets of one flag. */
export interface OverrideFlag {
  kind: 'OverrideFlag';
  playerId: string;
  flagKey: string;
  value: JsonText | null;
  idempotency?: IdempotencyClaim;
}

/** What one flag serves a player, to be remembered. */
export interface ServedNow {
  flagKey: string;
  flagVersion: number;
  period: number;
  variantKey: string | null;
  value: JsonText;
  reason: FlagReason;
  /** With `segment_match`. */
  segmentId?: string;
}

/** Remember what flags serve a player. Made by the owner itself from an evaluation. */
export interface ServeFlags {
  kind: 'ServeFlags';
  playerId: string;
  flags: ServedNow[];
}

/** Note that a player saw what a flag served. Made by the owner itself from an evaluation, or from a tracked event. */
export interface ExposeFlag {
  kind: 'ExposeFlag';
  playerId: string;
  flagKey: string;
  flagVersion: number;
  /** Absent in commands from before there were periods. */
  period?: number;
  variantKey: string | null;
  value: JsonText;
  reason: FlagReason;
  /** With `segment_match`. */
  segmentId?: string;
}

/** Record a session that was played. Times are epoch milliseconds, as the caller sent them. */
export interface RecordSession {
  kind: 'RecordSession';
  playerId: string;
  /** The caller's id, or that of an init. */
  sessionId: string;
  startedAt: number | null;
  endedAt: number | null;
  durationSeconds: number;
  /** Of the event it is tracked as. */
  eventId: string;
  idempotency?: IdempotencyClaim;
}

/** Record a purchase. `amount` is in ten-thousandths of the game's currency. */
export interface RecordPurchase {
  kind: 'RecordPurchase';
  playerId: string;
  amount: number;
  /** ISO 4217, as the caller told it. */
  currency: string | null;
  productId: string | null;
  transactionId: string | null;
  /** Of the event it is tracked as. */
  eventId: string;
  idempotency?: IdempotencyClaim;
}

/** Open a session. */
export interface InitSession {
  kind: 'InitSession';
  playerId: string;
  /** Made by the gateway (`newSessionId`). */
  sessionId: string;
  /** `null`: nothing is said of it, and what is known stays. */
  device: DeviceInfo | null;
  /** The flags to evaluate, now and at every sync; `null`: all there are. */
  flagKeys: readonly string[] | null;
  /** How long the session stays open without another call. */
  ttlMs: number;
  idempotency?: IdempotencyClaim;
}

/** Bring what happened in an open session. Every item names this player and this session. */
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

/** Close an open session. Every item names this player and this session. */
export interface EndSession {
  kind: 'EndSession';
  playerId: string;
  sessionId: string;
  /** As the client counted; never more than what passed since the init is believed. */
  durationSeconds: number;
  /** In the caller's order. */
  events: TrackItem[];
  idempotency?: IdempotencyClaim;
}

/** Erase a player: what is held now, and then every row and queued delivery of the time before. */
export interface ErasePlayer {
  kind: 'ErasePlayer';
  playerId: string;
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
  | InitSession
  | SyncSession
  | EndSession
  | ErasePlayer;
export interface Command extends CommandEnvelope {
  body: CommandBody;
  /** Absent in commands of the owner itself, and in commands of gateways from before kinds were sent. */
  by?: CallerKind;
}

/** Read a player. Queries are answered by the owner and leave no trace. */
export interface GetPlayer {
  kind: 'GetPlayer';
  playerId: string;
}

/** Read the stage of a player's life. */
export interface GetLifecycle {
  kind: 'GetLifecycle';
  playerId: string;
}

/** Say how likely a player is to leave, as of now. */
export interface GetChurnRisk {
  kind: 'GetChurnRisk';
  playerId: string;
}

/** Read whether and when a player was erased. */
export interface GetErasure {
  kind: 'GetErasure';
  playerId: string;
}

/** Read everything that is held of a player in live state. */
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
  /** The request's context as a JSON object: seen by rules, never by segments. */
  context: JsonText;
  /** Whether what is served counts as seen (single evaluation). */
  exposes: boolean;
}

export type QueryBody = GetPlayer | GetLifecycle | GetChurnRisk | GetErasure | ExportPlayer | EvaluateFlags;
export type Query = Omit<CommandEnvelope, 'receivedAt'> & { body: QueryBody };

/** The id of the ledger that remembers an API key's Idempotency-Keys; one such entity per partition that met the key. */
export function ledgerIdOf(apiKeyId: string): string {
  return `ledger:${apiKeyId}`;
}

/** What the latest init said of the device. */
export interface DeviceInfo {
  platform: string | null;
  osVersion: string | null;
  appVersion: string | null;
  deviceModel: string | null;
}
