import type { Command, Query, ReceivedCommand } from '../vocabulary/commands/commands.ts';
import type { AddressedReply } from '../vocabulary/commands/replies.ts';
import type { CommitRecord } from '../vocabulary/facts/commit-record.ts';
import type { EventTracked } from '../vocabulary/facts/event-tracked.ts';
import type { Fact } from '../vocabulary/facts/facts.ts';
import type { AuditEntry } from '../vocabulary/records/audit-entry.ts';
import type { DeliveryRecord } from '../vocabulary/records/delivery-record.ts';
import type { ModelReference } from '../vocabulary/records/model-reference.ts';
import type { ScoreRecord } from '../vocabulary/records/score-record.ts';
import type { WebhookDisabling } from '../vocabulary/records/webhook-disabling.ts';
import { decodeList, decodeValue, decodeValues, encodeFrame, encodeList, encodeValue, inParts } from './frame.ts';
import { commandFromTuple, commandToTuple, receivedFromTuple, unreadableMessage } from './messages/command-layout.ts';
import {
  commitFromTuple,
  commitToTuple,
  eventsAmong,
  factsFromWire,
  factsToWire,
  type WireFact,
} from './messages/commit-layout.ts';
import { deliveryFromTuple, deliveryToTuple } from './messages/delivery-layout.ts';
import { addressedFromTuple, addressedToTuple } from './messages/reply-layout.ts';
import { scoreFromTuple, scoreToTuple } from './messages/score-layout.ts';

/*
 * What our processes send and store: frames (`frame.ts`). Frequent kinds have a layout by position; the others are
 * objects, whose shape is stored once in each value. test/fixtures/codec holds one of each.
 */

export const encodeCommands = (commands: readonly Command[]): Uint8Array => encodeList(commands.map(commandToTuple));
export const decodeCommands = (bytes: Uint8Array): Command[] => decodeList(bytes, commandFromTuple);

/**
 * The commands of a message as an owner receives them. A command that this program does not know, or a message that it
 * cannot decode at all, is an `UnreadableCommand`: it takes its place in the message.
 */
export function decodeReceivedCommands(bytes: Uint8Array): ReceivedCommand[] {
  try {
    return decodeList(bytes, receivedFromTuple);
  } catch (error) {
    return [unreadableMessage(error instanceof Error ? error.message : String(error))];
  }
}

export const encodeQueries = (queries: readonly Query[]): Uint8Array => encodeFrame([queries]);
export const decodeQueries = (bytes: Uint8Array): Query[] => decodeValue(bytes, 0);

export const encodeReplies = (replies: readonly AddressedReply[]): Uint8Array =>
  encodeList(replies.map(addressedToTuple));
export const decodeReplies = (bytes: Uint8Array): AddressedReply[] => decodeList(bytes, addressedFromTuple);

/** Facts as values of their record's frame: encoded when they are decided, which gives the size of the record. */
export const encodeFacts = (facts: readonly Fact[]): Uint8Array[] =>
  inParts(facts).map((part) => encodeValue(factsToWire(part)));

/** @param facts the record's facts, where they are encoded already */
export function encodeCommit(record: CommitRecord, facts = encodeFacts(record.facts)): Uint8Array {
  return encodeFrame([commitToTuple(record)], facts);
}

/** Throws `UnknownVersionError` if the record holds anything that this program does not know. */
export function decodeCommit(bytes: Uint8Array): CommitRecord {
  const record = commitFromTuple(decodeValue(bytes, 0));
  for (const facts of decodeValues<readonly WireFact[]>(bytes, 1)) {
    for (const fact of factsFromWire(facts)) record.facts.push(fact);
  }
  return record;
}

/** The events of a record with their index among all facts, also if other facts are unknown. */
export function decodeEvents(bytes: Uint8Array): { index: number; fact: EventTracked }[] {
  return eventsAmong(decodeValues<readonly WireFact[]>(bytes, 1));
}

export const encodeScores = (records: readonly ScoreRecord[]): Uint8Array => encodeList(records.map(scoreToTuple));
export const decodeScores = (bytes: Uint8Array): ScoreRecord[] => decodeList(bytes, scoreFromTuple);

export const encodeModelReference = (reference: ModelReference): Uint8Array => encodeFrame([reference]);
export const decodeModelReference = (bytes: Uint8Array): ModelReference => decodeValue(bytes, 0);

export const encodeDeliveryRecords = (records: readonly DeliveryRecord[]): Uint8Array =>
  encodeList(records.map(deliveryToTuple));
export const decodeDeliveryRecords = (bytes: Uint8Array): DeliveryRecord[] => decodeList(bytes, deliveryFromTuple);

export const encodeDisablings = (records: readonly WebhookDisabling[]): Uint8Array => encodeFrame([records]);
export const decodeDisablings = (bytes: Uint8Array): WebhookDisabling[] => decodeValue(bytes, 0);

export const encodeAuditEntries = (entries: readonly AuditEntry[]): Uint8Array => encodeFrame([entries]);
export const decodeAuditEntries = (bytes: Uint8Array): AuditEntry[] => decodeValue(bytes, 0);

/** JSON documents of buckets (CONFIG, OWNERS, POSITIONS): readable with any NATS tool. */
export const encodeJson = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value), 'utf8');
export const decodeJson = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString('utf8'));
