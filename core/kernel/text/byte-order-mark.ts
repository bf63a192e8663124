const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The bytes without the UTF-8 byte order mark that C# and Windows editors write at the start of a text. */
export function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === BYTE_ORDER_MARK[0] && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
}
