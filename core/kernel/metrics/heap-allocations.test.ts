import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { countAllocations } from './heap-allocations.ts';

test('allocated bytes include what collections have freed since', async () => {
  const count = countAllocations(systemClock);
  const beforeBytes = count.totalBytes();
  // 20 blocks of 8 MB; each is garbage before the next one, so the heap itself grows by far less.
  let block: unknown[] = [];
  for (let turn = 0; turn < 20; turn++) {
    block = Array.from({ length: 1_000_000 }).fill(turn);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const allocatedBytes = count.totalBytes() - beforeBytes;
  count.stop();
  expect(block).toHaveLength(1_000_000);
  expect(allocatedBytes).toBeGreaterThan(20 * 8_000_000 * 0.99);
});
