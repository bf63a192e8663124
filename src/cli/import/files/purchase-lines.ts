import { countedAmount } from '../../../../actors/purchases/counted-amount.ts';
import { propertiesOf } from '../../../../actors/purchases/record-purchase.ts';
import { moneyEvent } from '../../../../actors/purchases/money-event.ts';
import { parseAmount } from '../../../../core/kernel/money.ts';
import type { JsonText } from '../../../../core/kernel/text/json.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import type { ImportedPurchase, ImportedRefund } from '../../../../core/vocabulary/commands/import.ts';
import type { Exchange } from '../../../../core/vocabulary/commands/recorded.ts';
import { PLAYER_API_LIMITS } from '../../../api/players/limits.ts';
import { type Fields, LineFault, optionalText, requiredId } from './line-fields.ts';

/* Lines about money: purchases, and refunds, whose amount is below 0 in files of purchases. */

/** How an amount in a currency counts in the game at a time; `streams/config/exchange-rates.ts`. */
export type ExchangeOf = (currency: string | null, atMs: number) => Exchange | undefined;

type MoneyLine = { properties: JsonText } & ({ purchase: ImportedPurchase } | { refund: ImportedRefund });

/** A line of a file of purchases, with the properties of its event. */
export function moneyLineOf(fields: Fields, exchangeOf: (currency: string | null) => Exchange | undefined): MoneyLine {
  const text = amountText(fields['amount']);
  if (text.startsWith('-')) {
    const refund = refundOf({ ...fields, amount: text.slice(1) });
    const { amount, transactionId, refundId } = refund;
    const currency = currencyIn(fields);
    // Its owner alone knows the rate of the purchase.
    const amounts = exchangeOf(currency) === undefined ? { amount } : { paid_amount: amount };
    const shown = 'amount' in amounts ? null : currency;
    return {
      refund,
      properties: moneyEvent(amounts, { currency: shown, transaction_id: transactionId, refund_id: refundId }),
    };
  }
  if (optionalText(fields, 'refund_id', TEXT_LIMITS.callerIdLength) !== undefined) {
    throw new LineFault('`refund_id` belongs to a refund, whose `amount` is below 0.');
  }
  const sent = purchaseOf(fields);
  const exchange = exchangeOf(sent.currency);
  const purchase = exchange === undefined ? sent : { ...sent, exchange };
  const counted = countedAmount(purchase);
  if (counted.kind === 'failure') throw new LineFault(`${counted.message ?? NOT_CONVERTED} ${NEW_FILE}`);
  return { purchase, properties: propertiesOf(purchase, counted) };
}

const NOT_CONVERTED = 'The purchase cannot be converted.';
/** The rest of the file is decided: in the same file the line would count as one of before. */
const NEW_FILE = 'Then import the line in a new file.';

/**
 * A purchase by its event, as another deployment recorded it: its amount is in the game's currency, or was converted at
 * the rate that the event names.
 */
export function recordedPurchaseOf(properties: Fields): ImportedPurchase {
  const { paid_amount: paid, exchange_rate: rate } = properties;
  if (paid === undefined) return purchaseOf(properties);
  if (typeof rate !== 'number' || !(rate > 0)) throw new LineFault('`exchange_rate` must be a number above 0.');
  const purchase = { ...purchaseOf({ ...properties, amount: paid }), exchange: { rate } };
  const counted = countedAmount(purchase);
  if (counted.kind === 'failure') throw new LineFault(counted.message ?? NOT_CONVERTED);
  return purchase;
}

/** A refund by its event. */
export function recordedRefundOf(properties: Fields): ImportedRefund {
  const { amount, paid_amount: paid = amount } = properties;
  return refundOf({ ...properties, amount: paid });
}

function purchaseOf(fields: Fields): ImportedPurchase {
  const amount = parseAmount(amountText(fields['amount']));
  if (amount === undefined) throw new LineFault('`amount` must be a number above 0.');
  const currency = currencyIn(fields);
  const productId = optionalText(fields, 'product_id', PLAYER_API_LIMITS.productIdLength) ?? null;
  const isNamed = optionalText(fields, 'transaction_id', TEXT_LIMITS.callerIdLength) !== undefined;
  // A repeat that is not recognised would be paid twice.
  const transactionId = isNamed ? requiredId(fields, 'transaction_id', TEXT_LIMITS.callerIdLength) : null;
  return { amount, currency, productId, transactionId };
}

/** The API takes currencies in circulation; history may have others. */
function currencyIn(fields: Fields): string | null {
  const currency = optionalText(fields, 'currency', CURRENCY_LENGTH)?.toUpperCase() ?? null;
  if (currency !== null && !/^[A-Z]{3}$/.test(currency)) {
    throw new LineFault('`currency` must be an ISO 4217 currency code, for example USD.');
  }
  return currency;
}

/** Empty if it is neither a text nor a number. */
function amountText(amount: unknown): string {
  return typeof amount === 'string' || typeof amount === 'number' ? String(amount) : '';
}

function refundOf(fields: Fields): ImportedRefund {
  const amount = parseAmount(amountText(fields['amount']));
  if (amount === undefined) throw new LineFault('`amount` of a refund must be a number other than 0.');
  const isNamed = optionalText(fields, 'refund_id', TEXT_LIMITS.callerIdLength) !== undefined;
  return {
    amount,
    transactionId: requiredId(fields, 'transaction_id', TEXT_LIMITS.callerIdLength),
    refundId: isNamed ? requiredId(fields, 'refund_id', TEXT_LIMITS.callerIdLength) : null,
  };
}

const CURRENCY_LENGTH = 3;
