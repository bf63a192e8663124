import { expect, test } from 'vitest';
import { reportOf } from '../../faults/report.ts';
import { runFaults } from '../../faults/run-faults.ts';

/* A short run of `npm run faults`: the three set pieces and a few random faults. The nightly run kills 200. */

test('a dozen kills under load: no acknowledged event is lost, doubled or reordered, and state equals replay', async ({
  signal,
  onTestFinished,
}) => {
  let output = '';
  const onOutput = (text: string): void => void (output = text);
  const running = runFaults({ seed: 1, kills: 13, clickhouseAwayMs: 8_000, signal, onOutput });
  // The run must stop its processes after a timeout too.
  onTestFinished(() => running.then(() => {}).catch(() => {}));
  const run = await running.catch((error: unknown) => {
    throw new Error(`${String(error)}\n${lastLines(output)}`, { cause: error });
  });
  const kills = run.faults.reduce((sum, fault) => sum + fault.kills.length, 0);
  expect(kills).toBeGreaterThanOrEqual(12);
  expect(run.verdict.ackedEvents).toBeGreaterThan(500);
  expect(run.verdict.violations, reportOf(run)).toEqual([]);
  // Only a guard against a hang: beside other files a run takes up to three minutes on two cores, on a slow disk five.
}, 420_000);

/** The last lines of each process of the service. */
function lastLines(output: string): string {
  const byProcess = new Map<string, string[]>();
  for (const line of output.split('\n')) {
    const pid = /"pid":(\d+)/.exec(line)?.[1];
    if (pid !== undefined) byProcess.set(pid, [...(byProcess.get(pid) ?? []).slice(-14), line.slice(0, 600)]);
  }
  return [...byProcess.values()].slice(-4).flat().join('\n');
}
