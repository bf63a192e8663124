/**
 * Finds every occurrence of a field in bytes that come in pieces, as from a socket: the text between a mark and an end
 * byte. The bytes between fields cost one search and no copy, so that one process can read very many messages.
 * @param onField gets the text of each field, in order
 * @returns takes the next piece, which is valid during the call only
 */
export function createFieldScanner(
  mark: string,
  end: string,
  onField: (text: string) => void,
): (piece: Buffer) => void {
  const markBytes = Buffer.from(mark, 'latin1');
  const endByte = end.charCodeAt(0);
  /** The end of the last piece, where a field or a mark was cut off. */
  let rest: Buffer | undefined;

  return (piece) => {
    const data = rest === undefined ? piece : Buffer.concat([rest, piece]);
    for (let at = 0; ;) {
      const begin = data.indexOf(markBytes, at);
      const to = begin < 0 ? -1 : data.indexOf(endByte, begin + markBytes.length);
      if (to < 0) {
        const keptBytes = begin < 0 ? beginningOf(markBytes, data.subarray(at)) : data.length - begin;
        rest = keptBytes === 0 ? undefined : Buffer.from(data.subarray(data.length - keptBytes));
        return;
      }
      onField(data.toString('latin1', begin + markBytes.length, to));
      at = to;
    }
  };
}

/** How many bytes at the end of `data` may be the beginning of the mark. */
function beginningOf(mark: Buffer, data: Buffer): number {
  for (let size = Math.min(mark.length - 1, data.length); size > 0; size--) {
    if (data.subarray(data.length - size).equals(mark.subarray(0, size))) return size;
  }
  return 0;
}
