import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { reportOf } from './report.ts';
import { runFaults } from './run-faults.ts';

/* `npm run faults -- --kills 200 --seed 7` exits with 1 on any violation. */

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    clients: { type: 'string', default: '12' },
    /** How long ClickHouse is stopped, once. */
    'clickhouse-away-seconds': { type: 'string', default: '60' },
    /** File for the output of the processes. */
    log: { type: 'string' },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());

/** @returns the exit code */
async function main(): Promise<0 | 1> {
  print(`seed ${values.seed}`);
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
