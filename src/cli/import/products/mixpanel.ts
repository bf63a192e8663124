import { momentAt } from '../../../../core/kernel/zoned-days.ts';
import { deviceOf, NATIVE_DEVICE } from '../files/device-fields.ts';
import { eventName, type FileFormat, type LineContext } from '../files/file-format.ts';
import { documentOf, type Fields, optionalText, parsed, requiredUnixTime, unixTime } from '../files/line-fields.ts';
import { sessionOf } from '../files/line-sessions.ts';
import { idOf, objectIn, personIn, playerOf, requiredPlayer, requireShape } from './product-fields.ts';
import { chosenPurchase, purchaseOf } from './product-money.ts';

/**
 * Mixpanel: lines of the raw event export (`/api/2.0/export`).
 * Sources: https://docs.mixpanel.com/reference/raw-event-export (lines),
 * https://docs.mixpanel.com/docs/export-methods (time zones),
 * https://docs.mixpanel.com/reference/import-events (`$insert_id`, `$identify`, `$create_alias`, `$merge`).
 */
export const mixpanelEvents: FileFormat = {
  required: ['event', 'properties'],
  optional: undefined,
  documents: ['/properties'],
  ids: 'game',
  survey(fields, findings) {
    const properties = objectIn(fields, 'properties');
    const at = unixTime(properties, 'time', SECONDS);
    if (at === undefined) return;
    const [user, device] = [personIn(properties, '$user_id'), deviceIn(properties)];
    if (user !== undefined && device !== undefined) findings.link(device, user, at);
    const [id, before] = [withoutPrefix(personIn(properties, 'distinct_id')), aliasIn(fields['event'], properties)];
    const after = personIn(properties, '$identified_id') ?? user ?? id;
    if (before !== undefined && after !== undefined) findings.link(before, after, at);
    const merged = fields['event'] === '$merge' ? properties['$distinct_ids'] : undefined;
    const [one, other] = Array.isArray(merged) ? merged : [];
    if (typeof one === 'string' && typeof other === 'string') findings.link(other, one, at);
  },
  read(fields, context) {
    const sent = objectIn(fields, 'properties');
    const isShape =
      fields['event'] !== undefined && sent['time'] !== undefined && !Object.hasOwn(fields, 'distinct_id');
    requireShape(isShape, 'Mixpanel', 'it has no `event` with `properties.time`', fields);
    const { nowMs, notes, choices } = context;
    const text = documentOf({ properties: withoutBookkeeping(sent) }, 'properties', notes);
    const properties = parsed(text);
    const name = eventName(fields, 'event');
    const clockMs = requiredUnixTime(sent, 'time', SECONDS, nowMs + (choices.zone === undefined ? 0 : DAY_MS));
    const at = choices.zone === undefined ? clockMs : Math.min(momentAt(choices.zone, clockMs), nowMs);
    const device = deviceOf(
      {
        platform: sent['$os'],
        app_version: sent['$app_version_string'] ?? sent['$app_version'],
        build: sent['$app_build_number'],
        country: sent['mp_country_code'],
      },
      NATIVE_DEVICE,
    );
    const insertId = optionalText(sent, '$insert_id', LONGEST_ID);
    const eventId =
      insertId === undefined
        ? undefined
        : idOf('mixpanel', [name, sent['distinct_id'] ?? null, sent['time'], insertId]);
    return {
      externalId: requiredPlayer(playerIn(sent, context), sent, ['distinct_id', '$user_id', '$device_id']),
      at,
      event: { eventId, eventName: name, properties: text, sessionId: null, ...device },
      ...(name === SESSION && eventId !== undefined ? { session: sessionIn(sent, eventId, device.playedWith) } : {}),
      ...purchaseOf(chosenPurchase(name, properties, context), context, at),
    };
  },
};

/** With a device id on the line, a `distinct_id` that is another id is the user's. */
function playerIn(sent: Fields, context: LineContext): string | undefined {
  const [device, id] = [deviceIn(sent), withoutPrefix(personIn(sent, 'distinct_id'))];
  const user = personIn(sent, '$user_id') ?? (device === undefined || device === id ? undefined : id);
  return playerOf(context, user, device ?? id);
}

/** The event with the length of a session that Mixpanel's older mobile libraries track. */
const SESSION = '$ae_session';
const DEVICE_PREFIX = '$device:';
/** Mixpanel allows 36 characters. */
const LONGEST_ID = 256;
/** Of a millisecond: times are in seconds. */
const SECONDS = 1 / 1_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** What says who, when and how the line came, and is kept elsewhere or of no use. */
const BOOKKEEPING = new Set([
  'token',
  'time',
  'distinct_id',
  '$user_id',
  '$device_id',
  '$insert_id',
  '$mp_api_endpoint',
  '$mp_api_timestamp_ms',
  'mp_processing_time_ms',
  'mp_sent_by_lib_version',
  'mp_lib',
  '$lib_version',
  '$had_persisted_distinct_id',
  '$distinct_id_before_identity',
  '$is_reshuffled',
  'mp_country_code',
  '$app_version_string',
  '$app_version',
  '$app_build_number',
]);

function withoutBookkeeping(properties: Fields): Fields {
  const kept = Object.keys(properties).filter((name) => !BOOKKEEPING.has(name));
  return Object.fromEntries(kept.map((name) => [name, properties[name]]));
}

function withoutPrefix(id: string | undefined): string | undefined {
  return id?.startsWith(DEVICE_PREFIX) === true ? id.slice(DEVICE_PREFIX.length) : id;
}

const deviceIn = (properties: Fields): string | undefined => withoutPrefix(personIn(properties, '$device_id'));

/** The id that an event makes another name of its player. */
function aliasIn(event: unknown, properties: Fields): string | undefined {
  if (event === '$identify')
    return withoutPrefix(personIn(properties, '$anon_id') ?? personIn(properties, '$anon_distinct_id'));
  if (event === '$create_alias') return withoutPrefix(personIn(properties, 'alias'));
  return withoutPrefix(personIn(properties, '$distinct_id_before_identity'));
}

function sessionIn(sent: Fields, sessionId: string, playedWith: object | undefined) {
  const seconds = sent['$ae_session_length'] ?? 0;
  return { ...sessionOf({ session_id: sessionId, seconds }, 'seconds', NATIVE_DEVICE), ...playedWith };
}
