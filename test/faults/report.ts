import type { FaultRun } from './run-faults.ts';
import { TARGETS } from './rig.ts';

/** The figures of a run as text. */
export function reportOf(run: FaultRun): string {
  const { faults, tally, verdict } = run;
  const rows = TARGETS.map((target) => {
    const kills = faults.flatMap((fault) => fault.kills).filter((killed) => killed === target).length;
    const pauses = faults.flatMap((fault) => fault.pauses).filter((pause) => pause.target === target);
    // Only faults of a single process show how long that process takes.
    const ready = faults
      .filter((fault) => fault.kills.length === 1 && fault.kills[0] === target && fault.pauses.length === 0)
      .flatMap((fault) => fault.readyMs ?? [])
      .toSorted((a, b) => a - b);
    return [
      target,
      String(kills),
      String(pauses.filter(({ durationMs }) => durationMs < 3_500).length),
      String(pauses.filter(({ durationMs }) => durationMs >= 3_500).length),
      seconds(ready[Math.floor(ready.length / 2)]),
      seconds(ready.at(-1)),
    ];
  });
  const kills = faults.reduce((sum, fault) => sum + fault.kills.length, 0);
  return [
    `seed ${run.seed}: ${kills} kills in ${Math.round(run.durationMs / 1000)} s`,
    '',
    table([['process', 'kill -9', 'stopped < lease', 'stopped > lease', 'kill to ready p50', 'max'], ...rows]),
    '',
    table([
      ['requests', 'acknowledged', '503', 'cut', 'timed out', 'retries'],
      [tally.requests, tally.acked, tally.unavailable, tally.cut, tally.timedOut, tally.retries].map(String),
    ]),
    '',
    table([
      ['acknowledged events', 'players', 'lost', 'doubled', 'reordered', 'unexplained', 'state differs'],
      [
        verdict.ackedEvents,
        verdict.players,
        verdict.lost,
        verdict.doubled,
        verdict.reordered,
        verdict.unexplained,
        verdict.differing,
      ].map(String),
    ]),
    '',
    `terms led: ${verdict.terms.service} by the service, ${verdict.terms.peer} by the peer`,
    ...run.notes,
    ...verdict.violations.slice(0, SHOWN).map((violation) => `VIOLATION ${violation}`),
    verdict.violations.length === 0 ? 'No violation.' : `${verdict.violations.length} violations.`,
  ].join('\n');
}

/** The maximum number of violations to print; one cause often has hundreds of effects. */
const SHOWN = 20;

function seconds(ms: number | undefined): string {
  return ms === undefined ? '' : `${(ms / 1000).toFixed(2)} s`;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}
