import { createHash } from 'node:crypto';
import type { TrackItem } from '../../../../core/vocabulary/commands/commands.ts';
import type { RecordPurchase, RecordSession, RefundPurchase } from '../../../../core/vocabulary/commands/recorded.ts';
import type { DomainFact } from '../../../../core/vocabulary/facts/facts.ts';
import type { Reply } from '../../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';
import type { CallerKind, Scope } from '../../../../core/vocabulary/documents/scope.ts';
import type { PlayedWith } from '../../../../core/vocabulary/state/device.ts';
import type {
  DailyActivity,
  Paid,
  RecordedPurchase,
  RecordedRefund,
} from '../../../../core/vocabulary/state/player.ts';
import { modelConverted, modelCounted } from './model-rates.ts';

/** Predicts a recorded session, purchase or refund. `change` is absent when it was recorded before. */
export interface Played {
  reply: Reply;
  change?: { facts: DomainFact[]; next: PlayerState; event?: TrackItem };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_DAYS = 28;

/** A recorded session counts once for its id, on the day of receipt, and is also an event. */
export function predictSession(held: PlayerState, body: RecordSession, scope: Scope, at: number): Played {
  const { playerId, sessionId, startedAt, endedAt, durationSeconds, eventId } = body;
  const digest = digestOf(sessionId);
  const reply = (sessionCount: number, totalPlaytimeSeconds: number) =>
    ({ kind: 'sessionRecorded', playerId, sessionId, sessionCount, totalPlaytimeSeconds }) as const;
  const before = held.recordedSessions.find((session) => session.digest === digest);
  if (before !== undefined) {
    return { reply: { ...reply(before.sessionCount, before.totalPlaytimeSeconds), replayed: true } };
  }
  const totals = {
    sessionCount: held.sessionCount + 1,
    totalPlaytimeSeconds: held.totalPlaytimeSeconds + durationSeconds,
  };
  const { externalId } = held;
  const own = modelPlayedWith(held.device);
  const from = held.country === '' ? {} : { country: held.country };
  const details = { sessionId, digest, startedAt, endedAt, durationSeconds, externalId, ...own, ...from };
  const properties = {
    session_id: sessionId,
    duration_seconds: durationSeconds,
    ...(startedAt === null ? {} : { start_time: new Date(startedAt).toISOString() }),
    ...(endedAt === null ? {} : { end_time: new Date(endedAt).toISOString() }),
  };
  return {
    reply: reply(totals.sessionCount, totals.totalPlaytimeSeconds),
    change: {
      facts: [{ kind: 'SessionRecorded', entityId: playerId, ...scope, at, ...details }],
      next: {
        ...held,
        ...totals,
        sessionsInStage: held.sessionsInStage + 1,
        activity: playedOn(held.activity, at, 1, durationSeconds),
        recordedSessions: [...held.recordedSessions, { digest, ...totals }],
        lastSeenAt: Math.max(held.lastSeenAt, at),
      },
      event: {
        ...eventOf(playerId, eventId, 'session_recorded', properties, endedAt ?? at),
        sessionId,
      },
    },
  };
}

/** What a session keeps of a device. */
export function modelPlayedWith(device: { [K in keyof PlayedWith]?: string | null | undefined } | null): PlayedWith {
  const kept: PlayedWith = {};
  if (device?.platform) kept.platform = device.platform;
  if (device?.appVersion) kept.appVersion = device.appVersion;
  if (device?.build) kept.build = device.build;
  return kept;
}

/** What an event says of its device: its own words, then its open session's, then the latest init's. */
export function modelDeviceOf({ sessions, device }: PlayerState, { sessionId, playedWith }: TrackItem): PlayedWith {
  if (playedWith !== undefined) return playedWith;
  for (const open of sessions) {
    if (open.sessionId !== sessionId) continue;
    const { platform, appVersion, build } = open;
    return modelPlayedWith({ platform, appVersion, build });
  }
  return modelPlayedWith(device);
}

/**
 * A purchase counts once for its transaction; without a transaction every request counts. A player with a purchase is a
 * payer. A server key's record replaces a client key's record of the same transaction, and counts at its time.
 */
export function predictPurchase(
  held: PlayerState,
  body: RecordPurchase,
  scope: Scope,
  at: number,
  by: CallerKind | undefined,
): Played {
  const { playerId, currency, productId, transactionId, eventId } = body;
  const digest = transactionId === null ? null : digestOf(transactionId);
  const before = digest === null ? undefined : held.recordedPurchases.find((purchase) => purchase.digest === digest);
  if (before !== undefined && (before.byClient === undefined || by !== 'server')) {
    const { amount, totalRevenue, purchaseCount } = before;
    const answered = { amount, ...answeredPaid(before.paid), totalRevenue, purchaseCount };
    return { reply: { kind: 'purchaseRecorded', playerId, ...answered, replayed: true } };
  }
  const counted = modelCounted(body, before);
  if (counted === undefined) return { reply: { kind: 'failure', code: 'CONFLICT' } };
  const { amount, paid } = counted;
  const kept = before === undefined ? held : withoutPurchase(held, before);
  const totals = { totalRevenue: kept.totalRevenue + amount, purchaseCount: kept.purchaseCount + 1 };
  const base = { entityId: playerId, ...scope, at, externalId: held.externalId };
  const since = before === undefined ? at : (before.details?.at ?? at);
  const details = { at: since, currency, productId };
  const facts: DomainFact[] = [];
  if (before !== undefined && transactionId !== null) {
    const { at: recordedAt, ...detailsBefore } = before.details ?? details;
    const reversed = { amount: before.amount, transactionId, digest: before.digest, recordedAt };
    const paidBefore = before.paid === undefined ? {} : { paid: before.paid };
    facts.push({ kind: 'PurchaseReversed', ...base, ...detailsBefore, ...reversed, ...paidBefore });
  }
  const whose = { ...(by === undefined ? {} : { by }), ...(before === undefined ? {} : { firstReportedAt: since }) };
  facts.push({ kind: 'PurchaseRecorded', ...base, ...counted, currency, productId, transactionId, digest, ...whose });
  const purchase = {
    digest: digest ?? '',
    ...counted,
    ...totals,
    details,
    ...(by === 'client' ? { byClient: true as const } : {}),
  };
  const next = {
    ...kept,
    ...totals,
    isPayer: true,
    recordedPurchases: digest === null ? kept.recordedPurchases : [...kept.recordedPurchases, purchase],
    lastSeenAt: Math.max(held.lastSeenAt, since),
  };
  const reply = { kind: 'purchaseRecorded', playerId, amount, ...answeredPaid(paid), ...totals } as const;
  // The event of the client's purchase already has the same content.
  if (before?.amount === amount && before.paid?.amount === paid?.amount)
    return { reply: { ...reply, replayed: true }, change: { facts, next } };
  const properties = {
    amount: amount / 10_000,
    ...(before === undefined ? {} : { previous_amount: before.amount / 10_000 }),
    ...(paid === undefined ? {} : { paid_amount: paid.amount / 10_000, exchange_rate: paid.rate }),
    ...(currency === null ? {} : { currency }),
    ...(productId === null ? {} : { product_id: productId }),
    ...(transactionId === null ? {} : { transaction_id: transactionId }),
  };
  const eventName = before === undefined ? 'purchase' : 'purchase_corrected';
  return { reply, change: { facts, next, event: eventOf(playerId, eventId, eventName, properties, at) } };
}

const answeredPaid = (paid: Paid | undefined) =>
  paid === undefined ? {} : { paid: { amount: paid.amount, currency: paid.currency } };

function withoutPurchase(held: PlayerState, { digest, amount }: RecordedPurchase): PlayerState {
  return {
    ...held,
    totalRevenue: held.totalRevenue - amount,
    purchaseCount: held.purchaseCount - 1,
    recordedPurchases: held.recordedPurchases.filter((purchase) => purchase.digest !== digest),
  };
}

/**
 * A refund counts once for its id, and takes what the caller says, or what remains. It is no activity. A purchase of
 * which nothing remains no longer counts, and a refunded one is not replaced.
 */
export function predictRefund(held: PlayerState, body: RefundPurchase, scope: Scope, at: number): Played {
  const { playerId, transactionId, refundId, amount: wanted, eventId } = body;
  const transaction = digestOf(transactionId);
  const answer = (refund: Omit<RecordedRefund, 'digest' | 'transaction'>) =>
    ({ kind: 'purchaseRefunded', playerId, ...refund }) as const;
  const before = (held.recordedRefunds ?? []).find(({ digest }) => refundId !== null && digest === digestOf(refundId));
  if (before !== undefined) {
    const { digest: _, transaction: known, ...answered } = before;
    const { amount, remaining, paid } = answered;
    const isSame = known === transaction && (wanted === null ? remaining === 0 : (paid?.amount ?? amount) === wanted);
    if (!isSame) return { reply: { kind: 'failure', code: 'CONFLICT' } };
    return { reply: { ...answer(answered), replayed: true } };
  }
  const refunded = refundedState(held, { transaction, wanted, refundDigest: refundId && digestOf(refundId) });
  if (typeof refunded === 'string') return { reply: { kind: 'failure', code: refunded } };
  const { next, refund, details } = refunded;
  const base = { entityId: playerId, ...scope, at, externalId: held.externalId };
  const { amount, remaining, paid } = refund;
  const back = paid === undefined ? {} : { paid };
  const ids = { transactionId, digest: transaction, refundId, refundDigest: refundId && digestOf(refundId) };
  const properties = {
    amount: amount / 10_000,
    remaining: remaining / 10_000,
    ...(paid === undefined ? {} : { paid_amount: paid.amount / 10_000 }),
    ...(details.currency === null ? {} : { currency: details.currency }),
    ...(details.productId === null ? {} : { product_id: details.productId }),
    transaction_id: transactionId,
    ...(refundId === null ? {} : { refund_id: refundId }),
  };
  return {
    reply: answer(refund),
    change: {
      facts: [{ kind: 'PurchaseRefunded', ...base, amount, remaining, ...back, ...details, ...ids }],
      next,
      event: eventOf(playerId, eventId, 'purchase_refunded', properties, at),
    },
  };
}

/** A player after a refund, or why there is none. `wanted` null: what remains. */
export function refundedState(
  held: PlayerState,
  { transaction, wanted, refundDigest }: { transaction: string; wanted: number | null; refundDigest: string | null },
) {
  const purchase = held.recordedPurchases.find(({ digest }) => digest === transaction);
  if (purchase === undefined) return 'NOT_FOUND';
  const left = purchase.amount - (purchase.refunded ?? 0);
  const { paid: sent } = purchase;
  const most = sent === undefined ? left : sent.amount - (sent.refunded ?? 0);
  const part = wanted ?? most;
  if (left === 0 || part > most) return 'CONFLICT';
  const returned = purchase.paid === undefined ? 0 : (purchase.paid.refunded ?? 0) + part;
  const rest = sent === undefined ? left - part : purchase.amount - modelConverted(returned, sent.rate);
  const remaining = part === most ? 0 : rest;
  const amount = left - remaining;
  if (amount === 0) return 'CONFLICT';
  const paid = sent && { amount: part, remaining: most - part, currency: sent.currency };
  const totals = {
    totalRevenue: held.totalRevenue - amount,
    purchaseCount: held.purchaseCount - (remaining === 0 ? 1 : 0),
  };
  const { byClient: _, ...confirmed } = purchase;
  const refund = { amount, remaining, ...totals, ...(paid === undefined ? {} : { paid }) };
  const remembered = { digest: refundDigest ?? '', transaction, ...refund };
  const next: PlayerState = {
    ...held,
    ...totals,
    isPayer: totals.purchaseCount > 0,
    recordedPurchases: held.recordedPurchases.map((other) =>
      other === purchase
        ? {
            ...confirmed,
            refunded: purchase.amount - remaining,
            ...(sent === undefined ? {} : { paid: { ...sent, refunded: returned } }),
          }
        : other,
    ),
    ...(refundDigest === null ? {} : { recordedRefunds: [...(held.recordedRefunds ?? []), remembered] }),
  };
  const { productId = null } = purchase.details ?? {};
  const currency = sent?.currency ?? purchase.details?.currency ?? null;
  return { next, refund, details: { currency, productId } };
}

/** An event that has no id that a caller could send again. */
function eventOf(
  playerId: string,
  eventId: string,
  eventName: string,
  properties: object,
  timestamp: number,
): TrackItem {
  const text = JSON.stringify(properties);
  return { index: 0, playerId, eventId, remember: false, eventName, properties: text, sessionId: null, timestamp };
}

/** Adds sessions and playtime to the day of `at`, unless it is 28 days or more in the past. */
export function playedOn(activity: DailyActivity, at: number, more: number, seconds: number): DailyActivity {
  const days = new Map<number, [sessions: number, seconds: number]>();
  activity.sessions.forEach((sessions, back) =>
    days.set(activity.day - back, [sessions, activity.playtimeSeconds[back] ?? 0]),
  );
  const today = Math.floor(at / DAY_MS);
  const newest = Math.max(today, ...days.keys());
  if (newest - today >= KEPT_DAYS) return activity;
  const [sessions, played] = days.get(today) ?? [0, 0];
  days.set(today, [sessions + more, played + seconds]);
  const kept = Math.min(KEPT_DAYS, newest - Math.min(...days.keys()) + 1);
  const list = Array.from({ length: kept }, (_, back): [number, number] => days.get(newest - back) ?? [0, 0]);
  return { day: newest, sessions: list.map((day) => day[0]), playtimeSeconds: list.map((day) => day[1]) };
}

/** 72 bits of SHA-256 in base64url. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 9).toString('base64url');
}
