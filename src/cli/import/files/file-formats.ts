import { jsonText } from '../../../../core/kernel/text/json.ts';
import { PURCHASE_EVENT, REFUND_EVENT, SESSION_EVENT } from '../../../../core/vocabulary/service-events.ts';
import { isEmail } from '../../../../core/kernel/text/email.ts';
import { isBrokenId } from '../../../../core/kernel/text/broken-id.ts';
import { PLAYER_API_LIMITS } from '../../../api/players/limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import type { ImportItem } from '../../../../core/vocabulary/commands/import.ts';
import { NEVER_SEEN } from '../../../../core/vocabulary/state/player.ts';
import {
  AMPLITUDE_DEVICE,
  type DeviceFields,
  deviceOf,
  GAME_ANALYTICS_DEVICE,
  NATIVE_DEVICE,
  POSTHOG_DEVICE,
} from './device-fields.ts';
import {
  documentOf,
  type Fields,
  LineFault,
  type LineNotes,
  optionalText,
  optionalTime,
  requiredId,
  requiredText,
  requiredTime,
} from './line-fields.ts';
import { type ExchangeOf, moneyLineOf, recordedPurchaseOf, recordedRefundOf } from './purchase-lines.ts';

/*
 * What the lines of a file say, by the product that exported it. A format reads the fields of one line, and throws
 * `LineFault` for one that cannot be imported.
 */

/** A line without what the file as a whole gives it. Without an `eventId`, the id follows from file and line. */
export type HistoryLine = Omit<ImportItem, 'line' | 'playerId' | 'event'> & {
  event?: Omit<NonNullable<ImportItem['event']>, 'eventId'> & { eventId: string | undefined };
};

export interface FileFormat {
  /** The columns that CSV must have, and those that it may have; `undefined`: any others, which are left out. */
  required: readonly string[];
  optional: readonly string[] | undefined;
  /** JSON Pointers of the objects whose values are imported: faults elsewhere in the line do not matter. */
  documents: readonly string[];
  read(fields: Fields, nowMs: number, notes: LineNotes, exchangeOf: ExchangeOf): HistoryLine;
}

export type ImportKind = 'events' | 'players' | 'purchases';
export const IMPORT_KINDS = ['events', 'players', 'purchases'] as const satisfies readonly ImportKind[];
export type ImportSource = 'native' | 'posthog' | 'amplitude' | 'gameanalytics';
export const IMPORT_SOURCES = [
  'native',
  'posthog',
  'amplitude',
  'gameanalytics',
] as const satisfies readonly ImportSource[];

const eventName = (fields: Fields, name: string): string => requiredText(fields, name, TEXT_LIMITS.nameLength);
const playerName = (fields: Fields, name: string): string => requiredId(fields, name, TEXT_LIMITS.externalIdLength);
/** An id that is none is absent, as in the API. */
function ownId(fields: Fields, name: string, maxLength: number = TEXT_LIMITS.callerIdLength): string | undefined {
  const id = optionalText(fields, name, maxLength);
  return id === undefined || isBrokenId(id) ? undefined : id;
}

/** The columns of `export events`. Those that the service makes itself are left out. */
const EXPORTED = ['player_id', 'game_id', 'environment', 'received_at', 'lifecycle_stage', 'is_payer'];
const nativeEvents: FileFormat = {
  required: ['external_id', 'event_name', 'timestamp'],
  optional: ['event_id', 'properties', 'session_id', 'source', ...Object.values(NATIVE_DEVICE), ...EXPORTED],
  documents: ['/properties'],
  read(fields, nowMs, notes) {
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
    if (name === SESSION_EVENT) line.session = sessionOf({ ...fields, ...parsed(properties) }, NATIVE_SESSION);
    if (name === PURCHASE_EVENT) line.purchase = recordedPurchaseOf(parsed(properties));
    if (name === REFUND_EVENT) line.refund = recordedRefundOf(parsed(properties));
    return line;
  },
};

const nativePurchases: FileFormat = {
  required: ['external_id', 'amount', 'timestamp'],
  optional: ['currency', 'product_id', 'transaction_id', 'refund_id', ...Object.values(NATIVE_DEVICE)],
  documents: [],
  read(fields, nowMs, _notes, exchangeOf) {
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
  read(fields, nowMs, notes) {
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

/** PostHog's batch exports and queries of `events`. */
const posthogEvents: FileFormat = {
  required: ['event', 'distinct_id', 'timestamp'],
  optional: undefined,
  documents: ['/properties'],
  read(fields, nowMs, notes) {
    const properties = documentOf(fields, 'properties', notes);
    const named = properties.includes('"$') ? parsed(properties) : {};
    return {
      externalId: playerName(fields, 'distinct_id'),
      at: requiredTime(fields, 'timestamp', nowMs),
      event: {
        eventId: ownId(fields, 'uuid'),
        eventName: eventName(fields, 'event'),
        properties,
        sessionId: ownId(named, '$session_id') ?? null,
        ...deviceOf(named, POSTHOG_DEVICE),
      },
    };
  },
};

const AMPLITUDE_IDS = ['user_id', 'device_id'] as const;

/** Amplitude's Export API. Without a user id, the player is known by its device. */
const amplitudeEvents: FileFormat = {
  required: ['event_type', 'event_time'],
  optional: undefined,
  documents: ['/event_properties'],
  read(fields, nowMs, notes) {
    const idField = AMPLITUDE_IDS.find(
      (name) => optionalText(fields, name, TEXT_LIMITS.externalIdLength) !== undefined,
    );
    if (idField === undefined) throw new LineFault('`user_id` and `device_id` are missing.');
    const sessionId = ownId(fields, 'session_id');
    return {
      externalId: playerName(fields, idField),
      at: requiredTime(fields, 'event_time', nowMs),
      event: {
        eventId: ownId(fields, 'uuid') ?? ownId(fields, '$insert_id'),
        eventName: eventName(fields, 'event_type'),
        properties: documentOf(fields, 'event_properties', notes),
        // Amplitude has -1 for events outside of sessions.
        sessionId: sessionId === undefined || sessionId === '-1' ? null : sessionId,
        ...deviceOf(fields, AMPLITUDE_DEVICE),
      },
    };
  },
};

/** GameAnalytics' data export: a wrapper with the event in `data`. Its times are seconds. */
const gameAnalyticsEvents: FileFormat = {
  required: ['data'],
  optional: undefined,
  documents: ['/data'],
  read(fields, nowMs, notes) {
    const text = documentOf(fields, 'data', notes);
    const data = parsed(text);
    const category = requiredText(data, 'category', TEXT_LIMITS.nameLength);
    const { user_id: _, client_ts: __, ...properties } = data;
    const line: HistoryLine = {
      externalId: playerName(data, 'user_id'),
      at: requiredTime(data, 'client_ts', nowMs),
      event: {
        eventId: ownId(data, 'event_uuid'),
        eventName: category === 'design' ? eventName(data, 'event_id') : category,
        properties: jsonText(properties),
        sessionId: ownId(data, 'session_id') ?? null,
        ...deviceOf(data, GAME_ANALYTICS_DEVICE),
      },
    };
    if (category === 'session_end' && line.event?.sessionId !== null)
      line.session = sessionOf(data, GAME_ANALYTICS_SESSION);
    return line;
  },
};

const FORMATS: Readonly<Record<ImportSource, Partial<Record<ImportKind, FileFormat>>>> = {
  native: { events: nativeEvents, players: nativePlayers, purchases: nativePurchases },
  posthog: { events: posthogEvents },
  amplitude: { events: amplitudeEvents },
  gameanalytics: { events: gameAnalyticsEvents },
};

/** `undefined`: there is no such export. */
export function fileFormat(source: ImportSource, kind: ImportKind): FileFormat | undefined {
  return FORMATS[source][kind];
}

function parsed(document: string): Fields {
  const fields: Fields = JSON.parse(document);
  return fields;
}

/** What products call the length of a session, and its device. */
interface SessionFields {
  length: string;
  device: DeviceFields;
}
const NATIVE_SESSION: SessionFields = { length: 'duration_seconds', device: NATIVE_DEVICE };
const GAME_ANALYTICS_SESSION: SessionFields = { length: 'length', device: GAME_ANALYTICS_DEVICE };

function sessionOf(fields: Fields, { length, device }: SessionFields): NonNullable<ImportItem['session']> {
  const sent = fields[length];
  // Whole: the rows hold no fractions, and totals of a player must equal the sum of them.
  const isNumber = typeof sent === 'number' || (typeof sent === 'string' && /^[\d.]{1,10}$/.test(sent));
  const durationSeconds = isNumber ? Math.round(Number(sent)) : Number.NaN;
  if (!(durationSeconds >= 0 && durationSeconds <= PLAYER_API_LIMITS.recordedSessionSeconds)) {
    throw new LineFault(`\`${length}\` must be from 0 to ${PLAYER_API_LIMITS.recordedSessionSeconds} seconds.`);
  }
  return {
    sessionId: requiredId(fields, 'session_id', TEXT_LIMITS.callerIdLength),
    durationSeconds,
    ...deviceOf(fields, device).playedWith,
  };
}
