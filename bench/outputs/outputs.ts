import { inPhase } from '../lib/bench.ts';
import { count, counts, defineCase, duration, some } from '../lib/case.ts';
import { changesTables, measureChanges, type ChangesFigures } from './outputs-changes.ts';
import { deliveriesTables, measureDeliveries, type DeliveriesFigures } from './outputs-deliveries.ts';
import { latencyTables, measureLatency, type LatencyFigures } from './outputs-latency.ts';
import { measureReaders, readersTables, type ReadersFigures } from './outputs-readers.ts';
import { measureSick, sickTables, type SickFigures } from './outputs-sick.ts';

/** What can be measured, in this order. */
const PHASES = ['latency', 'deliveries', 'readers', 'sick', 'changes'] as const;

/** Everything that was measured; phases that were not asked for, or not reached, are missing. */
interface OutputsFigures {
  latency?: LatencyFigures;
  deliveries?: DeliveriesFigures[];
  readers?: ReadersFigures;
  sick?: SickFigures;
  changes?: ChangesFigures;
}

/** From an accepted event to the stream, to ClickHouse and to webhooks. Each phase starts a service of its own. */
export const outputs = defineCase({
  name: 'outputs',
  description:
    'Measure the outputs of the service beside a bare relay that only passes events on: latencies from accepted to the ' +
    'stream, to ClickHouse and to a webhook; deliveries/s; readers of the stream, stalled ones among them; and healthy ' +
    'webhooks while others hang, fail or drip; and streams of changed flags.',
  options: {
    phases: some(`--phases <${PHASES.join(',')}>`, 'measure only these', PHASES),
    rounds: count('--rounds <n>', 'rounds of latency, deliveries and sick webhooks; the report shows medians', 3),
    eventsPerSecond: count('--rate <n>', 'events/s of the latency phase', 5_000),
    seconds: duration('--seconds <time>', 'length of one of its runs', 8),
    batchSize: count('--batch-size <n>', 'events in one of its batches', 20),
    sampledEvery: count('--webhook-every <n>', 'every so many-th of its events goes to the webhook', 10),
    backlog: count('--backlog <n>', 'deliveries in one backlog', 5_000),
    readers: counts('--readers <n,…>', 'numbers of stream readers to try, ascending', [200, 400, 800, 1_600]),
    readerEventsPerSecond: count('--reader-rate <n>', 'events/s that each of them reads', 500),
    readerSeconds: duration('--reader-seconds <time>', 'length of one run with readers', 5),
    healthyReaders: count('--healthy <n>', 'readers beside stalled ones', 1_800),
    stalledReaders: count('--stalled <n>', 'stalled ones', 200),
    stalledSeconds: duration('--stalled-seconds <time>', 'length of the run with stalled ones', 20),
    changeReaders: count('--change-readers <n>', 'streams of changed flags', 5_000),
    games: count('--games <n>', 'games with 100 webhooks each, of which 30 are sick', 10),
    sickEventsPerSecond: count('--sick-rate <n>', 'events/s over all these games; each makes 20 deliveries', 20),
    sickSeconds: duration('--sick-seconds <time>', 'length of one run, after 5 s to settle', 15),
  },
  async run(bench, settings, save) {
    const wanted = new Set(settings.phases);
    const figures: OutputsFigures = {};
    try {
      if (wanted.has('latency')) figures.latency = await inPhase(bench, (own) => measureLatency(own, settings));
      if (wanted.has('deliveries'))
        figures.deliveries = await inPhase(bench, (own) => measureDeliveries(own, settings));
      if (wanted.has('readers')) figures.readers = await inPhase(bench, (own) => measureReaders(own, settings));
      if (wanted.has('sick')) figures.sick = await measureSick(bench, settings);
      if (wanted.has('changes')) figures.changes = await inPhase(bench, (own) => measureChanges(own, settings));
    } finally {
      // Figures that took minutes are saved even if a later phase failed.
      if (Object.keys(figures).length > 0) save({ results: { figures }, tables: tablesOf(figures) });
    }
  },
});

function tablesOf({ latency, deliveries, readers, sick, changes }: OutputsFigures): string {
  return [
    latency && latencyTables(latency),
    deliveries && deliveriesTables(deliveries),
    readers && readersTables(readers),
    sick && sickTables(sick),
    changes && changesTables(changes),
  ]
    .flatMap((part) => part ?? [])
    .join('\n');
}
