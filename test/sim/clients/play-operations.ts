import type {
  Exchange,
  RecordPurchase,
  RecordSession,
  RefundPurchase,
} from '../../../core/vocabulary/commands/recorded.ts';
import type { Random } from '../random.ts';

/** Few ids, so that many repeat with another Idempotency-Key or none, and with other amounts. */
const IDS = 4;

/** Rates of neighbouring days, and none. The smallest amount is nothing at the first. */
const EXCHANGES: readonly Exchange[] = [
  { rate: 0.0617 },
  { rate: 0.0837 },
  { rate: 1.0837 },
  { rate: null, day: '2026-01-15' },
];

/** One attempt's body: a constant part and the attempt's own stamp. */
export type Attempted<T> = (stamp: number) => T;

/** A session that a client recorded. Its id is one of a few. */
export function drawSession(random: Random, playerId: string): Attempted<RecordSession> {
  const startedAt = random.chance(0.5) ? 1_700_000_000_000 + random.int(0, 1_000) : null;
  const durationSeconds = random.int(0, 600);
  const endedAt = startedAt !== null && random.chance(0.5) ? startedAt + durationSeconds * 1_000 : null;
  const sessionId = `own-${random.int(1, IDS)}`;
  return (stamp) => ({
    kind: 'RecordSession',
    playerId,
    sessionId,
    startedAt,
    endedAt,
    durationSeconds,
    eventId: `made-${stamp}`,
  });
}

/** A purchase, usually of one of a few transactions. */
export function drawPurchase(random: Random, playerId: string): Attempted<RecordPurchase> {
  const transactionId = random.chance(0.7) ? `tx-${random.int(1, IDS)}` : null;
  const amount = random.pick([1, 1_000, 99_900]);
  const currency = random.chance(0.7) ? random.pick(['EUR', 'JPY']) : null;
  const converted = currency !== null && random.chance(0.5) ? { exchange: random.pick(EXCHANGES) } : {};
  return (stamp) => ({
    kind: 'RecordPurchase',
    playerId,
    amount,
    currency,
    ...converted,
    productId: `product-${stamp}`,
    transactionId,
    eventId: `made-${stamp}`,
  });
}

/** A refund of one of a few transactions: the whole, a part, or too much. Its id is usually one of a few. */
export function drawRefund(random: Random, playerId: string): Attempted<RefundPurchase> {
  const transactionId = `tx-${random.int(1, IDS)}`;
  const amount = random.chance(0.3) ? null : random.pick([1, 400, 1_000, 50_000]);
  const refundId = random.chance(0.7) ? `refund-${random.int(1, IDS)}` : null;
  return (stamp) => ({ kind: 'RefundPurchase', playerId, transactionId, amount, refundId, eventId: `made-${stamp}` });
}
