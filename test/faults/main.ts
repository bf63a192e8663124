import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { resolve } from 'node:path';
import { reportOfListUploads, runListUploads } from './clients/list-uploads.ts';
import { reportOf } from './report.ts';
import { runAlerts } from './run-alerts.ts';
import { runFaults } from './run-faults.ts';
import { runSampleGame } from './clients/sample-game.ts';
import {
  BACK_AND_FORWARDS,
  FORWARDS_AND_BACK,
  isWhole,
  reportOfTwoVersions,
  runTwoVersions,
} from './run-two-versions.ts';

/*
 * `npm run faults -- --alerts` causes faults and holds the alerts that fire to the expected ones; it needs promtool.
 * `npm run faults -- --kills 200 --seed 7` exits with 1 on any violation. With `--beside <folder>`, the folder of
 * another version with its packages, it runs processes of both versions side by side instead, in both orders.
 * `--lists` kills senders and processes in the middle of uploads of lists instead. `--game 1000` plays that many
 * sessions of the SDK's sample game, through a proxy with faults and with kills of its clients.
 */

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    clients: { type: 'string', default: '12' },
    /** How long ClickHouse is stopped, once. */
    'clickhouse-away-seconds': { type: 'string', default: '60' },
    /** The folder of another version. */
    beside: { type: 'string' },
    /** How long each pair of versions runs. */
    'stage-seconds': { type: 'string', default: '20' },
    /** Whether to hold the alerts to faults instead. */
    alerts: { type: 'boolean', default: false },
    /** With `--alerts`: a part of the names of the faults that are caused. */
    only: { type: 'string', default: '' },
    /** Whether to kill during uploads of lists instead. */
    lists: { type: 'boolean', default: false },
    /** Sessions of the sample game to play instead. */
    game: { type: 'string' },
    /** File for the output of the processes. */
    log: { type: 'string' },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());

/** @returns the exit code */
async function beside(folder: string): Promise<0 | 1> {
  let whole = true;
  let output = '';
  for (const stages of [FORWARDS_AND_BACK, BACK_AND_FORWARDS]) {
    const run = await runTwoVersions({
      seed: Number(values.seed),
      other: resolve(folder),
      stages,
      stageMs: Number(values['stage-seconds']) * 1000,
      clients: Number(values.clients),
      report: print,
      onOutput(text) {
        output += text;
        if (values.log !== undefined) writeFileSync(values.log, output);
      },
    });
    print(`\n${reportOfTwoVersions(run)}\n`);
    whole &&= isWhole(run);
  }
  return whole ? 0 : 1;
}

/** @returns the exit code */
async function main(): Promise<0 | 1> {
  if (values.alerts) return (await runAlerts(print, values.only)) ? 0 : 1;
  print(`seed ${values.seed}`);
  if (values.game !== undefined) {
    return (await runSampleGame({ seed: Number(values.seed), sessions: Number(values.game), report: print })) ? 0 : 1;
  }
  if (values.lists) {
    const uploads = await runListUploads({
      seed: Number(values.seed),
      kills: Number(values.kills),
      report: print,
      onOutput(output) {
        if (values.log !== undefined) writeFileSync(values.log, output);
      },
    });
    print(`\n${reportOfListUploads(uploads)}`);
    return uploads.violations.length === 0 ? 0 : 1;
  }
  if (values.beside !== undefined) return beside(values.beside);
  const run = await runFaults({
    seed: Number(values.seed),
    kills: Number(values.kills),
    clients: Number(values.clients),
    clickhouseAwayMs: Number(values['clickhouse-away-seconds']) * 1000,
    report: print,
    signal: stop.signal,
    onOutput(output) {
      if (values.log !== undefined) writeFileSync(values.log, output);
    },
  });
  print(`\n${reportOf(run)}`);
  return run.verdict.violations.length === 0 ? 0 : 1;
}

try {
  process.exit(await main());
} catch (error) {
  print(`the run could not go on: ${error instanceof Error ? error.stack : String(error)}`);
  process.exit(1);
}
