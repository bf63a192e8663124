import type { Log, StreamBounds } from '../../../log/log.ts';

/**
 * The sequence of the first record of FACTS that was stored at or after a time; past the last one if there is none. A
 * binary search: records are stored in the order of their times.
 * @param atMs epoch milliseconds of the broker's clock
 */
export async function sequenceAt(
  log: Pick<Log, 'next'>,
  { firstSequence, lastSequence }: Pick<StreamBounds, 'firstSequence' | 'lastSequence'>,
  atMs: number,
): Promise<number> {
  let [low, high] = [firstSequence, lastSequence + 1];
  // Records before `low` are older; the record at `high`, if any, is not.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const record = await log.next('FACTS', ANY_PARTITION, middle);
    if (record === undefined || record.storedAtMs >= atMs) high = middle;
    else low = record.sequence + 1;
  }
  return low;
}

const ANY_PARTITION = 'facts.*';
