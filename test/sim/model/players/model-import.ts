import type { DomainFact } from '../../../../core/vocabulary/facts/facts.ts';
import type { ComputedEvents, ComputedUpdate } from '../../../../core/vocabulary/documents/computed.ts';
import {
  importLedgerIdOf,
  type ImportedReply,
  type ImportHistory,
} from '../../../../core/vocabulary/commands/import.ts';
import type { OtherLine, PlayerHistory } from '../../../../core/vocabulary/commands/import.ts';
import { unpackEvents, type PlainEvent } from '../../../../core/vocabulary/facts/packed-events.ts';
import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';
import type { EntityState, PlayerState } from '../../../../core/vocabulary/state/state.ts';
import { countedNow, lives } from './model-computed.ts';
import { predictImportedLife } from './model-lifecycle.ts';
import { countedBefore, predictSegments, type ModelSegment, type SegmentUpdate } from '../model-segments.ts';
import { digestOf, playedOn, refundedState } from './model-play.ts';
import { modelCounted } from './model-rates.ts';
import { countryIn, merged, newPlayer, newState, viewOf } from '../model-state.ts';

/**
 * Imported history as documented: each line counts once and at its own time, and triggers nothing. The model imports
 * line by line.
 */

/** What a prediction needs of its command. */
export interface Importing {
  view(entityId: string): EntityState | undefined;
  emit: (fact: DomainFact, next: EntityState) => void;
  /** Adds an evaluation of a player's segments, whose facts are imported ones. */
  evaluated(update: SegmentUpdate): void;
  segments: readonly ModelSegment[];
  /** Of the record. */
  sequence: number;
}

interface Line {
  line: number;
  event: PlainEvent | undefined;
  other: OtherLine | undefined;
}

export function predictImport(body: ImportHistory, importing: Importing, scope: Scope, at: number): ImportedReply {
  const { importId, after, to, players } = body;
  const ledgerId = importLedgerIdOf(scope.game, scope.environment, importId);
  const held = importing.view(ledgerId);
  const files = held?.kind === 'ledger' ? (held.imports ?? []) : [];
  const before = files.find((file) => file.importId === importId)?.line ?? 0;
  const reply: ImportedReply = {
    kind: 'imported',
    importedTo: Math.max(before, after > before ? 0 : to),
    imported: 0,
    repeated: 0,
    earlier: 0,
    rejected: [],
  };
  if (after > before) return reply;
  const changed = new Map<string, Seen>();
  for (const history of players) importPlayer(history, before, importing, scope, at, reply, changed);
  for (const [entityId, seen] of changed) {
    const state = importing.view(entityId);
    if (state?.kind === 'player') settle(state, seen, importing, { entityId, ...scope, at });
  }
  reply.rejected.sort((one, other) => one.line - other.line);
  if (to <= before) return reply;
  const ledger = held?.kind === 'ledger' ? held : newLedger(ledgerId, scope);
  const imports = [...files.filter((file) => file.importId !== importId), { importId, line: to, at }];
  const fact = { kind: 'ImportAdvanced', entityId: ledgerId, ...scope, at, line: to, importId } as const;
  importing.emit(fact, { ...ledger, imports });
  return reply;
}

const newLedger = (id: string, scope: Scope) => ({ kind: 'ledger', id, ...scope, keys: [], lastSeq: 0 }) as const;

function importPlayer(
  history: PlayerHistory,
  before: number,
  importing: Importing,
  scope: Scope,
  at: number,
  reply: ImportedReply,
  changed: Map<string, Seen>,
): void {
  const { playerId: id, externalId } = history;
  const base = { entityId: id, ...scope, at };
  const player = (): PlayerState | undefined => {
    const state = importing.view(id);
    return state?.kind === 'player' ? state : undefined;
  };
  const isErased = importing.view(id)?.kind === 'erased';
  const all = linesOf(history);
  const fresh = all.filter(({ line }) => line > before);
  for (const { line } of isErased ? all : []) reply.rejected.push({ line, message: '' });
  if (isErased) return;
  reply.earlier += all.length - fresh.length;
  if (fresh.length === 0) return;

  const known = player();
  const times = fresh
    .filter(isActivity)
    .map(({ event, other }) => event?.at ?? other?.player?.firstSeenAt ?? other?.at ?? 0);
  if (known === undefined) {
    // There is nothing to refund.
    if (times.length === 0) {
      for (const { line } of fresh) reply.rejected.push({ line, message: '' });
      return;
    }
    const born = newPlayer(id, externalId, Math.min(...times));
    importing.emit({ kind: 'PlayerImported', ...base, player: born }, newState(born, scope, at));
  }
  let hasPaid = known?.isPayer === true;
  const taken: Line[] = [];
  const events: (PlainEvent & { isPayer: boolean })[] = [];
  for (const one of fresh) {
    const state = player();
    if (state === undefined) return;
    const { event, other } = one;
    const outcome = other === undefined ? 'taken' : importOther(other, state, importing, base, history.events?.country);
    if (outcome === 'repeated') reply.repeated += 1;
    if (outcome === 'refused') reply.rejected.push({ line: one.line, message: '' });
    if (outcome !== 'taken') continue;
    taken.push(one);
    hasPaid ||= player()?.isPayer === true;
    if (event !== undefined) events.push({ ...event, isPayer: hasPaid });
  }
  reply.imported += taken.length;
  importEvents(events, history, player(), importing, base);
  const seen = taken.filter(isActivity).map(({ event, other }) => ({
    first: event?.at ?? other?.player?.firstSeenAt ?? other?.at ?? 0,
    last: event?.at ?? other?.at ?? 0,
  }));
  const state = player();
  if (state === undefined || (known !== undefined && taken.length === 0)) return;
  const part = changed.get(id) ?? { ...state, isNew: false, hasPlayed: false };
  changed.set(id, {
    firstSeenAt: Math.min(part.firstSeenAt, ...seen.map(({ first }) => first)),
    lastSeenAt: Math.max(part.lastSeenAt, ...seen.map(({ last }) => last)),
    isNew: part.isNew || known === undefined,
    hasPlayed: part.hasPlayed || state.activity !== known?.activity,
  });
}

function linesOf({ lines, events, others }: PlayerHistory): Line[] {
  const unpacked = events === undefined ? [] : unpackEvents(events.packed);
  return lines.map((line, place) => ({
    line,
    event: unpacked[place],
    other: others.find((other) => other.place === place),
  }));
}

type Base = Scope & { entityId: string; at: number };

/** A refund is no activity of the player. */
const isActivity = ({ other }: Line): boolean => other?.refund === undefined;

/** A line is repeated if the player has its transaction or refund. */
function importOther(
  other: OtherLine,
  state: PlayerState,
  { emit }: Importing,
  base: Base,
  country: string = state.country,
): 'taken' | 'repeated' | 'refused' {
  const { externalId } = state;
  const then = { ...base, at: other.at, externalId };
  const { purchase, refund, session, player } = other;
  if (purchase !== undefined) {
    const digest = purchase.transactionId === null ? null : digestOf(purchase.transactionId);
    if (digest !== null && state.recordedPurchases.some((known) => known.digest === digest)) return 'repeated';
    const counted = modelCounted(purchase);
    if (counted === undefined) return 'refused';
    const { amount } = counted;
    const totals = { totalRevenue: state.totalRevenue + amount, purchaseCount: state.purchaseCount + 1 };
    const details = { at: other.at, currency: purchase.currency, productId: purchase.productId };
    const recordedPurchases =
      digest === null
        ? state.recordedPurchases
        : [{ digest, ...counted, ...totals, details }, ...state.recordedPurchases];
    const { exchange: _, ...bought } = purchase;
    emit(
      { kind: 'PurchaseImported', ...then, ...bought, ...counted, digest },
      { ...state, ...totals, isPayer: true, recordedPurchases },
    );
  }
  if (refund !== undefined) {
    const { transactionId, refundId, amount: wanted } = refund;
    const transaction = digestOf(transactionId);
    const refundDigest = digestOf(refundId ?? `${transactionId}\n${other.at}\n${wanted}`);
    if ((state.recordedRefunds ?? []).some(({ digest }) => digest === refundDigest)) return 'repeated';
    const refunded = refundedState(state, { transaction, wanted, refundDigest });
    if (typeof refunded === 'string') return 'refused';
    const { amount, remaining, paid } = refunded.refund;
    const back = paid === undefined ? {} : { paid };
    const ids = { transactionId, digest: transaction, refundId, refundDigest };
    emit({ kind: 'RefundImported', ...then, amount, remaining, ...back, ...refunded.details, ...ids }, refunded.next);
  }
  if (session !== undefined) {
    const digest = digestOf(session.sessionId);
    if (state.recordedSessions.some((known) => known.digest === digest)) return 'taken';
    const totals = {
      sessionCount: state.sessionCount + 1,
      totalPlaytimeSeconds: state.totalPlaytimeSeconds + session.durationSeconds,
    };
    const activity = playedOn(state.activity, other.at, 1, session.durationSeconds);
    const recordedSessions = [{ digest, ...totals }, ...state.recordedSessions];
    const from = country === '' ? {} : { country };
    emit(
      { kind: 'SessionImported', ...then, ...session, ...from, digest },
      { ...state, ...totals, activity, recordedSessions },
    );
  }
  if (player !== undefined) {
    // What the player has is newer.
    const attributes = merged(player.attributes ?? '{}', state.attributes);
    const email = state.email ?? player.email ?? null;
    const deviceId = state.deviceId ?? player.deviceId ?? null;
    const next = { ...state, attributes, email, deviceId, country: countryIn(attributes) };
    const begun = player.firstSeenAt === undefined ? {} : { begunAt: player.firstSeenAt };
    emit({ kind: 'PlayerImported', ...base, player: viewOf(next), ...begun }, next);
  }
  return 'taken';
}

function importEvents(
  events: readonly (PlainEvent & { isPayer: boolean })[],
  { events: packedEvents }: PlayerHistory,
  state: PlayerState | undefined,
  importing: Importing,
  base: Base,
): void {
  if (state === undefined || events.length === 0 || packedEvents === undefined) return;
  const tallies: [string, number, number][] = [];
  let { counters } = state;
  for (const { eventName, at } of events) {
    const day = Math.floor(at / DAY_MS);
    const known = tallies.find(([name, other]) => name === eventName && other === day);
    if (known === undefined) tallies.push([eventName, day, 1]);
    else known[2] += 1;
    counters = countedBefore(counters, eventName, at);
  }
  const times = events.map(({ at }) => at);
  const unpaid = events.findIndex(({ isPayer }) => isPayer);
  const { externalId } = state;
  const { country = state.country, playedWith } = packedEvents;
  const active = countedNow((id) => importing.view(id), base);
  const all: ComputedEvents = { properties: [], events: [] };
  const { emit, sequence } = importing;
  let counting = state;
  for (const { eventName: name, properties, at } of events) {
    const { next, updates } = lives(counting, { sequence, name, properties, at }, active);
    counting = next;
    if (updates.length > 0) all.events.push({ at, values: updates.map((update) => placed(all, update)) });
  }
  const fact = {
    kind: 'EventsImported',
    ...base,
    externalId,
    country,
    // The bytes are compared as the events that they hold.
    packed: { ...packedEvents.packed, plain: events },
    fromAt: Math.min(...times),
    toAt: Math.max(...times),
    payerFrom: unpaid < 0 ? events.length : unpaid,
    tallies,
    ...(playedWith === undefined ? {} : { playedWith }),
    ...(all.events.length === 0 ? {} : { computed: all }),
  } as const;
  emit(comparable(fact), { ...counting, counters });
}

/** A value with the place of its property, which is listed once. */
function placed(
  { properties }: ComputedEvents,
  { value, ...property }: ComputedUpdate,
): ComputedEvents['events'][number]['values'][number] {
  const known = properties.findIndex(({ id }) => id === property.id);
  return [known < 0 ? properties.push(property) - 1 : known, value];
}

/** Imported events as the events, so that facts compare whatever packed them. */
export function comparable(fact: DomainFact): DomainFact {
  if (fact.kind !== 'EventsImported') return fact;
  const plain = 'plain' in fact.packed ? fact.packed.plain : unpackEvents(fact.packed);
  const packed = { count: fact.packed.count, bytes: Buffer.from(JSON.stringify(plain, FIELDS)) };
  return { ...fact, packed: { ...packed, count: Array.isArray(plain) ? plain.length : 0 } };
}

const FIELDS = ['at', 'eventId', 'eventName', 'properties', 'sessionId'];
const DAY_MS = 24 * 60 * 60 * 1000;

interface Seen {
  firstSeenAt: number;
  lastSeenAt: number;
  isNew: boolean;
  hasPlayed: boolean;
}

function settle(state: PlayerState, { isNew, hasPlayed, ...seen }: Seen, importing: Importing, base: Base): void {
  const { at } = base;
  const isMoved = seen.firstSeenAt !== state.firstSeenAt || seen.lastSeenAt !== state.lastSeenAt;
  let next = state;
  if (isNew || hasPlayed || isMoved || state.lifecycleStage === 'new') {
    const isLatest = isNew || seen.lastSeenAt > state.lastSeenAt;
    const life = predictImportedLife({ ...state, ...seen }, isLatest, at);
    const isSameStage = life.stage === state.lifecycleStage;
    next = {
      ...state,
      ...seen,
      lifecycleStage: life.stage,
      lifecycleChangedAt: life.stageChangedAt,
      churnHigh: life.churnHigh,
      lifecycleDueAt: life.dueAt,
      sessionsInStage: isSameStage ? state.sessionsInStage : 0,
    };
    importing.emit({ kind: 'HistoryImported', ...base, ...seen, ...life }, next);
  }
  const { segments } = importing;
  if (segments.length === 0) return;
  const update = predictSegments(next, segments, 'all', at);
  const facts = update.facts.map((fact) =>
    fact.kind === 'SegmentEntered' || fact.kind === 'SegmentExited' ? { ...fact, imported: true as const } : fact,
  );
  importing.evaluated({ ...update, facts });
}
