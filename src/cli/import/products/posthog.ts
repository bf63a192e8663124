import { deviceOf, POSTHOG_DEVICE } from '../files/device-fields.ts';
import { eventName, type FileFormat, ownId } from '../files/file-format.ts';
import { documentOf, parsed, requiredTime } from '../files/line-fields.ts';
import {
  objectIn,
  personIn,
  playerOf,
  requiredPlayer,
  requireShape,
  sessionKey,
  surveyedSession,
  timeIn,
} from './product-fields.ts';
import { chosenPurchase, purchaseOf } from './product-money.ts';

/**
 * PostHog: rows of the events of a batch export (S3 as JSON lines, file downloads), and of queries of `events`.
 * Sources: https://posthog.com/docs/data-pipelines/batch-exports/s3 (events model),
 * https://posthog.com/docs/product-analytics/identify (`$identify`, `$create_alias`, `$merge_dangerously`).
 */
export const posthogEvents: FileFormat = {
  required: ['event', 'distinct_id', 'timestamp'],
  optional: undefined,
  documents: ['/properties'],
  ids: 'game',
  sessionLength: 'span',
  survey(fields, findings) {
    const at = timeIn(fields, 'timestamp');
    const player = personIn(fields, 'distinct_id');
    if (at === undefined || player === undefined) return;
    const properties = objectIn(fields, 'properties');
    const alias = MERGES.get(String(fields['event']));
    const before = alias === undefined ? undefined : personIn(properties, alias);
    if (before !== undefined) findings.link(before, player, at);
    const session = sessionKey(SESSIONS, ownId(properties, '$session_id'));
    if (session !== undefined) findings.session(session, at);
  },
  read(fields, context) {
    const isShape = fields['distinct_id'] !== undefined && fields['event'] !== undefined;
    requireShape(isShape, 'PostHog', 'it has no `event` and `distinct_id`', fields);
    const text = documentOf(fields, 'properties', context.notes);
    const properties = parsed(text);
    const at = requiredTime(fields, 'timestamp', context.nowMs);
    const player = playerOf(context, personIn(fields, 'distinct_id'), undefined);
    const sessionId = ownId(properties, '$session_id') ?? null;
    const device = deviceOf(properties, POSTHOG_DEVICE);
    const name = eventName(fields, 'event');
    return {
      externalId: requiredPlayer(player, fields, ['distinct_id']),
      at,
      event: { eventId: ownId(fields, 'uuid'), eventName: name, properties: text, sessionId, ...device },
      ...surveyedSession(context, sessionKey(SESSIONS, sessionId), sessionId, device.playedWith),
      ...purchaseOf(chosenPurchase(name, properties, context), context, at),
    };
  },
};

/** Ids of sessions are UUIDs, and name a session whatever the player is called in its course. */
const SESSIONS = 'session';

/** Events that tie another id to the player, and the property with that id. */
const MERGES: ReadonlyMap<string, string> = new Map([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias'],
]);
