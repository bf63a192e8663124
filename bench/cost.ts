import { inPhase, type Bench } from './lib/bench.ts';
import { count, defineCase, duration, on, some } from './lib/case.ts';
import { costRow, type Cost, type CostRow } from './lib/cost/cost-figures.ts';
import { COST_GROUPS } from './lib/cost/cost-groups.ts';
import { COST_LOADS, type CostGroup, type CostLoad, type CostSettings } from './lib/cost/cost-load.ts';
import { costLine, costTables } from './lib/cost/cost-tables.ts';
import type { Pair } from './lib/run.ts';

const QUICK: Pick<CostSettings, 'seconds' | 'warmUpSeconds' | 'rounds' | 'backlog'> = {
  seconds: 1,
  warmUpSeconds: 1,
  rounds: 1,
  backlog: 500,
};

export const cost = defineCase({
  name: 'cost',
  description:
    'Measure what an event, a sync, an evaluation of flags, a score and a delivery cost at each rate: CPU time by ' +
    'process, latency, records, messages through the broker, writes, context switches, allocations and memory, beside a ' +
    'bare server at the same rate. Prints Markdown tables.',
  needsWrk: () => true,
  options: {
    only: some('--only <loads...>', 'measure only these', COST_LOADS),
    seconds: duration('--seconds <time>', 'length of one run', 10),
    warmUpSeconds: duration('--warm-up <time>', 'length of a warm-up', 8),
    rounds: count('--rounds <n>', 'runs of each load on both targets, by turns; the tables show medians', 3),
    quick: on('--quick', 'one short round of each load, to see that all of them run'),
    json: on('--json', 'print the rows as JSON, and everything else to standard error'),
    players: count('--players <n>', 'players registered beforehand', 500),
    openConnections: count('--open-connections <n>', 'connections of the open loops', 512),
    backlog: count('--backlog <n>', 'deliveries in one run', 5_000),
    wrkThreads: count('--threads <n>', 'threads of wrk', 1),
  },
  reportsToStandardError: ({ json }) => json,
  async run(bench, given, save) {
    const settings = given.quick ? { ...given, ...QUICK } : given;
    const rows: CostRow[] = [];
    try {
      for (const group of COST_GROUPS) {
        const wanted = group.loads.filter((name) => given.only.includes(name));
        if (wanted.length > 0)
          rows.push(...(await inPhase(bench, (own) => measureGroup(own, group, wanted, settings))));
      }
    } finally {
      // Figures that took minutes are saved even if a later load failed.
      if (rows.length > 0) save({ settings, results: { rows }, tables: costTables(rows) });
    }
    if (given.json) console.log(JSON.stringify(rows, null, 2));
  },
});

/** Measures loads of a group in turn, as many rounds as wanted: a slow minute of the machine meets them all. */
async function measureGroup(
  bench: Bench,
  group: CostGroup,
  wanted: CostGroup['loads'],
  settings: CostSettings,
): Promise<CostRow[]> {
  const prepared = await group.prepare(bench, settings);
  const loads = wanted.flatMap((name) => prepared[name] ?? []);
  const measured = new Map<CostLoad, Pair<Cost>[]>(loads.map((load) => [load, []]));
  for (let round = 1; round <= settings.rounds; round++) {
    for (const [{ name, unit, bare, service }, pairs] of measured) {
      const pair = { bare: await bare(), service: await service() };
      pairs.push(pair);
      bench.report(`${name}, round ${round} of ${settings.rounds}: ${costLine(costRow(name, unit, [pair]))}`);
    }
  }
  return [...measured].map(([{ name, unit }, pairs]) => costRow(name, unit, pairs));
}
