import type { RefundImported } from '../../core/vocabulary/facts/import-facts.ts';
import { PURCHASE_LIMITS } from './limits.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import type {
  PurchaseHeld,
  PurchaseRecorded,
  PurchaseRefunded,
  PurchaseReversed,
  ReceiptDecided,
} from '../../core/vocabulary/facts/purchase-facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { RecordedPurchase, RecordedRefund } from '../../core/vocabulary/state/player.ts';

export function purchaseRecorded(state: PlayerState, fact: PurchaseRecorded): PlayerState {
  const totals = { totalRevenue: state.totalRevenue + fact.amount, purchaseCount: state.purchaseCount + 1 };
  return { ...withReported(state, fact, totals), ...totals, isPayer: true };
}

/** A purchase that adds nothing to the totals. */
export function purchaseHeld(state: PlayerState, fact: PurchaseHeld): PlayerState {
  const { totalRevenue, purchaseCount } = state;
  return withReported(state, fact, { totalRevenue, purchaseCount, uncounted: true });
}

/** Remembers a purchase, instead of an earlier report of it that did not count. */
function withReported(
  state: PlayerState,
  fact: PurchaseRecorded | PurchaseHeld,
  totals: Pick<RecordedPurchase, 'totalRevenue' | 'purchaseCount' | 'uncounted'>,
): PlayerState {
  const { digest, amount, paid, by, currency, productId, receipt, firstReportedAt: at = fact.at } = fact;
  const purchase = {
    amount,
    ...(paid === undefined ? {} : { paid }),
    ...totals,
    details: { at, currency, productId },
    ...(by === 'client' ? { byClient: true as const } : {}),
    ...(receipt === undefined ? {} : { receipt }),
  };
  const { recordedPurchases: held } = state;
  const others = fact.firstReportedAt === undefined ? held : held.filter((other) => other.digest !== digest);
  return {
    ...state,
    recordedPurchases: digest === null ? held : withPurchase(others, { digest, ...purchase }),
    lastSeenAt: Math.max(state.lastSeenAt, at),
  };
}

/** A verified purchase counts, and a rejected one no longer does. It is no activity of the player. */
export function receiptDecided(state: PlayerState, fact: ReceiptDecided): PlayerState {
  const { digest, store, verdict, reason, counts, amount } = fact;
  const totalRevenue = state.totalRevenue + counts * amount;
  const purchaseCount = state.purchaseCount + counts;
  const receipt = { store, state: verdict, ...(reason === null ? {} : { reason }) };
  return {
    ...state,
    totalRevenue,
    purchaseCount,
    isPayer: purchaseCount > 0,
    recordedPurchases: state.recordedPurchases.map((held) => {
      if (held.digest !== digest) return held;
      const { uncounted: _, ...purchase } = held;
      if (counts === 0) return { ...held, receipt };
      const totals = { totalRevenue, purchaseCount };
      return { ...purchase, ...totals, ...(counts === -1 ? { uncounted: true as const } : {}), receipt };
    }),
  };
}

export function purchaseReversed(state: PlayerState, { digest, amount }: PurchaseReversed): PlayerState {
  const purchaseCount = state.purchaseCount - 1;
  return {
    ...state,
    totalRevenue: state.totalRevenue - amount,
    purchaseCount,
    isPayer: purchaseCount > 0,
    recordedPurchases: state.recordedPurchases.filter((purchase) => purchase.digest !== digest),
  };
}

/** A refund confirms its purchase: no server key replaces it afterwards. It is no activity of the player. */
export function purchaseRefunded(state: PlayerState, fact: PurchaseRefunded | RefundImported): PlayerState {
  const { digest, amount, remaining, refundDigest, paid } = fact;
  const totalRevenue = state.totalRevenue - amount;
  const purchaseCount = state.purchaseCount - (remaining === 0 ? 1 : 0);
  const back = paid === undefined ? {} : { paid };
  const refund = { transaction: digest, amount, remaining, totalRevenue, purchaseCount, ...back };
  return {
    ...state,
    totalRevenue,
    purchaseCount,
    isPayer: purchaseCount > 0,
    recordedPurchases: state.recordedPurchases.map((purchase) =>
      purchase.digest === digest ? refunded(purchase, fact) : purchase,
    ),
    ...(refundDigest === null ? {} : { recordedRefunds: withRefund(state, { digest: refundDigest, ...refund }) }),
  };
}

function refunded(
  recorded: RecordedPurchase,
  { remaining, paid: back }: Pick<PurchaseRefunded, 'remaining' | 'paid'>,
): RecordedPurchase {
  const { byClient: _, ...purchase } = recorded;
  const { paid } = purchase;
  const returned =
    paid === undefined || back === undefined ? {} : { paid: { ...paid, refunded: paid.amount - back.remaining } };
  return { ...purchase, refunded: purchase.amount - remaining, ...returned };
}

function withRefund({ recordedRefunds = [] }: PlayerState, refund: RecordedRefund): readonly RecordedRefund[] {
  return [...recordedRefunds, refund].slice(-PURCHASE_LIMITS.recordedRefunds);
}

/** Beyond the bound, drops the oldest purchases of client keys first, so that a client cannot evict a server's. */
function withPurchase(held: readonly RecordedPurchase[], purchase: RecordedPurchase): readonly RecordedPurchase[] {
  const next = [...held, purchase];
  if (next.length > STATE_LIMITS.recordedPurchases) {
    const oldest = next.findIndex(({ byClient }) => byClient !== undefined);
    next.splice(Math.max(0, oldest), 1);
  }
  return withoutOldDetails(next);
}

/** Whether details of one more purchase, older than the others, are kept. */
export function hasRoomForDetails(purchases: readonly RecordedPurchase[]): boolean {
  return purchases.filter(({ details }) => details !== undefined).length < PURCHASE_LIMITS.detailedPurchases;
}

function withoutOldDetails(purchases: RecordedPurchase[]): RecordedPurchase[] {
  let detailed = 0;
  for (let place = purchases.length - 1; place >= 0; place--) {
    const purchase = purchases[place];
    if (purchase?.details === undefined) continue;
    detailed += 1;
    if (detailed <= PURCHASE_LIMITS.detailedPurchases) continue;
    const { details: _, ...rest } = purchase;
    purchases[place] = rest;
    break;
  }
  return purchases;
}
