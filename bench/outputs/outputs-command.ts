import { Command, InvalidArgumentError } from 'commander';
import { beginReport } from '../begin-report.ts';
import type { Bench, WithBench } from '../bench.ts';
import { addPlaceOptions, count, counts, duration, type PlaceFlags } from '../cli-options.ts';
import { outputsTables } from '../report/outputs-tables.ts';
import { OUTPUT_PHASES, type OutputPhase, type OutputsOptions } from './outputs-options.ts';
import { measureOutputs, type OutputsFigures } from './outputs.ts';

/** The options as the command line gives them. */
interface Flags extends PlaceFlags {
  phases: OutputPhase[];
  rounds: number;
  rate: number;
  seconds: number;
  batchSize: number;
  webhookEvery: number;
  backlog: number;
  readers: number[];
  readerRate: number;
  readerSeconds: number;
  healthy: number;
  stalled: number;
  stalledSeconds: number;
  games: number;
  sickRate: number;
  sickSeconds: number;
}

/** `bench -- outputs`: how fast and how surely what was accepted reaches those who wait for it. */
export function outputsCommand(withBench: WithBench): Command {
  const command = new Command('outputs')
    .description(
      'Measure what leaves the service, beside a bare relay that only passes events on: latencies from accepted to the stream, ' +
        'to ClickHouse and to a webhook; deliveries/s; readers of the stream, stalled ones among them; and webhooks that are ' +
        'well while others hang, fail or drip.',
    )
    .option(`--phases <${OUTPUT_PHASES.join(',')}>`, 'measure only these', phases, [...OUTPUT_PHASES])
    .option('--rounds <n>', 'rounds of latency, deliveries and sick webhooks; medians are told', count, 3)
    .option('--rate <n>', 'events/s of the latency phase', count, 5_000)
    .option('--seconds <time>', 'length of one of its runs', duration, 8)
    .option('--batch-size <n>', 'events in one of its batches', count, 20)
    .option('--webhook-every <n>', 'of its events every so many-th goes to the webhook', count, 10)
    .option('--backlog <n>', 'deliveries in one backlog', count, 5_000)
    .option('--readers <n,…>', 'numbers of stream readers to try, ascending', counts, [200, 400, 800, 1_600])
    .option('--reader-rate <n>', 'events/s that each of them reads', count, 500)
    .option('--reader-seconds <time>', 'length of one run with readers', duration, 5)
    .option('--healthy <n>', 'readers beside stalled ones', count, 1_800)
    .option('--stalled <n>', 'stalled ones', count, 200)
    .option('--stalled-seconds <time>', 'length of the run with stalled ones', duration, 20)
    .option('--games <n>', 'games with 100 webhooks each, of which 30 are sick', count, 10)
    .option('--sick-rate <n>', 'events/s over all these games; each makes 20 deliveries', count, 20)
    .option('--sick-seconds <time>', 'length of one run, after 5 s to settle', duration, 15);
  return addPlaceOptions(command).action((flags: Flags) => withBench((bench) => measureAndTell(bench, flags)));
}

async function measureAndTell(bench: Bench, flags: Flags): Promise<void> {
  const tell = beginReport(bench, flags);
  const options: OutputsOptions = {
    phases: new Set(flags.phases),
    rounds: flags.rounds,
    eventsPerSecond: flags.rate,
    seconds: flags.seconds,
    batchSize: flags.batchSize,
    sampledEvery: flags.webhookEvery,
    backlog: flags.backlog,
    readers: flags.readers,
    readerEventsPerSecond: flags.readerRate,
    readerSeconds: flags.readerSeconds,
    healthyReaders: flags.healthy,
    stalledReaders: flags.stalled,
    stalledSeconds: flags.stalledSeconds,
    games: flags.games,
    sickEventsPerSecond: flags.sickRate,
    sickSeconds: flags.sickSeconds,
    folder: flags.folder,
  };
  const figures: OutputsFigures = {};
  try {
    await measureOutputs(bench, options, figures);
  } finally {
    // What took minutes to measure is told even if what came after it failed.
    if (Object.keys(figures).length > 0) {
      const settings = { ...options, phases: flags.phases };
      tell({ name: 'outputs', settings, results: { figures }, tables: outputsTables(figures) });
    }
  }
}

/** Reads an option that is some of the phases with commas between. */
function phases(text: string): OutputPhase[] {
  return text.split(',').map((name) => {
    const phase = OUTPUT_PHASES.find((known) => known === name);
    if (phase === undefined) throw new InvalidArgumentError(`Give some of ${OUTPUT_PHASES.join(',')}.`);
    return phase;
  });
}
