import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Four projects. `unit`: pure code and in-memory forms, beside what they test. `contract`: the ports against every
 * form they have, real NATS and the real ClickHouse engine included. `e2e`: the whole service over HTTP. `sim`: the
 * deterministic simulation.
 *
 * Files of `unit` and `contract` share processes: starting one and importing the service anew takes longer than most files
 * run. So a test leaves nothing behind in its process, as it leaves nothing on the machine.
 */
export default defineConfig({
  test: {
    // One less than there are cores is the default: on two cores that is one file after another, half of them waiting for timers.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          include: ['{src,actors,streams,clickhouse-schema,models,bench,test/unit}/**/*.test.ts'],
          // None takes more than seconds; on a machine with other work on it seconds are many.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'contract',
          isolate: false,
          include: ['test/contract/**/*.test.ts'],
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
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'sim',
          include: ['test/sim/**/*.test.ts'],
          maxConcurrency: 2,
          testTimeout: 300_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
