/**
 * The partition of a player or of an API key: FNV-1a (32 bit) over the id's UTF-16 code units, modulo the partition
 * count. Never change it: stored data depends on this hash and on the deployment's partition count.
 */
export function partitionOf(id: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) {
    hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % partitions;
}
