import type { Fact } from '../read/expected-rows.ts';

/** What is added up of a player. Money is in ten-thousandths. */
export interface Totals {
  sessions: number;
  purchases: number;
  revenue: number;
  playtimeSeconds: number;
  stage: string;
  /** Sum of a hash of the ids of the segments that the player is in, modulo 2³². */
  segments: number;
  /** The last record that concerns the player. */
  lastSequence: number;
}

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

const [UNKNOWN, KNOWN, ERASED] = [0, 1, 2];

/** The columns of a player's current totals, and of its newest snapshot. */
const FIELDS = ['sessions', 'purchases', 'revenue', 'playtimeSeconds', 'segments', 'lastSequence'] as const;
type Field = (typeof FIELDS)[number];
type Columns = Record<Field, Float64Array>;

const FIRST_SIZE = 1_024;
/** Playtime is a sum of fractions, whose order decides the last digits. */
const TOLERANCE_SECONDS = 0.001;

export function createPlayerTotals(): PlayerTotals {
  const indexes = new Map<string, number>();
  let now = columns(FIRST_SIZE);
  let last = columns(FIRST_SIZE);
  let snapshotSequence = new Float64Array(FIRST_SIZE);
  let stage = new Uint8Array(FIRST_SIZE);
  let lastStage = new Uint8Array(FIRST_SIZE);
  let state = new Uint8Array(FIRST_SIZE);
  let checked = 0;
  /** Stages by number, as they were met; 0: unknown. */
  const stageNames = [''];

  function stageNumber(name: string): number {
    const known = stageNames.indexOf(name);
    return known < 0 ? stageNames.push(name) - 1 : known;
  }

  function indexOf(player: string): number {
    const known = indexes.get(player);
    if (known !== undefined) return known;
    const index = indexes.size;
    indexes.set(player, index);
    if (index >= state.length) grow(2 * state.length);
    return index;
  }

  function grow(size: number): void {
    now = grown(now, size);
    last = grown(last, size);
    snapshotSequence = larger(snapshotSequence, new Float64Array(size));
    stage = larger(stage, new Uint8Array(size));
    lastStage = larger(lastStage, new Uint8Array(size));
    state = larger(state, new Uint8Array(size));
  }

  const add = (field: Field, index: number, amount: number): void => {
    now[field][index] = (now[field][index] ?? 0) + amount;
  };

  function begin(index: number, kind: number): void {
    for (const field of FIELDS) now[field][index] = 0;
    stage[index] = 0;
    snapshotSequence[index] = 0;
    state[index] = kind;
  }

  function change(fact: Fact, index: number): void {
    let segmentsOf = 0;
    switch (fact.kind) {
      case 'PlayerRegistered':
        begin(index, KNOWN);
        stage[index] = stageNumber(fact.player.lifecycleStage);
        return;
      case 'PlayerImported':
        // Of a player that lives, an import adds fields only. Whether an unknown one lived before does not matter
        // as long as it did nothing that is added up; its segments are unknown then.
        if (state[index] === KNOWN || fact.player.sessionCount > 0 || fact.player.isPayer) return;
        segmentsOf = state[index] === ERASED ? 0 : NaN;
        begin(index, KNOWN);
        now.segments[index] = segmentsOf;
        stage[index] = stageNumber(fact.player.lifecycleStage);
        return;
      case 'PlayerErased':
        begin(index, ERASED);
        return;
      case 'SessionOpened':
        return add('sessions', index, 1);
      case 'SessionClosed':
        return add('playtimeSeconds', index, fact.durationSeconds);
      case 'SessionRecorded':
      case 'SessionImported':
        add('sessions', index, 1);
        return add('playtimeSeconds', index, fact.durationSeconds);
      case 'PurchaseRecorded':
      case 'PurchaseImported':
        add('purchases', index, 1);
        return add('revenue', index, fact.amount);
      case 'PurchaseReversed':
        add('purchases', index, -1);
        return add('revenue', index, -fact.amount);
      case 'LifecycleChanged':
        stage[index] = stageNumber(fact.to);
        return;
      case 'HistoryImported':
        stage[index] = stageNumber(fact.stage);
        return;
      case 'SegmentEntered':
        return addSegment(index, hashOf(fact.segmentId));
      case 'SegmentExited':
        return addSegment(index, -hashOf(fact.segmentId));
      case 'ChurnRiskChanged':
      case 'EntitySnapshot':
      case 'EventImported':
      case 'EventQuarantined':
      case 'EventTracked':
      case 'EventsImported':
      case 'FlagExposed':
      case 'FlagOverridden':
      case 'FlagsServed':
      case 'IdempotencyKeyUsed':
      case 'ImportAdvanced':
      case 'InterventionClicked':
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
      case 'SegmentsScheduled':
      case 'SessionFlagsTold':
      case 'SessionSynced':
      case 'SnapshotMark':
        return;
    }
  }

  function addSegment(index: number, amount: number): void {
    const before = now.segments[index] ?? 0;
    if (!Number.isNaN(before)) now.segments[index] = (before + amount) >>> 0;
  }

  function totalsAt(from: Columns, stages: Uint8Array, index: number): Totals {
    const read = (field: Field): number => from[field][index] ?? 0;
    return {
      sessions: read('sessions'),
      purchases: read('purchases'),
      revenue: read('revenue'),
      playtimeSeconds: read('playtimeSeconds'),
      stage: stageNames[stages[index] ?? 0] ?? '',
      segments: read('segments'),
      lastSequence: read('lastSequence'),
    };
  }

  /** A snapshot holds the player as it was before the record that carries it. */
  function takeSnapshot(snapshot: Totals, index: number, sequence: number): string | undefined {
    let fault: string | undefined;
    if (state[index] === KNOWN && now.lastSequence[index] === snapshot.lastSequence) {
      checked += 1;
      fault = differenceOf(totalsAt(now, stage, index), snapshot);
      if (Number.isNaN(now.segments[index])) now.segments[index] = snapshot.segments;
    }
    if (state[index] === UNKNOWN && (now.lastSequence[index] ?? 0) <= snapshot.lastSequence) {
      for (const field of FIELDS) now[field][index] = snapshot[field];
      stage[index] = stageNumber(snapshot.stage);
      state[index] = KNOWN;
    }
    for (const field of FIELDS) last[field][index] = snapshot[field];
    lastStage[index] = stageNumber(snapshot.stage);
    snapshotSequence[index] = sequence;
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
        return takeSnapshot(snapshot, indexOf(fact.entityId.toLowerCase()), sequence);
      }
      if (!isOfPlayer(fact.entityId)) return undefined;
      const index = indexOf(fact.entityId.toLowerCase());
      change(fact, index);
      now.lastSequence[index] = sequence;
      return undefined;
    },
    snapshotOf(player) {
      const index = indexes.get(player);
      if (index === undefined || (snapshotSequence[index] ?? 0) === 0) return undefined;
      return { ...totalsAt(last, lastStage, index), sequence: snapshotSequence[index] ?? 0 };
    },
    isErased: (player) => state[indexes.get(player) ?? -1] === ERASED,
    players: () => indexes.keys(),
    get size() {
      return indexes.size;
    },
    get checked() {
      return checked;
    },
  };
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

function columns(size: number): Columns {
  const column = (): Float64Array => new Float64Array(size);
  return {
    sessions: column(),
    purchases: column(),
    revenue: column(),
    playtimeSeconds: column(),
    segments: column(),
    lastSequence: column(),
  };
}

function grown(before: Columns, size: number): Columns {
  const after = columns(size);
  for (const field of FIELDS) after[field].set(before[field]);
  return after;
}

function larger<T extends Float64Array | Uint8Array>(before: T, after: T): T {
  after.set(before);
  return after;
}
