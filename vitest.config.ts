import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/** The file that measures how long the main thread of the service is occupied: it runs alone. */
const TIMED = 'test/long/e2e/cost.test.ts';

/** Property tests of these projects try the same values in every run. */
const SETUP = ['./test/support/wire/property-seed.ts'];

/**
 * One more than there are cores, because most files of `contract` and `e2e` wait half of their time: for a process to
 * start, a retry, a timer of the broker.
 */
const WORKERS = availableParallelism() + 1;

/**
 * Projects of the short run. `unit`: pure code and in-memory forms, beside what they test. `contract`: the ports
 * against every form they have, real NATS and the real ClickHouse engine included. `e2e`: the whole service over HTTP.
 * `sim`: the deterministic simulation. `sdk`: the client packages, with fake clocks. Projects of the long run:
 * `long-contract`, `long-e2e`, and `long-timed`, the one file that measures time.
 *
 * Files run side by side, so every file starts its own servers on free ports and in folders of its own. Files of `unit`
 * and `contract` also share processes, because starting one and importing the service takes longer than most files
 * run: a test leaves nothing behind in its process.
 */
export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    globalSetup: './test/support/stripped/setup.ts',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          include: ['{src,actors,streams,clickhouse-schema,core,models,bench,console/src,test/unit}/**/*.test.ts'],
          setupFiles: SETUP,
          // None takes more than seconds; on a machine with other work on it seconds are many.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'sdk',
          isolate: false,
          include: ['sdk/*/{src,test}/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'contract',
          isolate: false,
          include: ['test/contract/**/*.test.ts'],
          setupFiles: SETUP,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'sim',
          include: ['test/sim/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 900_000,
        },
      },
      {
        test: {
          name: 'long-contract',
          isolate: false,
          include: ['test/long/{contract,unit}/**/*.test.ts'],
          setupFiles: SETUP,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'long-e2e',
          include: ['test/long/e2e/**/*.test.ts'],
          exclude: [TIMED],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'long-timed',
          include: [TIMED],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
