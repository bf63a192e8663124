import { Type } from 'typebox';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { RECEIPT_STORES, type ReceiptStore } from '../../../../core/vocabulary/state/receipt.ts';
import type { PurchaseRecordedReply } from '../../../../core/vocabulary/commands/replies.ts';
import { storesAddress } from '../../../../streams/config/stores.ts';
import { RECEIPT_LIMITS } from '../../../receipts/limits.ts';
import { oneOf } from '../../input/fields.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { invalid } from '../../route/route.ts';

/* The receipt of a purchase: it is checked for its form, and verified after the answer. */

interface Receipt {
  store: ReceiptStore;
  payload: string;
}

export const ReceiptBody = Type.Object(
  {
    receipt: Type.Optional(
      Type.Object(
        {
          store: oneOf(RECEIPT_STORES, 'Where the player bought it.'),
          payload: Type.String({
            minLength: 1,
            maxLength: RECEIPT_LIMITS.payloadLength,
            description:
              'App Store: the signed transaction (JWS) of StoreKit 2. Google Play: the purchase token. `transaction_id` ' +
              'is the `transactionId` or the order id then.',
          }),
        },
        { additionalProperties: false, description: 'What proves the purchase.' },
      ),
    ),
  },
  { description: 'The receipt, if the purchase has one.' },
);

/** Why a purchase with a receipt is refused before it is recorded. */
export function receiptFault(
  receipt: Receipt | undefined,
  transactionId: string | undefined,
  { key, services }: Pick<RequestContext, 'key' | 'services'>,
): Failure | undefined {
  if (receipt === undefined) return undefined;
  if (transactionId === undefined)
    return invalid([{ path: 'transaction_id', message: 'is required with a receipt, as a query parameter' }]);
  return services.config.get(storesAddress(key))?.document[receipt.store] === undefined ? NOT_SET_UP : undefined;
}

/**
 * Queues the receipt of a recorded purchase, unless it is verified already. Without an answer the caller repeats the
 * request, which queues it then.
 */
export async function queueReceipt(
  receipt: Receipt,
  transactionId: string,
  { playerId, state, reason }: PurchaseRecordedReply,
  { key: { game, environment }, services }: RequestContext,
): Promise<Failure | undefined> {
  if (state === 'verified' || state === 'refunded' || reason === 'refunded') return undefined;
  const job = { game, environment, playerId, transactionId, ...receipt };
  const outcome = await services.receipts.queue.add(job);
  return outcome === 'taken' ? undefined : NOT_QUEUED;
}

const NOT_SET_UP = failure(
  'CONFLICT',
  'The store of the receipt is not set up in this environment. Set it up (PUT /v1/settings/stores), or send the ' +
    'purchase without a receipt.',
);
const NOT_QUEUED = failure(
  'SERVICE_UNAVAILABLE',
  'The purchase is recorded, but its receipt is not, because too many wait or the log does not answer. Send the ' +
    'request again.',
);
