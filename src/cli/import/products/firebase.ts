import { isPlainObject } from '../../../../core/kernel/validation/plain-object.ts';
import { deviceOf, NATIVE_DEVICE } from '../files/device-fields.ts';
import { eventName, type FileFormat, type LineContext } from '../files/file-format.ts';
import { documentOf, type Fields, requiredUnixTime, unixTime } from '../files/line-fields.ts';
import type { Findings } from '../survey/findings.ts';
import { countryCode } from './countries.ts';
import {
  idOf,
  objectIn,
  personIn,
  playerOf,
  requiredPlayer,
  requireShape,
  sessionKey,
  surveyedSession,
} from './product-fields.ts';
import { chosenPurchase, type Money, namesOf, purchaseOf, refundOf } from './product-money.ts';

/**
 * Firebase and Google Analytics 4: rows of `events_YYYYMMDD` that BigQuery exported as JSON lines.
 * Source: https://support.google.com/analytics/answer/7029846 (schema of the BigQuery export).
 *
 * BigQuery writes whole numbers as texts, and a value as one of `string_value`, `int_value`, `float_value` and
 * `double_value`. Times are microseconds.
 */
export const firebaseEvents: FileFormat = {
  required: ['event_name', 'event_timestamp'],
  optional: undefined,
  documents: ['/event_params'],
  ids: 'game',
  sessionLength: 'sum',
  survey(fields, findings) {
    const [user, instance] = [personIn(fields, 'user_id'), personIn(fields, 'user_pseudo_id')];
    const at = unixTime(fields, 'event_timestamp', MICROSECONDS);
    if (at === undefined || instance === undefined) return;
    if (user !== undefined) findings.link(instance, user, at);
    noteSession(fields, instance, at, findings);
  },
  read(fields, context) {
    const hasShape = fields['event_timestamp'] !== undefined && fields['event_name'] !== undefined;
    requireShape(hasShape, 'Firebase', 'it has no `event_timestamp` and `event_name`', fields);
    const { nowMs, notes } = context;
    const [user, instance] = [personIn(fields, 'user_id'), personIn(fields, 'user_pseudo_id')];
    const at = requiredUnixTime(fields, 'event_timestamp', MICROSECONDS, nowMs);
    const name = eventName(fields, 'event_name');
    const params = valuesOf(fields['event_params']);
    const sessionId = sessionOf(params, instance);
    const { playedWith, country } = deviceIn(fields);
    const items = fields['items'];
    const properties = Array.isArray(items) && items.length > 0 ? { ...params, items } : params;
    return {
      externalId: requiredPlayer(playerOf(context, user, instance), fields, ['user_id', 'user_pseudo_id']),
      at,
      event: {
        eventId: eventId(fields, name),
        eventName: name,
        properties: documentOf({ event_params: properties }, 'event_params', notes),
        sessionId,
        ...(playedWith === undefined ? {} : { playedWith }),
        ...(country === undefined ? {} : { country }),
      },
      ...surveyedSession(context, sessionKey(instance, sessionId), sessionId, playedWith),
      ...moneyOf(name, params, fields, context, at),
    };
  },
};

function noteSession(fields: Fields, instance: string, at: number, findings: Findings): void {
  const params = valuesOf(fields['event_params']);
  const session = sessionKey(instance, sessionOf(params, instance));
  const engaged = Number(params['engagement_time_msec'] ?? 0);
  if (session === undefined) return;
  const isEngaged = engaged > 0 && Number.isFinite(engaged);
  findings.session(
    session,
    at,
    isEngaged ? engaged : 0,
    isEngaged ? eventId(fields, digitsIn(fields, 'event_name') ?? '') : undefined,
  );
}

/** In a millisecond. */
const MICROSECONDS = 1_000;

/** Sessions are counted for each instance of the app. */
function sessionOf(params: Fields, instance: string | undefined): string | null {
  const session = params['ga_session_id'];
  if (typeof session !== 'number' && typeof session !== 'string') return null;
  return instance === undefined ? String(session) : `${instance}.${session}`.slice(0, 128);
}

/** Names with values: whole numbers that a double holds exactly become numbers. */
function valuesOf(params: unknown): Record<string, unknown> {
  const entries = (Array.isArray(params) ? params : []).flatMap((param): [string, unknown][] => {
    if (!isPlainObject(param) || typeof param['key'] !== 'string') return [];
    const value = valueOf(param['value']);
    return value === undefined ? [] : [[param['key'], value]];
  });
  return Object.fromEntries(entries);
}

function valueOf(value: unknown): unknown {
  if (!isPlainObject(value)) return undefined;
  const whole = digitsIn(value, 'int_value');
  if (whole !== null) return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
  const fraction = value['double_value'] ?? value['float_value'];
  if (fraction !== undefined && fraction !== null) return Number(fraction);
  return value['string_value'] ?? undefined;
}

/** Rows have no id of their own. Newer ones say where in which batch of which device they were. */
function eventId(fields: Fields, name: string): string {
  const batch = BATCH.map((field) => digitsIn(fields, field));
  const where = batch.some((value) => value !== null) ? batch : [JSON.stringify(fields['event_params'] ?? null)];
  return idOf('firebase', [
    fields['user_pseudo_id'] ?? fields['user_id'],
    name,
    digitsIn(fields, 'event_timestamp'),
    digitsIn(fields, 'event_bundle_sequence_id'),
    ...where,
  ]);
}

/** A whole number, which some files hold as a text. */
function digitsIn(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'number' || typeof value === 'string' ? String(value) : null;
}

const BATCH = ['batch_page_id', 'batch_ordering_id', 'batch_event_index'] as const;

function deviceIn(fields: Fields): ReturnType<typeof deviceOf> {
  const app = objectIn(fields, 'app_info');
  return deviceOf(
    {
      platform: fields['platform'] ?? objectIn(fields, 'device')['operating_system'],
      app_version: app['version'],
      country: countryCode(objectIn(fields, 'geo')['country']),
    },
    NATIVE_DEVICE,
  );
}

/** Purchases of the stores: their `price` and `value` are whole numbers of millionths. */
const STORE_EVENTS = new Set(['in_app_purchase', 'app_store_subscription_convert', 'app_store_subscription_renew']);
/** Purchases that the game reports: `value` is in units of `currency`. */
const SHOP_EVENTS = new Set(['purchase', 'ecommerce_purchase']);
const REFUND_EVENTS = new Set(['refund', 'purchase_refund']);
const MILLION = 1_000_000;

function moneyOf(name: string, params: Fields, fields: Fields, context: LineContext, at: number) {
  const chosen = chosenPurchase(name, params, context);
  if (chosen !== undefined) return purchaseOf(chosen, context, at);
  if (STORE_EVENTS.has(name)) return purchaseOf(storePurchase(params, fields), context, at);
  const { transaction_id: transaction, purchase_revenue: revenue } = objectIn(fields, 'ecommerce');
  const shop = (): Money | undefined => {
    const { currency, productId, transactionId } = namesOf(params);
    const amount = params['value'] ?? revenue;
    return amount === undefined
      ? undefined
      : { amount, currency, productId, transactionId: transactionId ?? transaction };
  };
  if (SHOP_EVENTS.has(name)) return purchaseOf(shop(), context, at);
  return REFUND_EVENTS.has(name) ? refundOf(shop(), context, at) : {};
}

function storePurchase(params: Fields, fields: Fields): Money | undefined {
  const { price, value, quantity = 1 } = params;
  const named = namesOf(params);
  const all = value === undefined ? (typeof price === 'number' ? price * Number(quantity) : undefined) : value;
  if (typeof all === 'number') {
    const isMillionths = isWhole(fields, value === undefined ? 'price' : 'value');
    return { ...named, amount: isMillionths ? all / MILLION : all };
  }
  const dollars = fields['event_value_in_usd'];
  return dollars === undefined || dollars === null ? undefined : { ...named, amount: dollars, currency: 'USD' };
}

/** Whether a parameter was stored as a whole number. */
function isWhole(fields: Fields, name: string): boolean {
  const params = fields['event_params'];
  const param: unknown = Array.isArray(params) ? params.find((one) => isPlainObject(one) && one['key'] === name) : null;
  const value = isPlainObject(param) ? param['value'] : undefined;
  return isPlainObject(value) && value['int_value'] !== undefined && value['int_value'] !== null;
}
