import { deviceOf, NATIVE_DEVICE } from '../files/device-fields.ts';
import { eventName, type FileFormat, type HistoryLine, type LineContext } from '../files/file-format.ts';
import {
  documentOf,
  EmptyLine,
  type Fields,
  optionalText,
  requiredTime,
  requiredUnixTime,
  unixTime,
} from '../files/line-fields.ts';
import {
  idOf,
  objectIn,
  personIn,
  requiredPlayer,
  requireShape,
  sessionKey,
  surveyedSession,
  timeIn,
} from './product-fields.ts';
import { chosenPurchase, type Money, purchaseOf } from './product-money.ts';

/**
 * Unity Analytics: lines of the raw data export of Legacy Analytics, and rows of the events of Unity's Data Access.
 * Sources: https://docs.unity3d.com/2018.1/Documentation/Manual/UnityAnalyticsRawDataExport.html (data sets),
 * https://docs.unity.com/en-us/analytics/data-access/data-access-views (`ACCOUNT_EVENTS`),
 * https://docs.unity.com/ugs/en-us/manual/analytics/manual/sql-data-explorer-tables (`EVENTS`).
 */
export const unityEvents: FileFormat = {
  required: [],
  optional: undefined,
  documents: ['/custom_params', '/EVENT_JSON'],
  ids: 'game',
  sessionLength: 'longest',
  survey(fields, findings) {
    const { player, session, time } = isRow(fields) ? rowIds(fields) : lineIds(fields);
    const at = time === 'ts' ? unixTime(fields, time, 1) : timeIn(fields, time);
    const key = sessionKey(player, session);
    if (at === undefined || key === undefined) return;
    const seconds = Number(fields['duration'] ?? objectIn(fields, 'EVENT_JSON')['sessionDuration'] ?? 0);
    findings.session(key, at, seconds > 0 && Number.isFinite(seconds) ? seconds * 1_000 : 0);
  },
  read(fields, context) {
    const isLine = fields['ts'] !== undefined && fields['userid'] !== undefined;
    requireShape(isLine || isRow(fields), 'Unity', 'it has neither `ts` and `userid` nor `EVENT_NAME`', fields);
    return isRow(fields) ? readRow(fields, context) : readLine(fields, context);
  },
};

const isRow = (fields: Fields): boolean => fields['EVENT_NAME'] !== undefined;

interface Ids {
  player: string | undefined;
  session: string | null;
  time: string;
}

function lineIds(fields: Fields): Ids {
  return { player: personIn(fields, 'userid'), session: optionalText(fields, 'sessionid', 128) ?? null, time: 'ts' };
}

function rowIds(fields: Fields): Ids {
  const json = objectIn(fields, 'EVENT_JSON');
  const session = optionalText(fields, 'SESSION_ID', 128) ?? optionalText(json, 'sessionID', 128) ?? null;
  return { player: personIn(fields, 'USER_ID'), session, time: 'EVENT_TIMESTAMP' };
}

/** The names of data sets, by what their lines say in `type`: `appStart`, `analytics.appStart.v1` and so on. */
const STANDARD: readonly (readonly [part: string, name: string])[] = [
  ['appstart', 'appStart'],
  ['apprunning', 'appRunning'],
  ['transaction', 'transaction'],
  ['userinfo', 'userInfo'],
];

/** A line of Legacy Analytics. Its data sets say all devices and their values apart, so lines have few of them. */
function readLine(fields: Fields, context: LineContext): HistoryLine {
  const type = (optionalText(fields, 'type', 128) ?? '').toLowerCase();
  if (type.includes('deviceinfo')) throw new EmptyLine('Lines of `deviceInfo` describe devices and are no events.');
  const { player, session } = lineIds(fields);
  const at = requiredUnixTime(fields, 'ts', 1, context.nowMs);
  const standard = STANDARD.find(([part]) => type.includes(part))?.[1];
  const name = standard ?? eventName(fields, 'name');
  const { playedWith } = deviceOf({ platform: fields['platform'] }, NATIVE_DEVICE);
  const params = objectIn(fields, 'custom_params');
  const { amount, currency, productid: productId, transactionid } = fields;
  const bought: Money = {
    amount,
    currency,
    productId,
    transactionId: Number(transactionid) === 0 ? null : transactionid,
  };
  const properties = {
    ...(standard === 'transaction' ? { amount, currency, product_id: productId, transaction_id: transactionid } : {}),
    ...(standard === 'appRunning' ? { duration: fields['duration'] } : {}),
    ...params,
  };
  return {
    externalId: requiredPlayer(player, fields, ['userid']),
    at,
    event: {
      // Lines have no id. Two that agree in everything, to the millisecond of both clocks, are one.
      eventId: idOf(
        'unity',
        LINE_FIELDS.map((field) => fields[field] ?? null),
      ),
      eventName: name,
      properties: documentOf({ custom_params: properties }, 'custom_params', context.notes),
      sessionId: session,
      ...(playedWith === undefined ? {} : { playedWith }),
    },
    ...surveyedSession(context, sessionKey(player, session), session, playedWith),
    ...purchaseOf(standard === 'transaction' ? bought : chosenPurchase(name, params, context), context, at),
  };
}

const LINE_FIELDS = [
  'ts',
  'submit_time',
  'userid',
  'sessionid',
  'type',
  'name',
  'custom_params',
  'duration',
  'amount',
  'currency',
  'productid',
  'transactionid',
] as const;

/** A row of Data Access or the SQL Data Explorer. Rows of a level above 0 are parts of another one. */
function readRow(fields: Fields, context: LineContext): HistoryLine {
  if (Number(fields['EVENT_LEVEL'] ?? 0) > 0)
    throw new EmptyLine('Rows with an `EVENT_LEVEL` above 0 are parts of events.');
  const json = objectIn(fields, 'EVENT_JSON');
  const { player, session } = rowIds(fields);
  const at = requiredTime(fields, 'EVENT_TIMESTAMP', context.nowMs);
  const name = eventName(fields, 'EVENT_NAME');
  const said = {
    platform: fields['PLATFORM'] ?? json['platform'],
    app_version: fields['CLIENT_VERSION'] ?? json['clientVersion'],
    country: fields['USER_COUNTRY'] ?? json['userCountry'],
  };
  const device = deviceOf(said, NATIVE_DEVICE);
  const rowId = optionalText(json, 'eventUUID', 128) ?? optionalText(fields, 'EVENT_ID', 128);
  const bought = name === 'transaction' ? rowPurchase(json) : chosenPurchase(name, json, context);
  return {
    externalId: requiredPlayer(player, fields, ['USER_ID']),
    at,
    event: {
      eventId: rowId === undefined ? undefined : `unity-${rowId}`.slice(0, 128),
      eventName: name,
      properties: documentOf({ EVENT_JSON: json }, 'EVENT_JSON', context.notes),
      sessionId: session,
      ...device,
    },
    ...surveyedSession(context, sessionKey(player, session), session, device.playedWith),
    ...purchaseOf(bought, context, at),
  };
}

/** What was spent of a real currency, in its smallest unit: cents, but whole yen. */
function rowPurchase(json: Fields): Money | undefined {
  const real = objectIn(objectIn(json, 'productsSpent'), 'realCurrency');
  const amount = Number(real['realCurrencyAmount'] ?? json['realCurrencyAmount'] ?? Number.NaN);
  const currency = real['realCurrencyType'] ?? json['realCurrencyType'];
  if (!Number.isFinite(amount)) return undefined;
  return {
    amount: amount / 10 ** digitsOf(currency),
    currency,
    productId: json['productID'],
    transactionId: json['transactionID'],
  };
}

function digitsOf(currency: unknown): number {
  if (typeof currency !== 'string' || !/^[A-Za-z]{3}$/.test(currency)) return 2;
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}
