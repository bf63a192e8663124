/** The bytes of one record, which may come in several chunks. Beyond `maxBytes` they are dropped. */
export interface HeldBytes {
  readonly isEmpty: boolean;
  readonly isTooLong: boolean;
  hold(piece: Buffer): void;
  /** Ends the record; empty if it is too long. */
  take(): Buffer;
}

export function createHeldBytes(maxBytes: number): HeldBytes {
  let held: Buffer[] = [];
  let bytes = 0;
  return {
    get isEmpty() {
      return bytes === 0;
    },
    get isTooLong() {
      return bytes > maxBytes;
    },
    hold(piece) {
      bytes += piece.length;
      if (bytes > maxBytes) held = [];
      else if (piece.length > 0) held.push(piece);
    },
    take() {
      const [first] = held;
      const joined = first !== undefined && held.length === 1 ? first : Buffer.concat(held);
      held = [];
      bytes = 0;
      return joined;
    },
  };
}
