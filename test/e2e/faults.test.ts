import { expect, test } from 'vitest';
import { reportOf } from '../faults/report.ts';
import { runFaults } from '../faults/run-faults.ts';

/* A short run of `npm run faults`; the long one is for people. */

test('twenty kills under load: nothing acknowledged is lost, doubled or reordered, and state = replay', async ({
  signal,
  onTestFinished,
}) => {
  const running = runFaults({ seed: 1, kills: 22, clickhouseAwayMs: 8_000, signal });
  // After a timeout too: the run stops its processes.
  onTestFinished(() => running.then(() => {}).catch(() => {}));
  const run = await running;
  const kills = run.faults.reduce((sum, fault) => sum + fault.kills.length, 0);
  expect(kills).toBeGreaterThanOrEqual(20);
  expect(run.verdict.ackedEvents).toBeGreaterThan(500);
  expect(run.verdict.violations, reportOf(run)).toEqual([]);
  // A guard against a hang: with other files beside it a run takes up to three minutes on two cores.
}, 300_000);
