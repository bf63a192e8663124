import { expect, test } from 'vitest';
import { SUPERVISOR_LIMITS } from './limits.ts';
import { heapBytes, processCount } from './process-count.ts';

const GIB = 1024 ** 3;
const ALL = ['gateway', 'actors', 'sinks'] as const;
const chosen = (cores: number, gib = 256) =>
  processCount({ processes: undefined, roles: ALL }, { cores, memoryBytes: gib * GIB });

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [4, 2],
  [8, 5],
  [16, 10],
  [64, SUPERVISOR_LIMITS.processesChosenMost],
])('%i cores: %i processes', (cores, processes) => {
  expect(chosen(cores)).toBe(processes);
});

test('little memory means fewer processes, and never none', () => {
  expect(chosen(16, 8)).toBe(4);
  expect(chosen(16, 1)).toBe(1);
});

test('a setting decides on any machine', () => {
  const small = { cores: 2, memoryBytes: GIB };
  expect(processCount({ processes: 3, roles: ALL }, small)).toBe(3);
  expect(processCount({ processes: 1, roles: ALL }, { cores: 16, memoryBytes: 64 * GIB })).toBe(1);
});

test('without gateways or owners there is one process', () => {
  expect(processCount({ processes: 3, roles: ['actors', 'sinks'] }, { cores: 16, memoryBytes: 64 * GIB })).toBe(1);
  expect(processCount({ processes: undefined, roles: ['gateway'] }, { cores: 16, memoryBytes: 64 * GIB })).toBe(1);
});

test('the heaps of all processes together take half of the memory, within bounds', () => {
  expect(heapBytes(10, { cores: 16, memoryBytes: 32 * GIB })).toBe(1.6 * GIB);
  expect(heapBytes(10, { cores: 16, memoryBytes: 8 * GIB })).toBe(GIB);
  expect(heapBytes(2, { cores: 4, memoryBytes: 256 * GIB })).toBe(4 * GIB);
});
