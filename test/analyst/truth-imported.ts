import { localDay } from './calendar.ts';
import type { ImportedLine } from './story.ts';
import { addMoney, refund } from './truth-purchases.ts';
import { addEvent, BY_IMPORT, deviceValues, NO_DEVICE, type Player, type Purchase, type Walk } from './truth-walk.ts';

/** Imported rows count by their own time, a session by its start. */
export function takeLine(walk: Walk, state: Player, player: number, line: ImportedLine): void {
  const { at } = line;
  const event = { player, at, receivedAt: at, eventId: '', properties: {}, device: NO_DEVICE, from: BY_IMPORT };
  switch (line.kind) {
    case 'player':
      state.begunDay = localDay(walk.plan.zone, line.firstSeenAt);
      return;
    case 'event': {
      const { eventId, name, properties, country, device } = line;
      addEvent(walk, state, { ...event, eventId, name, properties: { ...properties }, country, device });
      return;
    }
    case 'session': {
      const values = { end_reason: 'imported', played_in: state.country, ...deviceValues(line.device) };
      const began = at - line.seconds * 1_000;
      walk.add({ source: 'sessions', player, at: began, receivedAt: at, seconds: line.seconds, values });
      addEvent(walk, state, { ...event, name: 'session_recorded', device: line.device });
      return;
    }
    case 'purchase': {
      const { amount, product, transaction } = line;
      const purchase: Purchase = { amount, remaining: amount, by: 'import', at, product, currency: null };
      state.purchases.set(transaction, purchase);
      state.paid += 1;
      addMoney(walk, { player, at, receivedAt: at, purchase, amount, counts: 1 });
      addEvent(walk, state, { ...event, name: 'purchase' });
      return;
    }
    case 'refund': {
      const purchase = state.purchases.get(line.transaction);
      if (purchase === undefined) throw new Error(`nobody bought ${line.transaction}`);
      refund(walk, state, { player, at, receivedAt: at, purchase, amount: line.amount, counts: 0 });
      addEvent(walk, state, { ...event, name: 'purchase_refunded' });
    }
  }
}
