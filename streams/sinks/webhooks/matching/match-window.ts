/** A record that was read; it is done once everything that holds it has let go. */
export interface ReadRecord {
  readonly sequence: number;
  holders: number;
}

/** The records of FACTS that were read in order and are not done yet, and how far all before them are. */
export interface MatchWindow {
  /** The record that was read last. */
  readonly taken: number;
  /** Every record up to and including this sequence is done. */
  readonly position: number;
  /** A record was read. The caller holds it once, until it calls `release`. */
  add(sequence: number): ReadRecord;
  hold(record: ReadRecord): void;
  release(record: ReadRecord): void;
}

/** @param position the last sequence that was done before */
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
