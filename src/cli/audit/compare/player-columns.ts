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

/** What is known of a player. */
export const [UNKNOWN, KNOWN, ERASED] = [0, 1, 2];

/** The columns of a player's current totals, and of its newest snapshot. */
const FIELDS = ['sessions', 'purchases', 'revenue', 'playtimeSeconds', 'segments', 'lastSequence'] as const;
type Field = (typeof FIELDS)[number];
type Columns = Record<Field, Float64Array>;
/** Current totals, or those of the newest snapshot. */
type Which = 'now' | 'last';

const FIRST_SIZE = 1_024;

/** The totals of all players in typed arrays, by the index of the player. The arrays are replaced when they grow. */
export interface PlayerColumns {
  readonly indexes: ReadonlyMap<string, number>;
  readonly now: Columns;
  readonly state: Uint8Array;
  readonly snapshotSequence: Float64Array;
  /** The player's index; a new one for a new player. */
  indexOf(player: string): number;
  totalsAt(which: Which, index: number): Totals;
  write(which: Which, index: number, totals: Totals): void;
  setStage(which: Which, index: number, name: string): void;
  /** Adds to a current total. */
  add(field: Field, index: number, amount: number): void;
  /** Clears the current totals and the snapshot of a player. */
  clear(index: number, state: number): void;
}

export function createPlayerColumns(): PlayerColumns {
  const indexes = new Map<string, number>();
  const totals = { now: columnsOf(FIRST_SIZE), last: columnsOf(FIRST_SIZE) };
  const stages = { now: new Uint8Array(FIRST_SIZE), last: new Uint8Array(FIRST_SIZE) };
  let snapshotSequence = new Float64Array(FIRST_SIZE);
  let state = new Uint8Array(FIRST_SIZE);
  /** Stages by number, as they were met; 0: unknown. */
  const stageNames = [''];

  function stageNumber(name: string): number {
    const known = stageNames.indexOf(name);
    return known < 0 ? stageNames.push(name) - 1 : known;
  }

  function grow(size: number): void {
    for (const which of ['now', 'last'] as const) {
      totals[which] = columnsOf(size, totals[which]);
      stages[which] = larger(stages[which], new Uint8Array(size));
    }
    snapshotSequence = larger(snapshotSequence, new Float64Array(size));
    state = larger(state, new Uint8Array(size));
  }

  function setStage(which: Which, index: number, name: string): void {
    stages[which][index] = stageNumber(name);
  }

  return {
    indexes,
    get now() {
      return totals.now;
    },
    get state() {
      return state;
    },
    get snapshotSequence() {
      return snapshotSequence;
    },
    indexOf(player) {
      const known = indexes.get(player);
      if (known !== undefined) return known;
      const index = indexes.size;
      indexes.set(player, index);
      if (index >= state.length) grow(2 * state.length);
      return index;
    },
    totalsAt(which, index) {
      const read = (field: Field): number => totals[which][field][index] ?? 0;
      return {
        sessions: read('sessions'),
        purchases: read('purchases'),
        revenue: read('revenue'),
        playtimeSeconds: read('playtimeSeconds'),
        stage: stageNames[stages[which][index] ?? 0] ?? '',
        segments: read('segments'),
        lastSequence: read('lastSequence'),
      };
    },
    write(which, index, values) {
      for (const field of FIELDS) totals[which][field][index] = values[field];
      setStage(which, index, values.stage);
    },
    setStage,
    add(field, index, amount) {
      totals.now[field][index] = (totals.now[field][index] ?? 0) + amount;
    },
    clear(index, to) {
      for (const field of FIELDS) totals.now[field][index] = 0;
      stages.now[index] = 0;
      snapshotSequence[index] = 0;
      state[index] = to;
    },
  };
}

/** @param before what the columns begin with */
function columnsOf(size: number, before?: Columns): Columns {
  const column = (field: Field): Float64Array => larger(before?.[field] ?? new Float64Array(0), new Float64Array(size));
  return {
    sessions: column('sessions'),
    purchases: column('purchases'),
    revenue: column('revenue'),
    playtimeSeconds: column('playtimeSeconds'),
    segments: column('segments'),
    lastSequence: column('lastSequence'),
  };
}

function larger<T extends Float64Array | Uint8Array>(before: T, after: T): T {
  after.set(before);
  return after;
}
