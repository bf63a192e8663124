import { decodeGuest } from '../../../../core/codec/stored-guest.ts';
import type { Fact } from '../read/fact-rows.ts';
import { createPlayerColumns, ERASED, KNOWN, type PlayerColumns, type Totals, UNKNOWN } from './player-columns.ts';

/** A player's newest snapshot in the log. */
export interface SnapshotTotals extends Totals {
  /** The record that holds it. */
  sequence: number;
}

/**
 * Adds up the facts of each player.
 *
 * Each player has an index, found by its id, and its numbers are in typed arrays: about 250 bytes of a player, those of
 * the id included, however many facts it has.
 *
 * A player's totals are known from its registration, or else from its first snapshot in the log: what happened before
 * has been trimmed.
 */
export interface PlayerTotals {
  /** @returns what a snapshot says otherwise than the facts before it; `undefined`: nothing */
  take(fact: Fact, sequence: number): string | undefined;
  snapshotOf(player: string): SnapshotTotals | undefined;
  isErased(player: string): boolean;
  players(): IterableIterator<string>;
  readonly size: number;
  /** Snapshots that were compared with the facts before them. */
  readonly checked: number;
}

/** Playtime is a sum of fractions, whose order decides the last digits. */
const TOLERANCE_SECONDS = 0.001;

export function createPlayerTotals(): PlayerTotals {
  const columns = createPlayerColumns();
  let checked = 0;

  /** A snapshot holds the player as it was before the record that carries it. */
  function takeSnapshot(snapshot: Totals, index: number, sequence: number): string | undefined {
    const { now, state } = columns;
    let fault: string | undefined;
    if (state[index] === KNOWN && now.lastSequence[index] === snapshot.lastSequence) {
      checked += 1;
      fault = differenceOf(columns.totalsAt('now', index), snapshot);
      if (Number.isNaN(now.segments[index])) now.segments[index] = snapshot.segments;
    }
    if (state[index] === UNKNOWN && (now.lastSequence[index] ?? 0) <= snapshot.lastSequence) {
      columns.write('now', index, snapshot);
      state[index] = KNOWN;
    }
    columns.write('last', index, snapshot);
    columns.snapshotSequence[index] = sequence;
    return fault;
  }

  return {
    take(fact, sequence) {
      if (fact.kind === 'SnapshotMark' || NOT_OF_PLAYERS.has(fact.kind)) return undefined;
      if (fact.kind === 'EntitySnapshot') {
        if (fact.state.kind !== 'player') return undefined;
        const { state: player } = fact;
        const segments = player.segments.reduce((sum, { segmentId }) => (sum + hashOf(segmentId)) >>> 0, 0);
        const snapshot = {
          sessions: player.sessionCount,
          purchases: player.purchaseCount,
          revenue: player.totalRevenue,
          playtimeSeconds: player.totalPlaytimeSeconds,
          stage: player.lifecycleStage,
          segments,
          lastSequence: player.lastSeq,
        };
        return takeSnapshot(snapshot, columns.indexOf(fact.entityId.toLowerCase()), sequence);
      }
      if (!isOfPlayer(fact.entityId)) return undefined;
      const index = columns.indexOf(fact.entityId.toLowerCase());
      addFact(columns, index, fact);
      columns.now.lastSequence[index] = sequence;
      return undefined;
    },
    snapshotOf(player) {
      const index = columns.indexes.get(player);
      const sequence = index === undefined ? 0 : (columns.snapshotSequence[index] ?? 0);
      return index === undefined || sequence === 0 ? undefined : { ...columns.totalsAt('last', index), sequence };
    },
    isErased: (player) => columns.state[columns.indexes.get(player) ?? -1] === ERASED,
    players: () => columns.indexes.keys(),
    get size() {
      return columns.indexes.size;
    },
    get checked() {
      return checked;
    },
  };
}

/** Adds a fact to the current totals of its player. */
function addFact(columns: PlayerColumns, index: number, fact: Fact): void {
  switch (fact.kind) {
    case 'PlayerRegistered':
    case 'PlayerImported':
    case 'PlayerErased':
      return begin(columns, index, fact);
    case 'SessionOpened':
      return columns.add('sessions', index, 1);
    case 'SessionClosed':
      return columns.add('playtimeSeconds', index, fact.durationSeconds);
    case 'SessionRecorded':
    case 'SessionImported':
      columns.add('sessions', index, 1);
      return columns.add('playtimeSeconds', index, fact.durationSeconds);
    case 'PurchaseRecorded':
    case 'PurchaseImported':
      columns.add('purchases', index, 1);
      return columns.add('revenue', index, fact.amount);
    case 'ReceiptDecided':
      columns.add('purchases', index, fact.counts);
      return columns.add('revenue', index, fact.counts * fact.amount);
    case 'PurchaseReversed':
      columns.add('purchases', index, -1);
      return columns.add('revenue', index, -fact.amount);
    case 'PurchaseRefunded':
    case 'RefundImported':
      if (fact.remaining === 0) columns.add('purchases', index, -1);
      return columns.add('revenue', index, -fact.amount);
    case 'LifecycleChanged':
      return columns.setStage('now', index, fact.to);
    case 'HistoryImported':
      return columns.setStage('now', index, fact.stage);
    case 'SegmentEntered':
      return addSegment(columns, index, hashOf(fact.segmentId));
    case 'SegmentExited':
      return addSegment(columns, index, -hashOf(fact.segmentId));
    case 'PlayerAbsorbed':
      return addGuest(columns, index, fact.guest, 1);
    case 'GuestReleased':
      return addGuest(columns, index, fact.guest, -1);
    // The guest's next snapshot as a player says again what is known of it.
    case 'PlayerMerged':
    case 'PlayerUnmerged':
      return columns.clear(index, UNKNOWN);
    case 'MergeFinished':
    case 'MergeCancelled':
    case 'UnmergeBegun':
    case 'MergeSettled':
    case 'ChurnRiskChanged':
    case 'EntitySnapshot':
    case 'EventImported':
    case 'EventQuarantined':
    case 'EventTracked':
    case 'EventsImported':
    case 'FlagExposed':
    case 'FlagOverridden':
    case 'FlagsServed':
    case 'GuardrailTripped':
    case 'IdempotencyKeyUsed':
    case 'ImportAdvanced':
    case 'InterventionClicked':
    case 'InterventionDismissed':
    case 'InterventionOffered':
    case 'InterventionShown':
    case 'InterventionSuppressed':
    case 'InterventionTriggered':
    case 'LifecycleScheduled':
    case 'PlayerListed':
    case 'PlayerUpdated':
    case 'PropertiesChanged':
    case 'PropertiesDropped':
    case 'PropertyFilled':
    case 'PurchaseHeld':
    case 'SegmentsScheduled':
    case 'SessionFlagsTold':
    case 'SessionSynced':
    case 'SnapshotMark':
    case 'TestPlayersCounted':
      return;
  }
}

/** Adds what a guest brought to its account, or takes it off. @param bytes empty: nothing */
function addGuest(columns: PlayerColumns, index: number, bytes: Uint8Array, sign: 1 | -1): void {
  if (bytes.length === 0) return;
  const guest = decodeGuest(bytes);
  columns.add('sessions', index, sign * guest.sessionCount);
  columns.add('purchases', index, sign * guest.purchaseCount);
  columns.add('revenue', index, sign * guest.totalRevenue);
  columns.add('playtimeSeconds', index, sign * guest.totalPlaytimeSeconds);
}

type Of<K extends Fact['kind']> = Extract<Fact, { kind: K }>;

/** A player's life begins or ends. */
function begin(
  columns: PlayerColumns,
  index: number,
  fact: Of<'PlayerRegistered' | 'PlayerImported' | 'PlayerErased'>,
): void {
  if (fact.kind === 'PlayerErased') return columns.clear(index, ERASED);
  const { player } = fact;
  if (fact.kind === 'PlayerRegistered') columns.clear(index, KNOWN);
  else {
    // Of a player that lives, an import adds fields only. Whether an unknown one lived before does not matter
    // as long as it did nothing that is added up; its segments are unknown then.
    const before = columns.state[index];
    if (before === KNOWN || player.sessionCount > 0 || player.isPayer) return;
    columns.clear(index, KNOWN);
    columns.now.segments[index] = before === ERASED ? 0 : NaN;
  }
  columns.setStage('now', index, player.lifecycleStage);
}

function addSegment({ now }: PlayerColumns, index: number, amount: number): void {
  const before = now.segments[index] ?? 0;
  if (!Number.isNaN(before)) now.segments[index] = (before + amount) >>> 0;
}

/** What one of two totals says otherwise; `undefined`: nothing. */
function differenceOf(facts: Totals, said: Totals): string | undefined {
  const faults: string[] = [];
  if (facts.sessions !== said.sessions) faults.push(`${said.sessions} sessions instead of ${facts.sessions}`);
  if (facts.purchases !== said.purchases) faults.push(`${said.purchases} purchases instead of ${facts.purchases}`);
  if (facts.revenue !== said.revenue) {
    faults.push(`revenue ${said.revenue / 10_000} instead of ${facts.revenue / 10_000}`);
  }
  if (Math.abs(facts.playtimeSeconds - said.playtimeSeconds) > TOLERANCE_SECONDS) {
    faults.push(`playtime ${said.playtimeSeconds} s instead of ${facts.playtimeSeconds} s`);
  }
  if (facts.stage !== said.stage) faults.push(`stage ${said.stage} instead of ${facts.stage}`);
  if (!Number.isNaN(facts.segments) && facts.segments !== said.segments) faults.push('other segments');
  return faults.length === 0 ? undefined : faults.join(', ');
}

/** Ledgers of API keys and imports. */
const isOfPlayer = (entityId: string): boolean => !entityId.startsWith('ledger:');
const NOT_OF_PLAYERS: ReadonlySet<string> = new Set(['ImportAdvanced']);

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return hash >>> 0;
}
