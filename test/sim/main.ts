import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { huntMutants, readStartSeeds, writeStartSeeds, type Hunt } from './mutants/hunt-mutants.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { runSeeds, type SeedsRun } from './run-seeds.ts';
import { simulationOf } from './simulations.ts';

const HELP = `npm run sim -- [options]
  --seeds N     run N seeds (default 1000)
  --from S      the first of them (default 1)
  --workers N   processes to run them in (default: one per core)
  --seed S      run one seed and print its whole history
  --merges      run the simulation of merged players, not that of the whole service
  --mutants     run lives with each deliberate bug of test/sim/mutants/mutants.ts; exit with 1 when no invariant catches one
  --only TEXT   with --mutants: only those whose name contains TEXT
  --write-seeds with --mutants: hunt from seed 1, and store the seeds found: later hunts begin there
`;

/** The number of lines of a failing seed's history to print. */
const HISTORY_LINES = 60;
const SHOWN_VIOLATIONS = 3;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
    seed: { type: 'string' },
    merges: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    'write-seeds': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const simulation = values.merges ? 'merges' : 'service';
const simulate = await simulationOf(simulation);
if (values.help) print(HELP);
else if (values.mutants) await runMutants(Number(values.workers), values.only, values['write-seeds']);
else if (values.seed === undefined) await runMany(Number(values.from), Number(values.seeds), Number(values.workers));
else await printOne(Number(values.seed));

async function printOne(seed: number): Promise<void> {
  const { violation, traceHash } = await simulate(seed, { onLine: print });
  print(violation === undefined ? `seed ${seed}: clean, trace ${traceHash}` : `seed ${seed}: ${violation.invariant}`);
  process.exitCode = violation === undefined ? 0 : 1;
}

async function runMutants(workers: number, only: string, writeSeeds: boolean): Promise<void> {
  const mutants = MUTANTS.filter(({ name }) => name.includes(only));
  const fault =
    mutants.length === 0
      ? `--only ${only}: no mutant's name contains this`
      : writeSeeds && only !== ''
        ? '--write-seeds stores the seeds of all mutants: leave --only out'
        : undefined;
  if (fault !== undefined) {
    print(fault);
    process.exitCode = 1;
    return;
  }
  const startMs = performance.now();
  const hunts = await huntMutants({
    mutants,
    workers,
    startSeeds: writeSeeds ? {} : readStartSeeds(),
    onHunt: (hunt) => print(describeHunt(hunt)),
  });
  if (writeSeeds) writeStartSeeds(hunts);
  const missed = hunts.filter(({ kind }) => kind !== 'caught');
  print(
    `\n${mutants.length} mutants in ${((performance.now() - startMs) / 1_000).toFixed(0)} s, ${missed.length} not caught`,
  );
  for (const hunt of missed) print(describeHunt(hunt));
  process.exitCode = missed.length === 0 ? 0 : 1;
}

function describeHunt(hunt: Hunt): string {
  switch (hunt.kind) {
    case 'caught':
      return `caught    ${hunt.name}: ${hunt.invariant} in seed ${hunt.seed}`;
    case 'survived':
      return `SURVIVED  ${hunt.name}: ${hunt.seeds} lives`;
    case 'unproved':
      return `UNPROVED  ${hunt.name}: seed ${hunt.seed}: ${hunt.reason}`;
  }
}

async function runMany(from: number, count: number, workers: number): Promise<void> {
  const startMs = performance.now();
  let saidMs = startMs;
  const run = await runSeeds({
    from,
    count,
    workers,
    simulation,
    enough: SHOWN_VIOLATIONS,
    onProgress(done, violations) {
      if (performance.now() - saidMs < 5_000) return;
      saidMs = performance.now();
      print(`${done} of ${count} seeds, ${violations} violations`);
    },
  });
  printCoverage(run);
  const seconds = (performance.now() - startMs) / 1_000;
  print(`\n${run.seeds} seeds in ${seconds.toFixed(1)} s (${((seconds * 1_000) / run.seeds).toFixed(1)} ms each)`);
  for (const { seed, invariant, message } of run.violations.slice(0, SHOWN_VIOLATIONS)) {
    await printViolation(seed, invariant, message);
  }
  print(run.violations.length === 0 ? 'no violations' : `${run.violations.length} violations`);
  process.exitCode = run.violations.length === 0 ? 0 : 1;
}

function printCoverage({ coverage, seeds }: SeedsRun): void {
  print('seeds  that met');
  for (const [what, count] of [...coverage].sort(([a], [b]) => a.localeCompare(b))) {
    print(`${String(count).padStart(6)} ${((100 * count) / seeds).toFixed(1).padStart(5)} %  ${what}`);
  }
}

async function printViolation(seed: number, invariant: string, message: string): Promise<void> {
  print(`\nVIOLATION of ${invariant} in seed ${seed}\n${message}\n`);
  const lines: string[] = [];
  if (invariant !== 'ends') await simulate(seed, { onLine: (line) => lines.push(line) });
  const names = [...message.matchAll(/record (\d+)|#(\d+)/g)].map(([, record, attempt]) =>
    record === undefined ? `#${attempt} ` : `FACTS ${record} `,
  );
  const at = lines.findIndex((line) => names.some((name) => line.includes(name)));
  const from = Math.max(0, (at < 0 ? lines.length : at + HISTORY_LINES / 4) - HISTORY_LINES);
  for (const line of lines.slice(from, from + HISTORY_LINES)) print(line.slice(0, 240));
  print(`\nfull history: npm run sim -- ${values.merges ? '--merges ' : ''}--seed ${seed}`);
}
