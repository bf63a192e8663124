import { defineConfig } from 'vitest/config';

/**
 * Four projects. `unit`: pure code and in-memory forms, beside what they test. `contract`: the ports against every
 * form they have, real NATS and the real ClickHouse engine included. `e2e`: the whole service over HTTP. `sim`: the
 * deterministic simulation.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{src,actors,streams,clickhouse-schema,models,bench,test/unit}/**/*.test.ts'],
          testTimeout: 10_000,
        },
      },
      {
        test: {
          name: 'contract',
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
          testTimeout: 300_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
