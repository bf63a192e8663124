import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { createUnanswered } from '../../streams/log/jetstream/unanswered.ts';
import { createMetrics } from '../parts/metrics.ts';
import { createReportedSilences, reportSilences, type Silences } from './silent-streams.ts';
import { createWriteGate } from './write-gate.ts';

/** A gate whose own appends are answered, and another thread with appends of its own. */
function trial() {
  const clock = createFakeClock();
  const thread = createUnanswered(clock);
  const reported = createReportedSilences(clock);
  const reports: Silences[] = [];
  const reporter = reportSilences({ silences: () => thread.streams() }, clock, (silences) => {
    reports.push(silences);
    reported.report(silences);
  });
  let restarts = 0;
  const gate = createWriteGate({
    disk: undefined,
    log: { unansweredFor: (ms) => reported.unansweredFor(ms), ping: async () => true },
    clock,
    logger: silentLogger,
    metrics: createMetrics(),
    restartBroker: () => (restarts += 1),
  });
  /** The thread appends, each time without an answer. */
  async function appendInVain(subject: string, durationMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 2_000) {
      const sentMs = clock.monotonicMs();
      await clock.advance(2_000);
      thread.timedOut(subject, sentMs);
    }
  }
  return { clock, thread, reports, reporter, gate, appendInVain, restarts: () => restarts };
}

test('a stream that only another thread appends to, and that stores nothing, has the broker restarted', async () => {
  const { clock, gate, appendInVain, restarts } = trial();
  await appendInVain('deliveries.due.3', 12_000);
  expect([gate.storageSilent, restarts()]).toEqual([true, 0]);
  expect(gate.refusal()).toBeUndefined();
  await appendInVain('deliveries.due.3', 6_000);
  await clock.advance(1_000);
  expect(restarts()).toBeGreaterThan(0);
});

test('a thread that gets answers again is no longer silent, and one without silences reports nothing', async () => {
  const { clock, thread, reports, gate, appendInVain } = trial();
  await clock.advance(10_000);
  expect(reports).toEqual([]);
  await appendInVain('$KV.POSITIONS.clickhouse', 6_000);
  await clock.advance(1_000);
  expect(gate.storageSilent).toBe(true);
  thread.answered('$KV.POSITIONS.clickhouse');
  await clock.advance(2_000);
  expect([gate.storageSilent, reports.at(-1)]).toEqual([false, []]);
});

test('a report counts for ten seconds: a thread that stopped must not have the broker restarted', async () => {
  const { clock, reporter, gate, appendInVain } = trial();
  await appendInVain('records.a.b', 6_000);
  await clock.advance(1_000);
  expect(gate.storageSilent).toBe(true);
  reporter.stop();
  await clock.advance(12_000);
  expect(gate.storageSilent).toBe(false);
});
