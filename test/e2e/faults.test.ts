import { expect, test } from 'vitest';
import { reportOf } from '../faults/report.ts';
import { runFaults } from '../faults/run-faults.ts';

/* A short run of `npm run faults`: the three set pieces and a few random faults. The nightly run kills 200. */

test('a dozen kills under load: no acknowledged event is lost, doubled or reordered, and state equals replay', async ({
  signal,
  onTestFinished,
}) => {
  const running = runFaults({ seed: 1, kills: 13, clickhouseAwayMs: 8_000, signal });
  // The run must stop its processes after a timeout too.
  onTestFinished(() => running.then(() => {}).catch(() => {}));
  const run = await running;
  const kills = run.faults.reduce((sum, fault) => sum + fault.kills.length, 0);
  expect(kills).toBeGreaterThanOrEqual(12);
  expect(run.verdict.ackedEvents).toBeGreaterThan(500);
  expect(run.verdict.violations, reportOf(run)).toEqual([]);
  // Only a guard against a hang: beside other files a run takes up to three minutes on two cores.
}, 300_000);
