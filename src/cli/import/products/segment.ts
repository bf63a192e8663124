import { deviceText } from '../../../api/game/device-text.ts';
import { type Message, readMessage } from '../../../api/segment-clients/segment-message.ts';
import { readTime } from '../../../api/segment-clients/segment-time.ts';
import { type FileFormat, type HistoryLine, type LineContext } from '../files/file-format.ts';
import { type Fields, LineFault, optionalTime, parsed, requiredTime } from '../files/line-fields.ts';
import { objectIn, playerOf, requireShape, sessionKey, surveyedSession } from './product-fields.ts';
import { chosenPurchase, type Money, namesOf, purchaseOf, refundOf } from './product-money.ts';

/**
 * Segment: calls in the logs of its S3 destination, and rows of its warehouses. A call means what it means if a client
 * sends it to this service: docs/segment-clients.md.
 * Sources: https://segment.com/docs/connections/storage/catalog/amazon-s3/ (files),
 * https://segment.com/docs/connections/spec/common/ (calls),
 * https://segment.com/docs/connections/storage/warehouses/schema/ (rows),
 * https://segment.com/docs/connections/spec/ecommerce/v2/ (`Order Completed`, `Order Refunded`).
 */
export const segmentEvents: FileFormat = {
  required: [],
  optional: undefined,
  documents: ['/properties', '/traits'],
  ids: 'game',
  sessionLength: 'span',
  survey(fields, findings) {
    if (!isCall(fields) && !isRow(fields)) return;
    const message = messageOf(fields, 0);
    const before = message.before ?? message.earlier;
    if (before !== undefined && message.faults.length === 0)
      findings.link(before, message.externalId, message.timestamp);
    if (message.previousUser !== undefined) findings.link(message.previousUser, message.externalId, message.timestamp);
    const session = sessionKey(message.deviceId ?? message.externalId, message.sessionId);
    if (session !== undefined) findings.session(session, message.timestamp);
  },
  read(fields, context) {
    requireShape(
      isCall(fields) || isRow(fields),
      'Segment',
      'it has neither `messageId` nor `id` and `received_at`',
      fields,
    );
    return readCall(fields, context);
  },
};

const isCall = (fields: Fields): boolean => fields['messageId'] !== undefined || fields['anonymousId'] !== undefined;
const isRow = (fields: Fields): boolean => fields['id'] !== undefined && fields['received_at'] !== undefined;

function readCall(fields: Fields, context: LineContext): HistoryLine {
  const { nowMs, notes, survey } = context;
  const call = isCall(fields) ? fields : callOfRow(fields);
  const receivedAt = optionalTime(call, 'receivedAt', nowMs);
  const message = messageOf(fields, receivedAt ?? nowMs);
  const { content } = message;
  const cut = new Set(content.faults);
  const [fault] = message.faults.filter((one) => !cut.has(one));
  if (fault !== undefined) throw new LineFault(`\`${fault.path}\` ${fault.message}.`);
  notes.cut.push(...content.faults);
  const at = requiredTime({ timestamp: timeOf(call, message, receivedAt) }, 'timestamp', nowMs);
  const { externalId, eventId, eventName, sessionId, playedWith } = message;
  const country = deviceText(objectIn(objectIn(call, 'context'), 'location')['country']);
  const key = sessionKey(message.deviceId ?? externalId, sessionId);
  return {
    externalId: playerOf({ survey }, externalId, undefined) ?? externalId,
    at,
    event: {
      eventId,
      eventName,
      properties: content.text,
      sessionId,
      ...(playedWith === undefined ? {} : { playedWith }),
      ...(country === undefined ? {} : { country }),
    },
    ...surveyedSession(context, key, sessionId, playedWith),
    ...moneyOf(message, context, at),
  };
}

/** A time that is there and cannot be read is a fault here, where live traffic takes that of its receipt. */
function timeOf(call: Fields, { timestamp }: Message, receivedAt: number | undefined): unknown {
  const sent = call['timestamp'] ?? call['originalTimestamp'];
  if (sent !== undefined && sent !== null && readTime(sent) === undefined) return sent;
  return sent === undefined && receivedAt === undefined ? undefined : timestamp;
}

function messageOf(fields: Fields, receivedAt: number): Message {
  const call = isCall(fields) ? fields : callOfRow(fields);
  const sentAt = readTime(call['sentAt']);
  return readMessage(call, undefined, { sentAt, receivedAt: readTime(call['receivedAt']) ?? receivedAt });
}

/** Columns of rows that are no properties of the call. */
const COLUMNS = new Set([
  'id',
  'user_id',
  'anonymous_id',
  'event',
  'event_text',
  'name',
  'timestamp',
  'original_timestamp',
  'received_at',
  'sent_at',
  'loaded_at',
  'uuid',
  'uuid_ts',
  '__id',
  '__loaded_at',
]);

/** The call that became a row of a warehouse. */
function callOfRow(row: Fields): Fields {
  const rest = Object.keys(row).filter((name) => !COLUMNS.has(name) && !name.startsWith('context_'));
  const properties = Object.fromEntries(
    rest
      .filter((name) => row[name] !== null && row[name] !== undefined && row[name] !== '')
      .map((name) => [name, row[name]]),
  );
  const event = row['event_text'] ?? row['event'];
  const type = event !== undefined && event !== null ? 'track' : row['name'] !== undefined ? 'screen' : 'identify';
  return {
    type,
    messageId: row['id'],
    userId: row['user_id'],
    anonymousId: row['anonymous_id'],
    event,
    name: row['name'],
    [type === 'identify' ? 'traits' : 'properties']: properties,
    timestamp: row['timestamp'],
    originalTimestamp: row['original_timestamp'],
    sentAt: row['sent_at'],
    receivedAt: row['received_at'],
    context: {
      app: { version: row['context_app_version'], build: row['context_app_build'] },
      device: { type: row['context_device_type'] },
      os: { name: row['context_os_name'] },
      sessionId: row['context_session_id'],
      location: { country: row['context_location_country'] },
    },
  };
}

function moneyOf(message: Message, context: LineContext, at: number) {
  const { type, eventName: name, content } = message;
  if (type !== 'track') return {};
  const properties = parsed(content.text);
  const chosen = chosenPurchase(name, properties, context);
  if (chosen !== undefined) return purchaseOf(chosen, context, at);
  if (name === 'Order Completed' || name === 'order_completed') return purchaseOf(orderOf(properties), context, at);
  return name === 'Order Refunded' || name === 'order_refunded' ? refundOf(orderOf(properties), context, at) : {};
}

function orderOf(properties: Fields): Money | undefined {
  const amount = properties['revenue'] ?? properties['total'] ?? properties['value'];
  return amount === undefined || amount === null ? undefined : { ...namesOf(properties), amount };
}
