import { PURCHASE_EVENT, REFUND_EVENT, SESSION_EVENT } from '../../../../core/vocabulary/service-events.ts';
import { isEmail } from '../../../../core/kernel/text/email.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { NEVER_SEEN } from '../../../../core/vocabulary/state/player.ts';
import { amplitudeEvents } from '../products/amplitude.ts';
import { firebaseEvents } from '../products/firebase.ts';
import { gameAnalyticsEvents } from '../products/game-analytics.ts';
import { mixpanelEvents } from '../products/mixpanel.ts';
import { posthogEvents } from '../products/posthog.ts';
import { segmentEvents } from '../products/segment.ts';
import { unityEvents } from '../products/unity.ts';
import { deviceOf, NATIVE_DEVICE } from './device-fields.ts';
import { eventName, type FileFormat, type HistoryLine, ownId } from './file-format.ts';
import {
  documentOf,
  type Fields,
  LineFault,
  optionalText,
  optionalTime,
  parsed,
  requiredId,
  requiredTime,
} from './line-fields.ts';
import { sessionOf } from './line-sessions.ts';
import { moneyLineOf, recordedPurchaseOf, recordedRefundOf } from './purchase-lines.ts';

/* The formats of this service's own files, and those of other products. */

export type ImportKind = 'events' | 'players' | 'purchases';
export const IMPORT_KINDS = ['events', 'players', 'purchases'] as const satisfies readonly ImportKind[];
export const IMPORT_SOURCES = [
  'native',
  'firebase',
  'mixpanel',
  'unity',
  'gameanalytics',
  'posthog',
  'amplitude',
  'segment',
] as const;
export type ImportSource = (typeof IMPORT_SOURCES)[number];

const playerName = (fields: Fields, name: string): string => requiredId(fields, name, TEXT_LIMITS.externalIdLength);

/** The columns of `export events`. Those that the service makes itself are left out. */
const EXPORTED = ['player_id', 'game_id', 'environment', 'received_at', 'lifecycle_stage', 'is_payer'];
const nativeEvents: FileFormat = {
  required: ['external_id', 'event_name', 'timestamp'],
  optional: ['event_id', 'properties', 'session_id', 'source', ...Object.values(NATIVE_DEVICE), ...EXPORTED],
  documents: ['/properties'],
  ids: 'player',
  read(fields, { nowMs, notes }) {
    const name = eventName(fields, 'event_name');
    const properties = documentOf(fields, 'properties', notes);
    const line: HistoryLine = {
      externalId: playerName(fields, 'external_id'),
      at: requiredTime(fields, 'timestamp', nowMs),
      event: {
        eventId: ownId(fields, 'event_id'),
        eventName: name,
        properties,
        sessionId: ownId(fields, 'session_id') ?? null,
        ...deviceOf(fields, NATIVE_DEVICE),
      },
    };
    // What another deployment of this service made of a session, a purchase or a refund counts here too.
    if (fields['source'] !== 'service') return line;
    if (name === SESSION_EVENT)
      line.session = sessionOf({ ...fields, ...parsed(properties) }, 'duration_seconds', NATIVE_DEVICE);
    if (name === PURCHASE_EVENT) line.purchase = recordedPurchaseOf(parsed(properties));
    if (name === REFUND_EVENT) line.refund = recordedRefundOf(parsed(properties));
    return line;
  },
};

const nativePurchases: FileFormat = {
  required: ['external_id', 'amount', 'timestamp'],
  optional: ['currency', 'product_id', 'transaction_id', 'refund_id', ...Object.values(NATIVE_DEVICE)],
  documents: [],
  ids: 'player',
  read(fields, { nowMs, exchangeOf }) {
    const base = { externalId: playerName(fields, 'external_id'), at: requiredTime(fields, 'timestamp', nowMs) };
    const device = deviceOf(fields, NATIVE_DEVICE);
    const { properties, ...made } = moneyLineOf(fields, (currency) => exchangeOf(currency, base.at));
    const eventName = 'refund' in made ? REFUND_EVENT : PURCHASE_EVENT;
    return { ...base, ...made, event: { eventId: undefined, eventName, properties, sessionId: null, ...device } };
  },
};

const nativePlayers: FileFormat = {
  required: ['external_id'],
  optional: ['email', 'device_id', 'attributes', 'first_seen_at', 'last_seen_at'],
  documents: ['/attributes'],
  ids: 'player',
  read(fields, { nowMs, notes }) {
    const first = optionalTime(fields, 'first_seen_at', nowMs);
    const last = optionalTime(fields, 'last_seen_at', nowMs);
    // The columns may be in either order of time. `first_seen_at` alone says nothing of the last activity.
    const seen = [first, last].filter((at) => at !== undefined);
    const deviceId = ownId(fields, 'device_id', TEXT_LIMITS.deviceIdLength);
    const email = optionalText(fields, 'email', TEXT_LIMITS.emailLength);
    if (email !== undefined && !isEmail(email)) throw new LineFault('`email` must be an e-mail address.');
    return {
      externalId: playerName(fields, 'external_id'),
      at: last === undefined ? NEVER_SEEN : Math.max(...seen),
      player: {
        ...(seen.length === 0 ? {} : { firstSeenAt: Math.min(...seen) }),
        ...(deviceId === undefined ? {} : { deviceId }),
        ...(email === undefined ? {} : { email }),
        attributes: documentOf(fields, 'attributes', notes),
      },
    };
  },
};

const FORMATS: Readonly<Record<ImportSource, Partial<Record<ImportKind, FileFormat>>>> = {
  native: { events: nativeEvents, players: nativePlayers, purchases: nativePurchases },
  firebase: { events: firebaseEvents },
  mixpanel: { events: mixpanelEvents },
  unity: { events: unityEvents },
  gameanalytics: { events: gameAnalyticsEvents },
  posthog: { events: posthogEvents },
  amplitude: { events: amplitudeEvents },
  segment: { events: segmentEvents },
};

/** `undefined`: there is no such export. */
export function fileFormat(source: ImportSource, kind: ImportKind): FileFormat | undefined {
  return FORMATS[source][kind];
}
