import { expect, test } from 'vitest';
import { bytesPerHotPlayer } from './restarts.ts';

test('a player in memory takes what came with it, not what the process took before', () => {
  const before = { hotPlayers: 10, rssMiB: 300, mappedMiB: 50, usedBytes: 50_000_000 };
  const after = { hotPlayers: 1_010, rssMiB: 500, mappedMiB: 50, usedBytes: 53_000_000 };
  expect(bytesPerHotPlayer(before, after)).toBe(3_000);
  expect(bytesPerHotPlayer(before, before)).toBeNaN();
});
