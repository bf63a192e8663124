import { jsonText } from '../../../../core/kernel/text/json.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { deviceOf, GAME_ANALYTICS_DEVICE } from '../files/device-fields.ts';
import { eventName, type FileFormat, type HistoryLine, ownId } from '../files/file-format.ts';
import { documentOf, type Fields, parsed, requiredText, requiredUnixTime } from '../files/line-fields.ts';
import { sessionOf } from '../files/line-sessions.ts';
import { objectIn, personIn, requiredPlayer, requireShape } from './product-fields.ts';
import { chosenPurchase, type Money, purchaseOf } from './product-money.ts';

/**
 * GameAnalytics: lines of the raw data export, a wrapper with the event in `data`. Times are seconds.
 * Sources: https://docs.gameanalytics.com/datasuite/data-export/schemas (lines),
 * https://docs.gameanalytics.com/event-types/business-events (amounts in cents of every currency).
 */
export const gameAnalyticsEvents: FileFormat = {
  required: ['data'],
  optional: undefined,
  documents: ['/data'],
  ids: 'game',
  read(fields, context) {
    const { nowMs, notes } = context;
    const isShape = objectIn(fields, 'data')['category'] !== undefined;
    requireShape(isShape, 'GameAnalytics', 'it has no `data.category`', fields);
    const data = parsed(documentOf(fields, 'data', notes));
    const category = requiredText(data, 'category', TEXT_LIMITS.nameLength);
    const name = category === 'design' ? eventName(data, 'event_id') : category;
    const { user_id: _, client_ts: __, ...properties } = data;
    const at = requiredUnixTime(data, 'client_ts', SECONDS, nowMs);
    const device = deviceOf(
      { ...data, country_code: fields['country_code'] ?? data['country_code'] },
      GAME_ANALYTICS_DEVICE,
    );
    const line: HistoryLine = {
      externalId: requiredPlayer(personIn(data, 'user_id'), data, ['user_id']),
      at,
      event: {
        eventId: ownId(data, 'event_uuid'),
        eventName: name,
        properties: jsonText(properties),
        sessionId: ownId(data, 'session_id') ?? null,
        ...device,
      },
      ...purchaseOf(category === 'business' ? businessOf(data) : chosenPurchase(name, data, context), context, at),
    };
    if (category === 'session_end' && line.event?.sessionId !== null)
      line.session = sessionOf({ ...data, country_code: undefined }, 'length', GAME_ANALYTICS_DEVICE);
    return line;
  },
};

const CENTS = 100;
/** Of a millisecond: times are in seconds. */
const SECONDS = 1 / 1_000;

/** `transaction_num` counts the purchases of a player, anew with each installation. */
function businessOf(data: Fields): Money {
  const { amount, currency, event_id: item, transaction_num: number } = data;
  const session = ownId(data, 'session_id');
  const transactionId = typeof number !== 'number' || session === undefined ? undefined : `${session}-${number}`;
  return { amount: typeof amount === 'number' ? amount / CENTS : amount, currency, productId: item, transactionId };
}
