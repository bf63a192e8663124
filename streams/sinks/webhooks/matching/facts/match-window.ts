/** A record that was read; it is done once all holders have released it. */
export interface ReadRecord {
  readonly sequence: number;
  holders: number;
}

/** The records of FACTS that one reader has read, in order, and that are not done yet. */
export interface MatchWindow {
  /** Sequence of the last record that was read. */
  readonly taken: number;
  /** Every record up to and including this sequence is done. */
  readonly position: number;
  /** Adds a record that was read. The caller is its first holder, until it calls `release`. */
  add(sequence: number): ReadRecord;
  hold(record: ReadRecord): void;
  release(record: ReadRecord): void;
}

/** @param position the last sequence that is already done */
export function createMatchWindow(position: number): MatchWindow {
  const open: ReadRecord[] = [];
  let taken = position;
  return {
    get taken() {
      return taken;
    },
    get position() {
      const [first] = open;
      return first === undefined ? taken : first.sequence - 1;
    },
    add(sequence) {
      taken = sequence;
      const record = { sequence, holders: 1 };
      open.push(record);
      return record;
    },
    hold(record) {
      record.holders += 1;
    },
    release(record) {
      record.holders -= 1;
      while (open[0]?.holders === 0) open.shift();
    },
  };
}
