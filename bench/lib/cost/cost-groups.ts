import { prepareDeliveries, type DeliveriesRun } from '../../outputs/outputs-deliveries.ts';
import { prepareEvaluation } from '../../targeting/flags.ts';
import { prepareScoring } from '../../scoring.ts';
import { prepareIngest } from '../ingest-stage.ts';
import { prepareSyncs } from '../lives/syncs.ts';
import { prepareOutputs } from '../outputs-stage.ts';
import type { Counters } from '../service/counters.ts';
import { startReceiver } from '../service/readers/receiver.ts';
import type { Target } from '../stage.ts';
import { costOf, costOfSyncs, type Cost } from './cost-figures.ts';
import { counting, httpLoads, restLoad, withCounters, type CostGroup, type CostLoad } from './cost-load.ts';

const at = (rate: number) => async (): Promise<number> => rate;

const BATCH_SIZE = 100;
const BATCH_CONNECTIONS = 32;

/** Single events and batches, with the event stream, ClickHouse and one webhook that matches and never fires. */
const events: CostGroup = {
  loads: ['rest', 'single-250', 'single-1000', 'single-2500', 'single-5000', 'closed-64', 'closed-512', 'batches'],
  async prepare(bench, settings) {
    const stage = counting(await prepareIngest(bench, { ...settings, batchSize: BATCH_SIZE }));
    const { single, batch } = stage.workloads;
    const { open, closed, warmUp } = httpLoads(bench, stage, settings);
    await warmUp(single);
    await warmUp(batch);
    return {
      rest: restLoad(bench, stage, settings),
      'single-250': open('single events, 250/s', 'event', single, at(250)),
      'single-1000': open('single events, 1,000/s', 'event', single, at(1_000)),
      'single-2500': open('single events, 2,500/s', 'event', single, at(2_500)),
      'single-5000': open('single events, 5,000/s', 'event', single, at(5_000)),
      'closed-64': closed('single events, 64 connections', 'event', single, 64),
      'closed-512': closed('single events, 512 connections', 'event', single, 512),
      batches: closed(`batches of ${BATCH_SIZE}, ${BATCH_CONNECTIONS} connections`, 'event', batch, BATCH_CONNECTIONS),
    };
  },
};

const SYNCS_PER_SECOND = 250;

const syncs: CostGroup = {
  loads: ['syncs'],
  async prepare(bench, settings) {
    const { measure } = await prepareSyncs(bench, settings, counting);
    const live = async (target: Target, seconds: number): Promise<Cost> =>
      costOfSyncs(await measure(target, SYNCS_PER_SECOND, seconds));
    bench.report(`warming up for ${settings.warmUpSeconds} s`);
    await live('service', settings.warmUpSeconds);
    const load: CostLoad = {
      name: `syncs of 20 events, ${SYNCS_PER_SECOND}/s`,
      unit: 'sync',
      bare: () => live('bare', settings.seconds),
      service: () => live('service', settings.seconds),
    };
    return { syncs: load };
  },
};

const flags: CostGroup = {
  loads: ['flags-64', 'flags-512'],
  async prepare(bench, settings) {
    const { stage, workload } = await prepareEvaluation(bench, settings);
    const { closed, warmUp } = httpLoads(bench, counting(stage), settings);
    await warmUp(workload);
    return {
      'flags-64': closed('20 flags, 64 connections', 'request', workload, 64),
      'flags-512': closed('20 flags, 512 connections', 'request', workload, 512),
    };
  },
};

/** Different installs that are scored. */
const INSTALLS = 5_000;

const scores: CostGroup = {
  loads: ['scores-512', 'scores-half'],
  async prepare(bench, settings) {
    const { stage, workload } = await prepareScoring(bench, { ...settings, installs: INSTALLS });
    const { open, closed, warmUp } = httpLoads(bench, counting(stage), settings);
    await warmUp(workload);
    const most = closed('scores, 512 connections', 'request', workload, 512);
    let mostPerSecond = 0;
    const atMost = async (): Promise<Cost> => {
      const cost = await most.service();
      mostPerSecond = cost.unitsPerSecond;
      return cost;
    };
    const half = async (): Promise<number> => {
      if (mostPerSecond === 0) await atMost();
      return Math.max(1, Math.round(mostPerSecond / 2));
    };
    return {
      'scores-512': { ...most, service: atMost },
      'scores-half': open('scores, half of that', 'request', workload, half),
    };
  },
};

const WARM_UP_SHARE = 0.2;

/** A backlog to receivers that answer at once. Latencies are from the answer to the event until it arrives. */
const deliveries: CostGroup = {
  loads: ['deliveries-1', 'deliveries-10'],
  async prepare(bench, { backlog, folder }) {
    const stage = await prepareOutputs(bench, folder, BATCH_SIZE);
    const receiver = await startReceiver(bench);
    async function to(webhooks: number): Promise<CostLoad> {
      const { relay, run } = await prepareDeliveries(bench, stage, receiver, webhooks);
      await run(relay, backlog * WARM_UP_SHARE);
      await run(stage.service, backlog * WARM_UP_SHARE);
      return {
        name: `deliveries, ${webhooks} ${webhooks === 1 ? 'webhook' : 'webhooks'}`,
        unit: 'delivery',
        bare: async () => costOfDeliveries(await run(relay, backlog), undefined),
        async service() {
          const { result, counted } = await withCounters(stage.service, () => run(stage.service, backlog));
          return costOfDeliveries(result, counted);
        },
      };
    }
    return { 'deliveries-1': await to(1), 'deliveries-10': await to(10) };
  },
};

/** The tracking of the events is part of it: a hundredth of a request for each delivery to one webhook. */
function costOfDeliveries(run: DeliveriesRun, counted: Counters | undefined): Cost {
  const { usage, delays } = run;
  return costOf({
    units: delays.wanted - delays.missing,
    unitsPerSecond: run.perSecond,
    cpuSeconds: usage.cpuSeconds,
    counted,
    latency: delays.latency,
    rssMiB: usage.rssMiB,
    othersCpus: usage.othersCpus,
    errors: { ...run.errors, ...(delays.missing > 0 ? { missing: delays.missing } : {}) },
  });
}

/** Each starts a service of its own. */
export const COST_GROUPS: readonly CostGroup[] = [events, syncs, flags, scores, deliveries];
