import { Packr, RESET_BUFFER_MODE, Unpackr } from 'msgpackr';
import type { Command, Query, ReceivedCommand } from '../vocabulary/commands/commands.ts';
import type { AddressedReply } from '../vocabulary/commands/replies.ts';
import type { EventTracked } from '../vocabulary/facts/event-tracked.ts';
import type { EntityState } from '../vocabulary/state/state.ts';
import type { StateHead, StateOutline } from '../vocabulary/state/state-outline.ts';
import {
  commandFromTuple,
  commandToTuple,
  receivedFromTuple,
  unreadableMessage,
  type CommandTuple,
} from './messages/command-layout.ts';
import { commitFromTuple, commitToTuple, eventsFromTuple, type CommitTuple } from './messages/commit-layout.ts';
import type { AuditEntry } from '../vocabulary/records/audit-entry.ts';
import type { DeliveryRecord } from '../vocabulary/records/delivery-record.ts';
import type { ModelReference } from '../vocabulary/records/model-reference.ts';
import type { ScoreRecord } from '../vocabulary/records/score-record.ts';
import type { WebhookDisabling } from '../vocabulary/records/webhook-disabling.ts';
import { deliveryFromTuple, deliveryToTuple, type DeliveryTuple } from './messages/delivery-layout.ts';
import { addressedFromTuple, addressedToTuple, type ReplyTuple } from './messages/reply-layout.ts';
import { scoreFromTuple, scoreToTuple, type ScoreTuple } from './messages/score-layout.ts';
import { stateFromTuple, stateToTuple, type StateTuple } from './state/state-layout.ts';
import { withWholeBundles } from './string-bundles.ts';
import { readConditionPlayer } from './state/condition-player.ts';
import { readStateHead, readStateOutline } from './state/state-outline.ts';
import { UnknownVersionError } from './unknown-version.ts';
import type { CommitRecord } from '../vocabulary/facts/commit-record.ts';

/**
 * The format of messages between our processes and of records in the log: one version byte, then MessagePack. Each
 * message can be decoded alone. Frequent kinds have a layout by position (`wire/`); the others are objects whose shape
 * is stored once in each message. Records of every released version stay readable; test/fixtures/codec holds one of
 * each.
 */
const VERSION = 1;

// Bundled strings: reading costs a third, writing two thirds of the time without.
const OPTIONS = { useRecords: true, bundleStrings: true, moreTypes: false } as const;
const packr = new Packr({ ...OPTIONS, encodeUndefinedAsNil: false });
const plainPackr = new Packr({ ...OPTIONS, bundleStrings: false, encodeUndefinedAsNil: false });
const unpackr = new Unpackr(OPTIONS);

function encode(value: unknown): Uint8Array {
  // The packer writes over its own memory each time: fresh memory for large messages took longer than writing them.
  const body = withWholeBundles(packr.pack(value, RESET_BUFFER_MODE)) ?? plainPackr.pack(value);
  const bytes = Buffer.allocUnsafe(body.length + 1);
  bytes[0] = VERSION;
  bytes.set(body, 1);
  return bytes;
}

/**
 * Trusts our own encoders: the gateway validates input, and only this service writes the log. `T` states that trust in
 * one place.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it names the type that the caller encoded
function decode<T>(bytes: Uint8Array): T {
  if (bytes[0] !== VERSION)
    throw new UnknownVersionError(`a record has version ${bytes[0]}; this program reads version ${VERSION}`);
  const body = bytes.subarray(1);
  // Until 2026-11-23 records with long texts were written with wrong lengths.
  const value: T = unpackr.unpack(withWholeBundles(body) ?? body);
  return value;
}

export const encodeCommands = (commands: readonly Command[]): Uint8Array => encode(commands.map(commandToTuple));
export const decodeCommands = (bytes: Uint8Array): Command[] => decode<CommandTuple[]>(bytes).map(commandFromTuple);

/**
 * The commands of a message as an owner receives them. A command that this program does not know, or a message that it
 * cannot decode at all, is an `UnreadableCommand`: it takes its place in the message.
 */
export function decodeReceivedCommands(bytes: Uint8Array): ReceivedCommand[] {
  try {
    return decode<CommandTuple[]>(bytes).map(receivedFromTuple);
  } catch (error) {
    return [unreadableMessage(error instanceof Error ? error.message : String(error))];
  }
}

export const encodeQueries = (queries: readonly Query[]): Uint8Array => encode(queries);
export const decodeQueries = (bytes: Uint8Array): Query[] => decode(bytes);

export const encodeReplies = (replies: readonly AddressedReply[]): Uint8Array => encode(replies.map(addressedToTuple));
export const decodeReplies = (bytes: Uint8Array): AddressedReply[] =>
  decode<ReplyTuple[]>(bytes).map(addressedFromTuple);

export const encodeCommit = (record: CommitRecord): Uint8Array => encode(commitToTuple(record));
/** Throws `UnknownVersionError` if the record holds anything that this program does not know. */
export const decodeCommit = (bytes: Uint8Array): CommitRecord => commitFromTuple(decode<CommitTuple>(bytes));

/** The events of a record with their index among all facts, also if other facts are unknown. */
export const decodeEvents = (bytes: Uint8Array): { index: number; fact: EventTracked }[] =>
  eventsFromTuple(decode<CommitTuple>(bytes));

export const encodeState = (state: EntityState): Uint8Array => encode(stateToTuple(state));
/** Kind, game and environment of an encoded state. */
export const headOfState = (bytes: Uint8Array): StateHead =>
  (bytes[0] === VERSION ? readStateHead(bytes) : undefined) ?? decodeState(bytes);
/** What the indexes of a store need of an encoded state. Throws `UnknownVersionError` as `decodeState` does. */
export const outlineOfState = (bytes: Uint8Array): StateOutline =>
  (bytes[0] === VERSION ? readStateOutline(bytes) : undefined) ?? decodeState(bytes);
/** The state as far as conditions read it (condition-player.ts). */
export const conditionsState = (bytes: Uint8Array): EntityState =>
  (bytes[0] === VERSION ? readConditionPlayer(bytes) : undefined) ?? decodeState(bytes);
export const decodeState = (bytes: Uint8Array): EntityState => stateFromTuple(decode<StateTuple>(bytes));

export const encodeScores = (records: readonly ScoreRecord[]): Uint8Array => encode(records.map(scoreToTuple));
export const decodeScores = (bytes: Uint8Array): ScoreRecord[] => decode<ScoreTuple[]>(bytes).map(scoreFromTuple);

export const encodeModelReference = (reference: ModelReference): Uint8Array => encode(reference);
export const decodeModelReference = (bytes: Uint8Array): ModelReference => decode(bytes);

export const encodeDeliveryRecords = (records: readonly DeliveryRecord[]): Uint8Array =>
  encode(records.map(deliveryToTuple));
export const decodeDeliveryRecords = (bytes: Uint8Array): DeliveryRecord[] =>
  decode<DeliveryTuple[]>(bytes).map(deliveryFromTuple);

export const encodeDisablings = (records: readonly WebhookDisabling[]): Uint8Array => encode(records);
export const decodeDisablings = (bytes: Uint8Array): WebhookDisabling[] => decode(bytes);

export const encodeAuditEntries = (entries: readonly AuditEntry[]): Uint8Array => encode(entries);
export const decodeAuditEntries = (bytes: Uint8Array): AuditEntry[] => decode(bytes);

/** JSON documents of buckets (CONFIG, OWNERS, POSITIONS): readable with any NATS tool. */
export const encodeJson = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value), 'utf8');
export const decodeJson = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString('utf8'));
