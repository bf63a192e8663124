import { parseArgs } from 'node:util';
import { startClickhouse } from '../support/servers/clickhouse.ts';
import { startService } from '../support/servers/running-service.ts';
import { fuzzClickhouse } from './clickhouse-gate.ts';
import { fuzzService, STALL_LIMIT_MS } from './fuzz-service.ts';
import { costTable, requestCosts } from './request-costs.ts';
import { schemaStalls, type SchemaStalls } from './schema-stalls.ts';

/*
 * `npm run fuzz -- --minutes 30 --seed 7` exits with 1 when it finds a problem, and prints the input of each. A third
 * of the time is for statements to the embedded ClickHouse; `--only service` and `--only clickhouse` run one part.
 * `--only cost` measures the most expensive bodies of every endpoint once; run it on a quiet machine.
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

if (values.only !== 'cost') print(`seed ${values.seed}, ${values.minutes} minutes`);
switch (values.only) {
  case undefined:
    await fuzzStatements(minutes / 3);
    await fuzzRequests((minutes * 2) / 3);
    break;
  case 'clickhouse':
    await fuzzStatements(minutes);
    break;
  case 'service':
    await fuzzRequests(minutes);
    break;
  case 'cost':
    await measureCosts();
    break;
  default:
    throw new Error(`--only is ${values.only}; it must be service, clickhouse or cost`);
}

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

/** Uses the smallest of nine measurements, because a larger one may include garbage collection of other requests. */
async function measureCosts(): Promise<void> {
  const service = await startService({ LOG_LEVEL: 'error' });
  try {
    const costs = await requestCosts(service, { enoughMs: STALL_LIMIT_MS / 2, repeats: 9, allBodies: true });
    print(`Processor time of the main thread for the most expensive body of each endpoint:\n${costTable(costs)}`);
    const rounds: SchemaStalls[] = [];
    for (let round = 0; round < 9; round++) rounds.push(await schemaStalls(service, round));
    const checkMs = Math.min(...rounds.map((stalls) => stalls.checkMs));
    const compileMs = Math.min(...rounds.map((stalls) => stalls.compileMs));
    const [first] = rounds;
    print(`Longest turn while schemas check a batch: ${checkMs.toFixed(1)} ms (first ${first?.checkMs.toFixed(1)} ms)`);
    print(`Longest turn while they compile: ${compileMs.toFixed(1)} ms (first ${first?.compileMs.toFixed(1)} ms)`);
    conclude([
      ...costs.filter(({ ms }) => ms >= STALL_LIMIT_MS).map((cost) => costTable([cost])),
      ...(checkMs < STALL_LIMIT_MS ? [] : [`a batch is checked for ${checkMs.toFixed(0)} ms in one turn`]),
      ...(compileMs < STALL_LIMIT_MS ? [] : [`a schema is compiled for ${compileMs.toFixed(0)} ms in one turn`]),
    ]);
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
