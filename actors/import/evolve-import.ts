import { hasRoomForDetails } from '../purchases/evolve-purchases.ts';
import { dayOf } from '../../core/kernel/days.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { ledgerOf } from '../decision/evolve-player.ts';
import { withAllComputed, withComputed } from '../computed/evolve-properties.ts';
import { countedLate } from '../computed/event-counters.ts';
import { countryOf } from '../player/attributes.ts';
import { registered } from '../player/evolve-player.ts';
import { played } from '../sessions/activity.ts';
import type {
  EventImported,
  EventsImported,
  HistoryImported,
  ImportAdvanced,
  PlayerImported,
  PurchaseImported,
  SessionImported,
} from '../../core/vocabulary/facts/import-facts.ts';
import type { EntityState, LedgerState, PlayerState } from '../../core/vocabulary/state/state.ts';

/* The states after imported history. None of these steps replaces what live traffic made. */

export function playerImported(state: EntityState | undefined, fact: PlayerImported): PlayerState {
  if (state?.kind !== 'player') return registered(state, { ...fact, kind: 'PlayerRegistered' });
  return { ...state, ...fact.player, country: countryOf(fact.player.attributes) };
}

export function eventImported(state: PlayerState, { eventName, at, computed }: EventImported): PlayerState {
  const counters = countedLate(state.counters, eventName, dayOf(at), 1);
  if (computed !== undefined) return { ...state, counters, computed: withComputed(state.computed, computed, at) };
  return counters === state.counters ? state : { ...state, counters };
}

export function eventsImported(state: PlayerState, { tallies, computed }: EventsImported): PlayerState {
  let { counters } = state;
  for (const [eventName, day, count] of tallies) counters = countedLate(counters, eventName, day, count);
  if (computed !== undefined) return { ...state, counters, computed: withAllComputed(state.computed, computed) };
  return counters === state.counters ? state : { ...state, counters };
}

/** Beyond the bound, the ids of live sessions stay and the imported one is not remembered. */
export function sessionImported(state: PlayerState, { at, digest, durationSeconds }: SessionImported): PlayerState {
  const sessionCount = state.sessionCount + 1;
  const totalPlaytimeSeconds = state.totalPlaytimeSeconds + durationSeconds;
  const { recordedSessions } = state;
  return {
    ...state,
    sessionCount,
    totalPlaytimeSeconds,
    activity: played(state.activity, at, 1, durationSeconds),
    recordedSessions:
      recordedSessions.length >= STATE_LIMITS.recordedSessions
        ? recordedSessions
        : [{ digest, sessionCount, totalPlaytimeSeconds }, ...recordedSessions],
  };
}

/** Beyond the bound, the ids of live purchases stay and the imported one is not remembered. */
export function purchaseImported(state: PlayerState, fact: PurchaseImported): PlayerState {
  const { amount, paid, digest, at, currency, productId } = fact;
  const totalRevenue = state.totalRevenue + amount;
  const purchaseCount = state.purchaseCount + 1;
  const { recordedPurchases } = state;
  const converted = paid === undefined ? {} : { paid };
  const details = hasRoomForDetails(recordedPurchases) ? { details: { at, currency, productId } } : {};
  return {
    ...state,
    totalRevenue,
    purchaseCount,
    isPayer: true,
    recordedPurchases:
      digest === null || recordedPurchases.length >= STATE_LIMITS.recordedPurchases
        ? recordedPurchases
        : [{ digest, amount, ...converted, totalRevenue, purchaseCount, ...details }, ...recordedPurchases],
  };
}

export function historyImported(state: PlayerState, fact: HistoryImported): PlayerState {
  const { firstSeenAt, lastSeenAt, stage: lifecycleStage, stageChangedAt: lifecycleChangedAt, churnHigh } = fact;
  return {
    ...state,
    firstSeenAt,
    lastSeenAt,
    lifecycleStage,
    lifecycleChangedAt,
    churnHigh,
    lifecycleDueAt: fact.dueAt,
    sessionsInStage: lifecycleStage === state.lifecycleStage ? state.sessionsInStage : 0,
  };
}

/** The first command of a file creates its ledger. */
export function importAdvanced(state: EntityState | undefined, fact: ImportAdvanced): LedgerState {
  const { at, line, importId, forgets } = fact;
  const ledger = ledgerOf(state, fact);
  const others = (ledger.imports ?? []).filter((file) => file.importId !== importId && file.importId !== forgets);
  return { ...ledger, imports: [...others, { importId, line, at }] };
}
