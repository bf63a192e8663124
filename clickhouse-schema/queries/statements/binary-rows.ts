/** Splits a stream of RowBinary with one String column into its values. */
export interface BinaryRows {
  /** The values that end in this chunk. They may share its memory. */
  take(chunk: Uint8Array): Uint8Array[];
  /** Throws if the stream ended inside a value. */
  end(): void;
}

/** @param longest bytes of the longest value; a longer one is not data of ours */
export function createBinaryRows(longest: number): BinaryRows {
  let rest: Uint8Array = new Uint8Array(0);
  /** Chunks of a value that has not ended, and their bytes. */
  let pieces: Uint8Array[] = [];
  let pieceBytes = 0;
  /** Bytes needed before the value can be complete. */
  let wanted = 1;

  return {
    take(chunk) {
      pieces.push(chunk);
      pieceBytes += chunk.length;
      if (rest.length + pieceBytes < wanted) return [];
      const bytes = rest.length + pieceBytes === chunk.length ? chunk : Buffer.concat([rest, ...pieces]);
      [pieces, pieceBytes] = [[], 0];
      const values: Uint8Array[] = [];
      let at = 0;
      for (;;) {
        const head = readLength(bytes, at);
        if (head !== undefined && head.length > longest) {
          throw new Error(`A row has ${head.length} bytes; the maximum is ${longest}.`);
        }
        const end = head === undefined ? Infinity : head.at + head.length;
        if (head === undefined || end > bytes.length) {
          wanted = (head === undefined ? bytes.length + 1 : end) - at;
          break;
        }
        values.push(bytes.subarray(head.at, end));
        at = end;
      }
      rest = bytes.subarray(at);
      return values;
    },
    end() {
      if (rest.length + pieceBytes > 0) throw new Error('The result ended inside a row.');
    },
  };
}

/** A length in LEB128, and where its value begins; `undefined` when the bytes end before. */
function readLength(bytes: Uint8Array, start: number): { length: number; at: number } | undefined {
  let length = 0;
  for (let at = start, factor = 1; at < bytes.length; at++, factor *= 128) {
    const byte = bytes[at] ?? 0;
    length += (byte & 0x7f) * factor;
    if (byte < 0x80) return { length, at: at + 1 };
  }
  return undefined;
}
