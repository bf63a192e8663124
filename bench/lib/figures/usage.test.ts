import { expect, test } from 'vitest';
import { cpuSecondsOf, machineCpuSecondsOf, memoryMiBOf, readUsage } from './usage.ts';

test('CPU time is user and system time, whatever the name of the process', () => {
  const stat = '42 (a b) c) S 1 42 42 0 -1 4194304 100 200 0 0 150 50 9 9 20 0 7 0 12345 1000000 300';
  expect(cpuSecondsOf(stat)).toBe(2);
});

test('resident memory and what is mapped of it are read from their lines', () => {
  const status = 'Name:\tnode\nVmHWM:\t  4096 kB\nVmRSS:\t  2048 kB\nRssAnon:\t  1536 kB\nRssFile:\t   512 kB\n';
  expect(memoryMiBOf(status, 'VmRSS')).toBe(2);
  expect(memoryMiBOf(status, 'RssFile')).toBe(0.5);
  expect(memoryMiBOf('Name:\tnode\n', 'VmRSS')).toBeNaN();
});

test('the machine was busy with everything but idling and waiting for disks', () => {
  const stat = 'cpu  100 20 300 9999 8888 4 50 6 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n';
  expect(machineCpuSecondsOf(stat)).toBeCloseTo(4.8);
});

test('a process that works uses time; one that is gone has no usage', () => {
  const before = readUsage(process.pid);
  // Until it has had 60 ms of a processor, however long that takes: the system counts in hundredths.
  const started = process.cpuUsage();
  while (process.cpuUsage(started).user < 60_000) Math.sqrt(started.user);
  const after = readUsage(process.pid);
  expect((after?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0)).toBeGreaterThan(0.01);
  expect(after?.rssMiB).toBeGreaterThan(10);
  expect(readUsage(2 ** 30)).toBeUndefined();
});
