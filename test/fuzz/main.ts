import { parseArgs } from 'node:util';
import { startClickhouse } from '../support/clickhouse.ts';
import { startService } from '../support/running-service.ts';
import { fuzzClickhouse } from './clickhouse-gate.ts';
import { fuzzService } from './fuzz-service.ts';

/*
 * `npm run fuzz -- --minutes 30 --seed 7`: ends with 1 when something was found. The input of each problem is printed.
 * A third of the time goes to statements for the embedded ClickHouse; `--only service` and `--only clickhouse` run one part.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
  },
});

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
const minutes = Number(values.minutes);

print(`seed ${values.seed}, ${values.minutes} minutes`);
if (values.only !== 'service') await fuzzStatements(values.only === undefined ? minutes / 3 : minutes);
if (values.only !== 'clickhouse') await fuzzRequests(values.only === undefined ? (minutes * 2) / 3 : minutes);

async function fuzzStatements(share: number): Promise<void> {
  const clickhouse = await startClickhouse();
  try {
    const report = await fuzzClickhouse(clickhouse, {
      seed: Number(values.seed),
      statements: Infinity,
      isOver: deadline(share),
    });
    print(`${report.statements} statements; answers: ${shown(report.answers)}`);
    print(`longest statement: ${report.worst.tookMs.toFixed(0)} ms, ${report.worst.sql}`);
    conclude(report.problems);
  } finally {
    await clickhouse.close();
  }
}

async function fuzzRequests(share: number): Promise<void> {
  const service = await startService({ LOG_LEVEL: 'error' });
  try {
    const report = await fuzzService(service, {
      seed: Number(values.seed),
      rounds: Infinity,
      isOver: deadline(share),
    });
    print(`${report.requests} requests, ${report.connections} raw connections; answers: ${shown(report.answers)}`);
    print(`longest turn of the main thread: ${report.worst.stallMs.toFixed(1)} ms, by ${report.worst.input}`);
    conclude(report.problems);
    if (report.problems.length > 0) print(service.supervised.output().slice(-4_000));
  } finally {
    await service.stop();
  }
}

function deadline(share: number): () => boolean {
  const endMs = performance.now() + share * 60_000;
  return () => stop.signal.aborted || performance.now() > endMs;
}

function shown(answers: ReadonlyMap<string | number, number>): string {
  return [...answers].map(([answer, count]) => `${answer} × ${count}`).join(', ');
}

function conclude(problems: readonly string[]): void {
  for (const problem of problems) print(`PROBLEM ${problem}`);
  print(problems.length === 0 ? 'nothing found' : `${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}
