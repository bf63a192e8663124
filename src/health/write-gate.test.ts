import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { createMetrics } from '../parts/metrics.ts';
import { createWriteGate } from './write-gate.ts';

/** A gate over a broker whose silent streams, and a disk whose state, the test sets. */
function trial() {
  const clock = createFakeClock();
  const silent = new Map<string, number>();
  const disk = { low: false, lastLowMs: undefined as number | undefined };
  let restarts = 0;
  const gate = createWriteGate({
    disk: {
      get low() {
        return disk.low;
      },
      get lastLowMs() {
        return disk.lastLowMs;
      },
      figures: { free_bytes: 0, size_bytes: 0, reserve_bytes: 0 },
      stop: () => {},
    },
    log: {
      unansweredFor: (ms) =>
        [...silent].flatMap(([stream, since]) => (clock.monotonicMs() - since >= ms ? stream : [])),
      ping: async () => true,
    },
    clock,
    logger: silentLogger,
    metrics: createMetrics(),
    restartBroker: () => (restarts += 1),
  });
  return { clock, silent, disk, gate, restarts: () => restarts };
}

test('writes are refused while the streams of commands store nothing, and accepted when they answer again', async () => {
  const { clock, silent, gate } = trial();
  silent.set('FACTS', clock.monotonicMs());
  await clock.advance(2_000);
  expect(gate.refusal()).toBeUndefined();
  await clock.advance(2_000);
  expect(gate.refusal()?.message).toMatch(/storage of the log/);
  silent.clear();
  await clock.advance(1_000);
  expect(gate.refusal()).toBeUndefined();
  gate.stop();
});

test('a silent stream of scores or deliveries refuses no writes; the broker is restarted after 15 s', async () => {
  const { clock, silent, gate, restarts } = trial();
  silent.set('RECORDS', clock.monotonicMs());
  await clock.advance(14_000);
  expect(gate.refusal()).toBeUndefined();
  expect(gate.storageSilent).toBe(true);
  expect(restarts()).toBe(0);
  await clock.advance(2_000);
  expect(restarts()).toBeGreaterThan(0);
  gate.stop();
});

test('a low disk refuses writes and restarts nothing; once it has space, a silent broker is restarted at once', async () => {
  const { clock, silent, disk, gate, restarts } = trial();
  Object.assign(disk, { low: true, lastLowMs: clock.monotonicMs() });
  silent.set('FACTS', clock.monotonicMs());
  await clock.advance(30_000);
  expect(gate.refusal()?.message).toMatch(/disk/);
  expect(restarts()).toBe(0);
  disk.low = false;
  await clock.advance(1_000);
  expect(restarts()).toBe(1);
  gate.stop();
});
