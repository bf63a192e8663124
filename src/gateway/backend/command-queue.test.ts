import { expect, test } from 'vitest';
import { pendingBytes } from './command-queue.ts';

const MIB = 1024 * 1024;

test.each([
  [1, 64],
  [4, 64],
  [10, 25.6],
  [32, 8],
  [256, 2],
])('of %i partitions, each may have %d MiB of commands waiting', (partitions, mib) => {
  expect(pendingBytes(partitions)).toBe(Math.floor(mib * MIB));
});
