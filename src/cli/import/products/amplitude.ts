import { AMPLITUDE_DEVICE, deviceOf } from '../files/device-fields.ts';
import { eventName, type FileFormat, ownId } from '../files/file-format.ts';
import { documentOf, EmptyLine, type Fields, parsed, requiredTime } from '../files/line-fields.ts';
import { countryCode } from './countries.ts';
import { personIn, requiredPlayer, requireShape, sessionKey, surveyedSession, timeIn } from './product-fields.ts';
import { chosenPurchase, type Money, namesOf, purchaseOf } from './product-money.ts';

/**
 * Amplitude: lines of the Export API, of events and of merged Amplitude ids.
 * Sources: https://amplitude.com/docs/apis/analytics/export (lines, times in UTC),
 * https://amplitude.com/docs/data/destination-catalog/amazon-s3 (files of merged ids),
 * https://amplitude.com/docs/data/sources/instrument-track-revenue (`$revenue`, `$price`, `$quantity`).
 *
 * `amplitude_id` is the person: the events of a device before its user was known have the same one as those after.
 */
export const amplitudeEvents: FileFormat = {
  required: ['event_type', 'event_time'],
  optional: undefined,
  documents: ['/event_properties'],
  ids: 'game',
  sessionLength: 'span',
  survey(fields, findings) {
    const person = personKey(fields, 'amplitude_id');
    const merged = personKey(fields, 'merged_amplitude_id');
    if (merged !== undefined) {
      if (person !== undefined) findings.link(merged, person, timeIn(fields, 'merge_event_time') ?? 0);
      return;
    }
    const at = timeIn(fields, 'event_time');
    if (at === undefined) return;
    const user = personIn(fields, 'user_id');
    if (user !== undefined && person !== undefined) findings.link(person, user, at);
    const session = sessionKey(ownerOf(fields), sessionOf(fields));
    if (session !== undefined) findings.session(session, at);
  },
  read(fields, context) {
    if (fields['merged_amplitude_id'] !== undefined) throw new EmptyLine('Lines of merged ids tell who is who only.');
    requireShape(fields['event_type'] !== undefined, 'Amplitude', 'it has no `event_type`', fields);
    const { nowMs, notes, survey } = context;
    const text = documentOf(fields, 'event_properties', notes);
    const properties = parsed(text);
    const person = personKey(fields, 'amplitude_id');
    const known = person === undefined ? undefined : survey.userOf(person);
    const user = personIn(fields, 'user_id') ?? (known?.startsWith(PERSON) === true ? undefined : known);
    const at = requiredTime(fields, 'event_time', nowMs);
    const name = eventName(fields, 'event_type');
    const sessionId = sessionOf(fields);
    const device = deviceOf({ ...deviceIn(fields), country: countryCode(fields['country']) }, AMPLITUDE_DEVICE);
    const isCopy = COPIES.has(String(fields['amplitude_event_type'])) || COPIES.has(name);
    const money = chosenPurchase(name, properties, context) ?? (isCopy ? undefined : revenueOf(properties));
    return {
      externalId: requiredPlayer(user ?? personIn(fields, 'device_id'), fields, ['user_id', 'device_id']),
      at,
      event: {
        eventId: ownId(fields, 'uuid') ?? ownId(fields, '$insert_id'),
        eventName: name,
        properties: text,
        sessionId,
        ...device,
      },
      ...surveyedSession(context, sessionKey(ownerOf(fields), sessionId), sessionId, device.playedWith),
      ...purchaseOf(money, context, at),
    };
  },
};

const PERSON = 'amplitude_id ';

/** The person, as an id that no user has. */
function personKey(fields: Fields, name: string): string | undefined {
  const id = fields[name];
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? `${PERSON}${id}` : undefined;
}

const ownerOf = (fields: Fields): string | undefined => personIn(fields, 'device_id') ?? personIn(fields, 'user_id');

/** Amplitude has -1 for events outside of sessions. */
function sessionOf(fields: Fields): string | null {
  const id = ownId(fields, 'session_id');
  return id === undefined || id === '-1' ? null : id;
}

function deviceIn({ platform, version_name: version }: Fields): Fields {
  return { platform, version_name: version };
}

/** What Amplitude itself adds when it has verified a purchase: the event of the purchase is there too. */
const COPIES: ReadonlySet<string> = new Set(['verified_revenue', 'unverified_revenue']);

function revenueOf(properties: Fields): Money | undefined {
  const { $revenue: revenue, $price: price, $quantity: quantity = 1 } = properties;
  const amount = revenue ?? (typeof price === 'number' ? price * Number(quantity) : undefined);
  return amount === undefined ? undefined : { ...namesOf(properties), amount };
}
