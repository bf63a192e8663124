import { PURCHASE_EVENT } from '../../../../core/vocabulary/service-events.ts';
import type { ImportedPurchase, ImportedRefund } from '../../../../core/vocabulary/commands/import.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { PLAYER_API_LIMITS } from '../../../api/players/limits.ts';
import type { LineContext } from '../files/file-format.ts';
import { type Fields, LineFault } from '../files/line-fields.ts';
import { moneyLineOf } from '../files/purchase-lines.ts';

/** A sum of money as a product's line says it. */
export interface Money {
  /** Units of the currency: 4.99. */
  amount: unknown;
  currency?: unknown;
  productId?: unknown;
  transactionId?: unknown;
}

type MoneyPart = { purchase?: ImportedPurchase; refund?: ImportedRefund };

/**
 * The purchase of a line. An amount of 0 or below is none: free trials, and refunds without their purchase, stay events
 * only.
 */
export function purchaseOf(money: Money | undefined, { exchangeOf }: LineContext, at: number): MoneyPart {
  if (money === undefined) return {};
  const amount = unitsOf(money.amount);
  if (amount === undefined) throw new LineFault('The amount of the purchase must be a number.');
  if (amount <= 0) return {};
  const made = moneyLineOf(fieldsOf(money, amount), (currency) => exchangeOf(currency, at));
  return 'purchase' in made ? { purchase: made.purchase } : { refund: made.refund };
}

/** The refund of a line that names its purchase; otherwise the line stays an event only. */
export function refundOf(money: Money | undefined, { exchangeOf }: LineContext, at: number): MoneyPart {
  const amount = unitsOf(money?.amount);
  if (money === undefined || amount === undefined || amount === 0) return {};
  const fields = fieldsOf(money, -Math.abs(amount));
  if (fields['transaction_id'] === undefined) return {};
  const made = moneyLineOf(fields, (currency) => exchangeOf(currency, at));
  return 'refund' in made ? { refund: made.refund } : {};
}

function fieldsOf({ currency, productId, transactionId }: Money, amount: number): Fields {
  // Products whose lines hold floats write 4.989999771118164 for 4.99.
  const text = Number(amount.toFixed(DECIMALS)).toString();
  return {
    amount: text.includes('e') ? amount.toFixed(DECIMALS) : text,
    currency: currency === '' ? undefined : currency,
    product_id: shortText(productId, PLAYER_API_LIMITS.productIdLength),
    transaction_id: shortText(transactionId, TEXT_LIMITS.callerIdLength),
  };
}

const DECIMALS = 4;

function unitsOf(amount: unknown): number | undefined {
  const number = typeof amount === 'string' && amount.trim() !== '' ? Number(amount) : amount;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** An id that cannot be one is left out: the purchase counts all the same. */
function shortText(value: unknown, maxLength: number): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '' || text.length > maxLength) return undefined;
  return text.isWellFormed() && !text.includes('\u0000') ? text : undefined;
}

/** What libraries of all kinds call the amount, its currency, its product and its transaction. */
const AMOUNTS = ['revenue', '$revenue', 'amount', 'value', 'total', 'price', '$price'];
const CURRENCIES = ['currency', '$currency', 'currency_code'];
const PRODUCTS = ['product_id', '$productId', '$product_id', 'productId', 'item_id', 'sku'];
const TRANSACTIONS = ['transaction_id', '$transaction_id', 'order_id', 'orderId', 'receipt_id'];

/** The purchase that `--purchase` makes of an event, by its usual properties. */
export function chosenPurchase(name: string, properties: Fields, { choices }: LineContext): Money | undefined {
  if (!choices.purchases.has(name)) return undefined;
  const own = choices.purchases.get(name);
  const found = own ?? AMOUNTS.find((each) => properties[each] !== undefined && properties[each] !== null);
  if (found === undefined || properties[found] === undefined || properties[found] === null) {
    const missing = own === undefined ? 'no property that is an amount' : `no property \`${own}\``;
    throw new LineFault(`The event ${name} is a ${PURCHASE_EVENT} by --purchase, and has ${missing}.`, NAME_IT);
  }
  const units = unitsOf(properties[found]);
  const quantity = found.endsWith('price') ? (unitsOf(properties['quantity'] ?? properties['$quantity']) ?? 1) : 1;
  return { amount: units === undefined ? properties[found] : units * quantity, ...namesOf(properties) };
}

const NAME_IT = 'Name the property with the amount: --purchase "event=property".';

/** The currency, product and transaction of a purchase, by their usual properties. */
export function namesOf(properties: Fields): Omit<Money, 'amount'> {
  const first = (names: readonly string[]): unknown =>
    properties[names.find((name) => properties[name] !== undefined && properties[name] !== null) ?? ''];
  return { currency: first(CURRENCIES), productId: first(PRODUCTS), transactionId: first(TRANSACTIONS) };
}
