import type { Member } from './audience.ts';

/**
 * Adds up the unsent bytes of all readers, and selects the readers to disconnect so that the sum stays below the limit:
 * the fullest ones, as few as possible.
 * @returns the remaining bytes
 */
export function overfullReaders(
  members: Iterable<Member>,
  limitBytes: number,
): { bufferedBytes: number; overfull: Member[] } {
  const full: { member: Member; bytes: number }[] = [];
  let bufferedBytes = 0;
  for (const member of members) {
    const bytes = member.reader.bufferedBytes();
    bufferedBytes += bytes;
    if (bytes > 0) full.push({ member, bytes });
  }
  const overfull: Member[] = [];
  if (bufferedBytes <= limitBytes) return { bufferedBytes, overfull };
  for (const { member, bytes } of full.sort((one, other) => other.bytes - one.bytes)) {
    if (bufferedBytes <= limitBytes) break;
    bufferedBytes -= bytes;
    overfull.push(member);
  }
  return { bufferedBytes, overfull };
}
