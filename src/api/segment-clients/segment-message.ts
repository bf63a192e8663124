import { hash } from 'node:crypto';
import { jsonText } from '../../../core/kernel/text/json.ts';
import { isBrokenId, isPlaceholderId } from '../../../core/kernel/text/broken-id.ts';
import { isEmail } from '../../../core/kernel/text/email.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import { SEGMENT_CLIENT_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { isEmptyList, isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import { fitDocument, fitText, isAbsent, type Fitted } from './fit-document.ts';
import type { PlayedWith } from '../../../core/vocabulary/state/device.ts';
import { deviceOf } from './segment-device.ts';
import { timeOf, type Batch } from './segment-time.ts';
import { withoutSecrets } from './without-secrets.ts';

/*
 * Reads messages of Segment's protocol. docs/segment-clients.md describes the mapping.
 *
 * Invariants
 * 1. Every JSON value is read, and the same one always in the same way: a repeat finds the same player and event id.
 * 2. A message with a fault keeps what could be read of it, for the quarantine.
 */

export const MESSAGE_TYPES = ['track', 'identify', 'page', 'screen', 'group', 'alias'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** A message as this service understands it. */
export interface Message {
  /** `other`: an unknown type. */
  type: MessageType | 'other';
  /** The player's external_id. */
  externalId: string;
  /** The sender's anonymous id, if it can be a device_id. */
  deviceId: string | undefined;
  /** Of an identify or alias: the external_id of the anonymous player that this player was before. */
  before: string | undefined;
  /**
   * The external_id of the anonymous player under which the sender may have sent the message before:
   * `@segment/analytics-next` adds the user to events that it repeats after an identify.
   */
  earlier: string | undefined;
  /** Undefined if the sender gave none: then repeats are not recognised. */
  eventId: string | undefined;
  /** Of an identify: the name under which it is quarantined. */
  eventName: string;
  /** The event's properties; of an identify, the traits. */
  content: Fitted;
  /** Of an identify: a valid e-mail address in its traits, which `content` does not hold. */
  email: string | undefined;
  sessionId: string | null;
  /** Undefined if its context names none. */
  playedWith: PlayedWith | undefined;
  /** Epoch milliseconds. */
  timestamp: number;
  /** The external_ids of the players that a faulty message names. */
  named: readonly string[];
  /** Of an alias: the external_id that the previous id would be if it named a player rather than a device. */
  previousUser: string | undefined;
  /** Why the message is quarantined. */
  faults: readonly FieldFault[];
}

/** What begins the external_id of a player that is known by an anonymous id only. */
const ANONYMOUS = 'anonymous:';
/** The external_id of the player that holds faulty messages without a user or anonymous id. */
const UNIDENTIFIED = 'segment:unidentified';

/** The name of what is kept as a whole. */
const UNREAD = 'segment_message';
const ID_FIELDS = ['userId', 'anonymousId', 'previousId', 'groupId'] as const;
const PERSON_FIELDS = ['userId', 'anonymousId', 'previousId'] as const;
const ROUNDED = 'is a number beyond 2^53; send it as a string';

/** @param path the type that the endpoint names; it takes precedence over the message's own */
export function readMessage(value: unknown, path: MessageType | undefined, batch: Batch): Message {
  const faults: FieldFault[] = [];
  const message = isPlainObject(value) ? value : {};
  if (message !== value) faults.push({ path: '', message: 'must be an object' });
  const type = path ?? typeOf(message['type']);
  if (type === 'other') faults.push({ path: '/type', message: `must be one of ${JSON.stringify(MESSAGE_TYPES)}` });
  const rounded = ID_FIELDS.filter((field) => isRounded(message[field]));
  for (const field of rounded) faults.push({ path: `/${field}`, message: ROUNDED });
  for (const field of PERSON_FIELDS) if (isPlaceholder(message[field])) faults.push(placeholderFault(field, message));
  const context = isPlainObject(message['context']) ? message['context'] : {};
  const userId = personOf(message['userId']);
  const anonymousId = personOf(message['anonymousId']);
  const isUnknown = userId === undefined && anonymousId === undefined;
  if (isUnknown && faults.length === 0) faults.push({ path: '/userId', message: 'is required, or `anonymousId`' });
  if (type === 'alias') faults.push(...aliasFaults(message, userId));
  const isNobody = isUnknown || isPlaceholder(message['userId']);
  const { name, content, email } = contentOf(type, message, context, faults);
  const isRead = message === value && type !== 'other' && rounded.length === 0;
  const kept = isRead ? content : fitDocument(withoutSecrets(message === value ? message : { value }), '');
  const device =
    anonymousId !== undefined && anonymousId.length <= TEXT_LIMITS.deviceIdLength ? anonymousId : undefined;
  const before = type === 'alias' ? personOf(message['previousId']) : type === 'identify' ? anonymousId : undefined;
  const isBoth = userId !== undefined && anonymousId !== undefined;
  const eventId = eventIdOf(message['messageId']);
  return {
    type,
    externalId: userId !== undefined ? externalId(userId, '') : isNobody ? UNIDENTIFIED : anonymousName(anonymousId),
    deviceId: device,
    before: userId !== undefined && before !== undefined ? anonymousName(before) : undefined,
    earlier: isBoth && eventId !== undefined ? anonymousName(anonymousId) : undefined,
    eventId,
    eventName: rounded.length === 0 ? name : UNREAD,
    content: kept,
    email,
    sessionId: sessionIdOf(context['sessionId']),
    playedWith: deviceOf(context),
    timestamp: timeOf(message, context, batch),
    named: faults.length === 0 ? [] : namedBy(message),
    previousUser: before !== undefined && type === 'alias' ? externalId(before, '') : undefined,
    faults: [...faults, ...kept.faults].slice(0, SHARED_LIMITS.quarantineFaults),
  };
}

/**
 * The external_ids that a faulty message names, for the erasure of these players: it may be kept under another one. A
 * number beyond 2^53 names every number that it may have been.
 */
function namedBy(message: Readonly<Record<string, unknown>>): string[] {
  const { userId, anonymousId, previousId } = message;
  const users = typeof userId === 'number' && isRounded(userId) ? roundedFrom(userId) : [personOf(userId)];
  return [
    ...users.filter((id) => id !== undefined).map((id) => externalId(id, '')),
    ...[anonymousId, previousId]
      .map(personOf)
      .filter((id) => id !== undefined)
      .map(anonymousName),
  ];
}

/** The integers that become this number when they are parsed; none if they are too many to be ids. */
function roundedFrom(rounded: number): string[] {
  const middle = BigInt(rounded);
  // Neighbours of a double differ by its last bit: 2 from 2^53 on, 4 from 2^54 on, and so on.
  const step = BigInt(2 ** Math.max(0, Math.floor(Math.log2(Math.abs(rounded))) - 52));
  if (step > SEGMENT_CLIENT_LIMITS.roundedIdsMost) return [];
  return Array.from({ length: Number(step) + 1 }, (_, place) => middle - step / 2n + BigInt(place))
    .filter((id) => Number(id) === rounded)
    .map(String);
}

interface Content {
  name: string;
  content: Fitted;
  email?: string | undefined;
}

/** The event or registration that a message stands for. */
function contentOf(
  type: Message['type'],
  message: Readonly<Record<string, unknown>>,
  context: Readonly<Record<string, unknown>>,
  faults: FieldFault[],
): Content {
  switch (type) {
    case 'track':
      return {
        name: eventNameOf(message['event'], faults),
        content: fitDocument(message['properties'], '/properties'),
      };
    case 'identify':
      return { name: type, ...traitsOf(message['traits'], context['traits']) };
    case 'page':
    case 'screen': {
      const { name, category, properties } = message;
      return { name: type, content: fitDocument(withDefaults(properties, { name, category }), '/properties') };
    }
    case 'group': {
      const { groupId, traits } = message;
      const sent = isEmptyList(traits) ? undefined : (traits ?? undefined);
      return { name: type, content: fitDocument({ group_id: idOf(groupId), traits: sent }, '') };
    }
    case 'alias': {
      const previous = personOf(message['previousId']);
      const before = previous === undefined ? undefined : anonymousName(previous);
      return { name: type, content: fitDocument({ previous_id: previous, anonymous_external_id: before }, '') };
    }
    case 'other':
      return { name: UNREAD, content: fitDocument(undefined, '') };
  }
}

function typeOf(value: unknown): Message['type'] {
  return MESSAGE_TYPES.find((type) => type === value) ?? 'other';
}

/** A number that may have been another one before it was parsed. As an id it would name another player. */
function isRounded(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** An id of any text or exact number; undefined for anything else. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'number') return isRounded(value) ? undefined : String(value);
  return typeof value === 'string' && value !== '' ? fitText(value) : undefined;
}

/** The id of a person; undefined also for what stands for a missing id. */
function personOf(value: unknown): string | undefined {
  return isPlaceholder(value) ? undefined : idOf(value);
}

/** An empty text is a missing id, as null is. */
function isPlaceholder(value: unknown): boolean {
  const id = idOf(value);
  return id !== undefined && isPlaceholderId(id);
}

/** An alias without both ids joins no players. */
function aliasFaults(message: Readonly<Record<string, unknown>>, userId: string | undefined): FieldFault[] {
  const previous = idOf(message['previousId']);
  if (userId === undefined && !isPlaceholder(message['userId']) && !isRounded(message['userId'])) {
    return [{ path: '/userId', message: 'is required: an alias ties it to `previousId`' }];
  }
  if (previous === undefined && !isRounded(message['previousId'])) {
    return [{ path: '/previousId', message: 'is required: an alias ties it to `userId`' }];
  }
  return [];
}

const SHOWN_LENGTH = 40;

function placeholderFault(field: string, message: Readonly<Record<string, unknown>>): FieldFault {
  const shown = JSON.stringify(String(message[field]).slice(0, SHOWN_LENGTH).toWellFormed());
  return {
    path: `/${field}`,
    message: `is ${shown}, which many senders write for a missing id; send the player's own`,
  };
}

/** An id of any length as an external_id. */
function externalId(id: string, prefix: string): string {
  return prefix + (prefix.length + id.length <= TEXT_LIMITS.externalIdLength ? id : digest(id));
}

function anonymousName(anonymousId: string | undefined): string {
  return externalId(anonymousId ?? '', ANONYMOUS);
}

function eventIdOf(value: unknown): string | undefined {
  const id = personOf(value);
  return id === undefined || id.length <= TEXT_LIMITS.callerIdLength ? id : digest(id);
}

function digest(text: string): string {
  return `sha256:${hash('sha256', text)}`;
}

/** RudderStack's sessions are numbers, others texts. */
function sessionIdOf(value: unknown): string | null {
  const id = isBrokenId(String(value)) ? undefined : idOf(value);
  return id === undefined || id.length > TEXT_LIMITS.callerIdLength ? null : id;
}

function eventNameOf(value: unknown, faults: FieldFault[]): string {
  const name = typeof value === 'string' ? fitText(value) : '';
  if (name !== '' && name.length <= TEXT_LIMITS.nameLength) return name;
  faults.push({ path: '/event', message: `must be a string of 1 to ${TEXT_LIMITS.nameLength} characters` });
  return name === '' ? 'track' : name.slice(0, TEXT_LIMITS.nameLength).toWellFormed();
}

/** RudderStack's clients put traits into the context. An address is kept apart, because client keys read attributes. */
function traitsOf(own: unknown, inContext: unknown): Omit<Content, 'name'> {
  const both = isPlainObject(inContext) && (isAbsent(own) || isPlainObject(own));
  const traits = both ? withDefaults(own, inContext) : own;
  const fitted = fitDocument(isPlainObject(traits) ? traits : withoutSecrets(traits), '/traits');
  const { email, ...rest } = fitted.document;
  if (email === undefined) return { content: fitted };
  const isAddress = typeof email === 'string' && email.length <= TEXT_LIMITS.emailLength && isEmail(email);
  return {
    content: { ...fitted, document: rest, text: jsonText(rest) },
    email: isAddress ? email : undefined,
  };
}

/** An object with the defaults that it lacks; other values stay as they are, to become a fault. */
function withDefaults(value: unknown, defaults: Readonly<Record<string, unknown>>): unknown {
  if (!isAbsent(value) && !isPlainObject(value)) return value;
  const merged = new Map(Object.entries(defaults).filter(([, each]) => each !== undefined && each !== null));
  for (const [name, each] of Object.entries(value ?? {})) merged.set(name, each);
  return Object.fromEntries(merged);
}
