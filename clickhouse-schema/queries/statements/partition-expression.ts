/**
 * `partitionOf` (core/kernel/partition.ts) of a column of UUIDs as an expression of ClickHouse: FNV-1a over the 36
 * characters, eight at a time from an integer. It takes a fraction of a microsecond a row, so that a reader of one
 * partition need not receive the rows of the others.
 * @param partitions an expression
 */
export function partitionExpression(column: string, partitions: string): string {
  let hash = String(0x811c9dc5);
  for (let place = 0; place < UUID_CHARS; place++) {
    const word = `reinterpretAsUInt64(substring(toString(${column}), ${Math.floor(place / 8) * 8 + 1}, 8))`;
    const character = `bitAnd(bitShiftRight(${word}, ${(place % 8) * 8}), 255)`;
    hash = `bitAnd(bitXor(${hash}, ${character}) * 16777619, 4294967295)`;
  }
  return `${hash} % ${partitions}`;
}

const UUID_CHARS = 36;
