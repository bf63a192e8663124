import { type ActOf, addEvent, BY_SERVICE, type Player, type Purchase, type Walk } from './truth-walk.ts';
import { type Call, serviceEventId } from './story.ts';

/* Purchases and refunds by brute force. */

/** A transaction counts once, from its first report: a server's word replaces a client's; a new amount is an event. */
export function takePurchase(walk: Walk, state: Player, call: Call, act: ActOf<'buys'>): void {
  const { player, at, by } = call;
  const { amount, transaction, product, currency } = act;
  const earlier = transaction === null ? undefined : state.purchases.get(transaction);
  if (earlier !== undefined) {
    if (earlier.by !== 'client' || by !== 'server') return;
    addMoney(walk, {
      player,
      at: earlier.at,
      receivedAt: earlier.at,
      purchase: earlier,
      amount: -earlier.amount,
      counts: -1,
    });
    state.paid -= 1;
  }
  const since = earlier?.at ?? at;
  const purchase: Purchase = { amount, remaining: amount, by, at: since, product, currency };
  if (transaction !== null) state.purchases.set(transaction, purchase);
  addMoney(walk, { player, at: since, receivedAt: since, purchase, amount, counts: 1 });
  state.paid += 1;
  if (earlier?.amount === amount) return;
  const event = {
    eventId: serviceEventId(walk.plan, call),
    name: earlier === undefined ? 'purchase' : 'purchase_corrected',
    properties: {},
    device: state.device,
    from: BY_SERVICE,
  };
  addEvent(walk, state, { player, at, receivedAt: at, ...event });
}

interface Money {
  player: number;
  at: number;
  receivedAt: number;
  purchase: Purchase;
  amount: number;
  counts: number;
  isRefund?: boolean;
  by?: string;
}

export function addMoney(
  { add }: Walk,
  { purchase, amount, by = purchase.by, isRefund = false, ...money }: Money,
): void {
  const values = { product_id: purchase.product ?? '', currency: purchase.currency ?? '', recorded_by: by };
  add({ source: 'purchases', ...money, isRefund, amount: amount / 10_000, values });
}

export function takeRefund(walk: Walk, state: Player, call: Call, act: ActOf<'refunded'>): void {
  const { player, at } = call;
  const purchase = state.purchases.get(act.transaction);
  if (purchase === undefined) throw new Error(`nobody bought ${act.transaction}`);
  if (act.refund !== null && state.refunds.has(act.refund)) return;
  if (act.refund !== null) state.refunds.add(act.refund);
  const amount = act.amount ?? purchase.remaining;
  refund(walk, state, { player, at, receivedAt: at, purchase, amount, counts: 0, by: 'server' });
  const event = {
    eventId: serviceEventId(walk.plan, call),
    name: 'purchase_refunded',
    properties: {},
    device: state.device,
    from: BY_SERVICE,
  };
  addEvent(walk, state, { player, at, receivedAt: at, ...event });
}

export function refund(walk: Walk, state: Player, money: Money): void {
  money.purchase.remaining -= money.amount;
  const isWhole = money.purchase.remaining === 0;
  if (isWhole) state.paid -= 1;
  addMoney(walk, { ...money, amount: -money.amount, counts: isWhole ? -1 : 0, isRefund: true });
}
