import type { Subject } from '../../decision/targeting.ts';

/**
 * Reads the membership from the player's state; the segment's condition is not evaluated again. A binary search, as
 * memberships are sorted by id: a player may have hundreds, and many flags read them.
 */
export function isMember(subject: Pick<Subject, 'player' | 'isMember'>, segmentId: string): boolean {
  if (subject.isMember !== undefined) return subject.isMember(segmentId);
  const { segments } = subject.player;
  let from = 0;
  let to = segments.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const id = segments[middle]?.segmentId ?? '';
    if (id === segmentId) return true;
    if (id < segmentId) from = middle + 1;
    else to = middle;
  }
  return false;
}
