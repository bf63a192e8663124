import { array, assert, constant, constantFrom, integer, oneof, property, record, type Arbitrary } from 'fast-check';
import { expect, it } from 'vitest';
import type { CommandBody } from '../../core/vocabulary/commands/commands.ts';
import { decide } from '../../actors/decide.ts';
import { evolve } from '../../actors/evolve.ts';
import type { DomainFact, Fact } from '../../core/vocabulary/facts/facts.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import { createDraft } from '../../actors/runtime/term/draft.ts';
import type { EntityState } from '../../core/vocabulary/state/state.ts';
import { aCommand, aPlayer, definitionsOf } from '../../actors/testing-players.ts';
import { namedRowsOf } from '../../clickhouse-schema/rows/testing-rows.ts';
import { decodeCommit, encodeCommit } from '../../core/codec/codec.ts';
import { decodeState, encodeState } from '../../core/codec/state/state-codec.ts';
import { aCommit } from '../../streams/sinks/testing-commits.ts';
import type { CallerKind } from '../../core/vocabulary/documents/scope.ts';

/*
 * Whatever comes, in whatever order, again and again, through crashes and rebuilds: the totals are those of a plain
 * model that adds each session and each purchase once and takes each refund off once, in arbitrary precision, and the
 * rows of purchases add up to them. Of a transaction that both kinds of key recorded, the server key's word counts.
 */

const ID = aPlayer().id;

interface Session {
  kind: 'session';
  id: string;
  seconds: number;
  key: string | undefined;
  by: CallerKind;
}
interface Purchase {
  kind: 'purchase';
  amount: number;
  transaction: string | null;
  key: string | undefined;
  by: CallerKind;
}
/** Of a transaction: an amount, or what remains. */
interface Refund {
  kind: 'refund';
  amount: number | null;
  transaction: string;
  id: string | null;
  key: string | undefined;
  by: CallerKind;
}
type Request = Session | Purchase | Refund;
/** What a caller does; `fate`: what becomes of the owner's append. */
interface Call {
  kind: 'call';
  request: Request;
  fate: 'stored' | 'lost';
}
/** A caller does again what it did before. */
interface Again {
  kind: 'again';
  back: number;
}
/** The owner starts over: from the log alone, or from a snapshot and what of the log comes after it. */
interface Rebuild {
  kind: 'rebuild';
  from: 'log' | 'snapshot';
}

const key = oneof(
  { weight: 3, arbitrary: constant(undefined) },
  { weight: 1, arbitrary: constantFrom('k1', 'k2', 'k3') },
);
const by = constantFrom<CallerKind>('client', 'server');
const session: Arbitrary<Session> = record({
  kind: constant('session'),
  id: constantFrom('s1', 's2', 's3', 's4', 's5', 's6'),
  seconds: constantFrom(0, 1, 60, 86_400),
  key,
  by,
});
const purchase: Arbitrary<Purchase> = record({
  kind: constant('purchase'),
  amount: oneof(constantFrom(1, 1_000, 2_000, 99_900, 10_000_000_000), integer({ min: 1, max: 10_000_000_000 })),
  transaction: constantFrom(null, 't1', 't2', 't3', 't4'),
  key,
  by,
});
const refund: Arbitrary<Refund> = record({
  kind: constant('refund'),
  amount: oneof(constantFrom(null, 1, 1_000, 99_900), integer({ min: 1, max: 10_000_000_000 })),
  transaction: constantFrom('t1', 't2', 't3', 't4'),
  id: constantFrom(null, 'r1', 'r2', 'r3'),
  key,
  by: constant<CallerKind>('server'),
});
const call: Arbitrary<Call> = record({
  kind: constant('call'),
  request: oneof(session, purchase, refund),
  fate: constantFrom('stored', 'stored', 'stored', 'lost'),
});
const rebuild: Arbitrary<Rebuild> = record({ kind: constant('rebuild'), from: constantFrom('log', 'snapshot') });
const again: Arbitrary<Again> = record({ kind: constant('again'), back: integer({ min: 1, max: 8 }) });
const life = array(
  oneof({ weight: 6, arbitrary: call }, { weight: 3, arbitrary: again }, { weight: 1, arbitrary: rebuild }),
  { maxLength: 60 },
);

/** An owner as the runtime has it: what is stored can be read again, what was not is gone. */
function createOwner() {
  const records: Uint8Array[] = [];
  let snapshot: { bytes: Uint8Array; records: number } | undefined;
  let state: EntityState | undefined;

  function store(facts: readonly Fact[]): void {
    records.push(encodeCommit(aCommit([...facts])));
  }
  const fold = (from: EntityState | undefined, bytes: readonly Uint8Array[]) =>
    bytes
      .flatMap((record) => decodeCommit(record).facts)
      .filter((fact): fact is DomainFact => fact.kind !== 'EntitySnapshot' && fact.kind !== 'SnapshotMark')
      .reduce((held, fact) => evolve(held, fact), from);

  store([{ kind: 'PlayerRegistered', entityId: ID, game: 'demo', environment: 'live', at: 1_000, player: aPlayer() }]);
  state = fold(undefined, records);
  return {
    call(body: CommandBody, by: CallerKind, at: number, fate: Call['fate']): Reply {
      const draft = createDraft(() => state);
      const reply = decide(draft, aCommand(body, { receivedAt: at, by }), definitionsOf());
      if (fate === 'lost') return reply;
      if (draft.facts.length > 0) store(draft.facts);
      state = draft.get(ID);
      return reply;
    },
    rebuild(from: Rebuild['from']): void {
      if (from === 'log' || snapshot === undefined) state = fold(undefined, records);
      else state = fold(decodeState(snapshot.bytes), records.slice(snapshot.records));
      if (state !== undefined) snapshot = { bytes: encodeState(state), records: records.length };
    },
    /** What `sum(counts)` and `sum(amount)` answer, by the day of `received_at`. */
    get purchaseRows() {
      const place = { stream: '2026-01-01T00:00:00Z', sequence: 1, index: 0, partition: 0 };
      const byDay = new Map<string, { counts: number; amount: bigint; refunds: bigint }>();
      for (const fact of records.flatMap((record) => decodeCommit(record).facts)) {
        for (const [table, row] of namedRowsOf(fact, place)) {
          if (table !== 'purchases') continue;
          const day = new Date(Number(row['received_at'])).toISOString().slice(0, 10);
          const sum = byDay.get(day) ?? { counts: 0, amount: 0n, refunds: 0n };
          if (row['kind'] === 'refund') sum.refunds -= BigInt(Number(row['amount']));
          sum.counts += Number(row['counts']);
          sum.amount += BigInt(Number(row['amount']));
          byDay.set(day, sum);
        }
      }
      return byDay;
    },
    get player() {
      if (state?.kind !== 'player') throw new Error('there is no player');
      return state;
    },
  };
}

/** The documented behaviour, as a plain model. */
function createModel() {
  const sessions = new Map<string, object>();
  const transactions = new Map<string, { answer: { amount: number }; by: CallerKind; refunded: bigint }>();
  const refunds = new Map<string, { transaction: string; answer: { amount: number; remaining: number } }>();
  const keys = new Map<string, { hash: string; answer: object }>();
  let [sessionCount, seconds, purchaseCount, revenue, events] = [0, 0, 0, 0n, 0];
  let corrections = 0;
  let [refunded, refundEvents] = [0n, 0];

  function playSession({ id, seconds: more }: Session): object {
    const first = sessions.get(id);
    if (first !== undefined) return { ...first, replayed: true };
    sessionCount += 1;
    seconds += more;
    const answer = {
      kind: 'sessionRecorded',
      playerId: ID,
      sessionId: id,
      sessionCount,
      totalPlaytimeSeconds: seconds,
    };
    sessions.set(id, answer);
    return answer;
  }
  function buy({ amount, transaction, by }: Purchase): object {
    const first = transaction === null ? undefined : transactions.get(transaction);
    const isReplaced = first?.by === 'client' && by === 'server' && first.refunded === 0n;
    if (first !== undefined && !isReplaced) return { ...first.answer, replayed: true };
    purchaseCount += first === undefined ? 1 : 0;
    events += first === undefined ? 1 : 0;
    corrections += first === undefined || first.answer.amount === amount ? 0 : 1;
    revenue += BigInt(amount) - BigInt(first?.answer.amount ?? 0);
    const answer = { kind: 'purchaseRecorded', playerId: ID, amount, totalRevenue: Number(revenue), purchaseCount };
    if (transaction !== null) transactions.set(transaction, { answer, by, refunded: 0n });
    return first?.answer.amount === amount ? { ...answer, replayed: true } : answer;
  }
  function refundOf({ amount, transaction, id }: Refund): object {
    const first = id === null ? undefined : refunds.get(id);
    if (first !== undefined) {
      const isSame = amount === null ? first.answer.remaining === 0 : amount === first.answer.amount;
      if (first.transaction === transaction && isSame) return { ...first.answer, replayed: true };
      return { kind: 'failure', code: 'CONFLICT' };
    }
    const paid = transactions.get(transaction);
    if (paid === undefined) return { kind: 'failure', code: 'NOT_FOUND' };
    const left = BigInt(paid.answer.amount) - paid.refunded;
    const taken = amount === null ? left : BigInt(amount);
    if (left === 0n || taken > left) return { kind: 'failure', code: 'CONFLICT' };
    paid.refunded += taken;
    revenue -= taken;
    refunded += taken;
    refundEvents += 1;
    if (taken === left) purchaseCount -= 1;
    const money = { amount: Number(taken), remaining: Number(left - taken), totalRevenue: Number(revenue) };
    const answer = { kind: 'purchaseRefunded', playerId: ID, ...money, purchaseCount };
    if (id !== null) refunds.set(id, { transaction, answer });
    return answer;
  }
  function done(request: Request): object {
    switch (request.kind) {
      case 'session':
        return playSession(request);
      case 'purchase':
        return buy(request);
      case 'refund':
        return refundOf(request);
    }
  }
  return {
    call(request: Request): object {
      const hash = hashOf(request);
      const slot = request.key === undefined ? undefined : `${request.by} ${request.key}`;
      const known = slot === undefined ? undefined : keys.get(slot);
      if (known !== undefined) {
        return known.hash === hash ? { ...known.answer, replayed: true } : { kind: 'failure', code: 'CONFLICT' };
      }
      const answer = done(request);
      // A failure is not remembered.
      if (slot !== undefined && !('code' in answer)) keys.set(slot, { hash, answer });
      return answer;
    },
    get refunds() {
      return { events: refundEvents, amount: refunded };
    },
    get purchaseEvents() {
      return { events, corrections };
    },
    get totals() {
      const isPayer = purchaseCount > 0;
      return { sessionCount, totalPlaytimeSeconds: seconds, purchaseCount, totalRevenue: Number(revenue), isPayer };
    },
  };
}

/** Clients rely on the code of a failure, not on its message. */
const told = (reply: Reply): object => (reply.kind === 'failure' ? { kind: 'failure', code: reply.code } : reply);

const hashOf = (request: Request): string => JSON.stringify({ ...request, key: '' });

function bodyOf(request: Request, eventId: string): CommandBody {
  const idempotency = request.key === undefined ? {} : { idempotency: { key: request.key, bodyHash: hashOf(request) } };
  if (request.kind === 'session') {
    const { id: sessionId, seconds: durationSeconds } = request;
    const times = { startedAt: null, endedAt: null };
    return { kind: 'RecordSession', playerId: ID, sessionId, ...times, durationSeconds, eventId, ...idempotency };
  }
  if (request.kind === 'refund') {
    const { amount, transaction: transactionId, id: refundId } = request;
    return { kind: 'RefundPurchase', playerId: ID, transactionId, amount, refundId, eventId, ...idempotency };
  }
  const { amount, transaction: transactionId } = request;
  const unsaid = { currency: null, productId: null };
  return { kind: 'RecordPurchase', playerId: ID, amount, ...unsaid, transactionId, eventId, ...idempotency };
}

it('any interleaving of sessions, purchases, repeats, crashes and rebuilds ends in the totals of a plain model', () => {
  assert(
    property(life, (steps) => {
      const owner = createOwner();
      const model = createModel();
      const requests: Request[] = [];
      steps.forEach((step, index) => {
        if (step.kind === 'rebuild') return owner.rebuild(step.from);
        const request = step.kind === 'again' ? requests.at(-step.back) : step.request;
        if (request === undefined) return;
        requests.push(request);
        const fate = step.kind === 'again' ? 'stored' : step.fate;
        const reply = owner.call(bodyOf(request, `e-${index}`), request.by, 2_000 + index * 60_000, fate);
        // What was lost was never answered; the model never heard of it.
        if (fate === 'stored') expect(told(reply)).toEqual(model.call(request));
      });
      owner.rebuild('log');
      const { sessionCount, totalPlaytimeSeconds, purchaseCount, totalRevenue, isPayer } = owner.player;
      expect({ sessionCount, totalPlaytimeSeconds, purchaseCount, totalRevenue, isPayer }).toEqual(model.totals);
      const { counters, activity } = owner.player;
      const counted = (name: string) => counters.find((counter) => counter.name === name)?.counts[0] ?? 0;
      expect(counted('session_recorded')).toBe(sessionCount);
      const { events, corrections } = model.purchaseEvents;
      expect([counted('purchase'), counted('purchase_corrected')]).toEqual([events, corrections]);
      expect(counted('purchase_refunded')).toBe(model.refunds.events);
      const rows = [...owner.purchaseRows.values()];
      expect(rows.reduce((sum, { refunds }) => sum + refunds, 0n)).toBe(model.refunds.amount);
      expect(rows.reduce((sum, { counts }) => sum + counts, 0)).toBe(purchaseCount);
      expect(rows.reduce((sum, { amount }) => sum + amount, 0n)).toBe(BigInt(totalRevenue));
      expect(activity.sessions[0] ?? 0).toBe(sessionCount);
      expect(activity.playtimeSeconds[0] ?? 0).toBe(totalPlaytimeSeconds);
    }),
    { numRuns: 400 },
  );
});

it('a purchase that is replaced days later counts on the day on which it was reported first', () => {
  const owner = createOwner();
  const day = 86_400_000;
  const taken: Purchase = {
    kind: 'purchase',
    amount: 9_000_000_000_000_000,
    transaction: 't1',
    key: undefined,
    by: 'client',
  };
  owner.call(bodyOf(taken, 'e-1'), 'client', 20_454 * day, 'stored');
  owner.rebuild('log');
  owner.rebuild('snapshot');
  owner.call(bodyOf({ ...taken, amount: 99_900 }, 'e-2'), 'server', 20_456 * day, 'stored');
  expect([...owner.purchaseRows]).toEqual([['2026-01-01', { counts: 1, amount: 99_900n, refunds: 0n }]]);
  owner.rebuild('log');
  expect(owner.player).toMatchObject({ totalRevenue: 99_900, purchaseCount: 1 });
});
