import { awaitArrivals } from '../lib/load/traffic/arrivals.ts';
import { backlogRate, type BacklogRate } from '../lib/figures/backlog-rate.ts';
import { inPhase, type Bench } from '../lib/bench.ts';
import { delaysCells, DELAYS_HEAD, delaysOf, type Delays } from '../lib/figures/event-delays.ts';
import { loadOn, runEventLoad } from '../lib/load/traffic/event-load.ts';
import { readMetrics } from '../lib/figures/metrics.ts';
import { createWebhook } from '../lib/load/calls.ts';
import { prepareOutputs, type OutputsStage, type OutputsTarget } from '../lib/outputs-stage.ts';
import { startReceiver, type Receiver } from '../lib/service/readers/receiver.ts';
import { pairedRounds, type Pair } from '../lib/run.ts';
import { medianOf, ratioOf, usageSections } from '../lib/report/run-tables.ts';
import { times } from '../lib/figures/statistics.ts';
import { section, table } from '../lib/report/table.ts';
import { watchUsage, type UsageSeen } from '../lib/figures/usage.ts';

/** One backlog of deliveries. */
export interface DeliveriesRun extends BacklogRate {
  delays: Delays;
  /** Attempts that the service deferred for lack of a slot. */
  defer: number;
  errors: Record<string, number>;
  usage: UsageSeen;
}

export interface DeliveriesFigures {
  webhooks: number;
  rounds: Pair<DeliveriesRun>[];
}

const WEBHOOKS = [1, 10];
/** Each case has event numbers of its own, and its webhooks take only those. */
const NUMBERS_PER_CASE = 10_000_000;
const BATCH_SIZE = 100;
/** Few, so that the events of a backlog are accepted fast and in order. */
const CONNECTIONS = 16;
const WARM_UP_SHARE = 0.2;

/** Deliveries a second to a receiver that answers at once: a backlog to one webhook, and as much over ten. */
export async function measureDeliveries(
  bench: Bench,
  settings: { backlog: number; rounds: number; folder: string | undefined },
): Promise<DeliveriesFigures[]> {
  const stage = await prepareOutputs(bench, settings.folder, BATCH_SIZE);
  const receiver = await startReceiver(bench);
  const figures: DeliveriesFigures[] = [];
  for (const webhooks of WEBHOOKS) {
    const rounds = await inPhase(bench, async (own) => {
      const { run, relay } = await prepareDeliveries(own, stage, receiver, webhooks);
      await run(relay, settings.backlog * WARM_UP_SHARE);
      await run(stage.service, settings.backlog * WARM_UP_SHARE);
      const measure = {
        bare: () => run(relay, settings.backlog),
        service: () => run(stage.service, settings.backlog),
      };
      const line = (pair: Pair<DeliveriesRun>) =>
        `${Math.round(pair.service.perSecond)}/s, bare ${Math.round(pair.bare.perSecond)}/s`;
      return pairedRounds(own, `deliveries to ${webhooks} webhooks`, settings.rounds, measure, line);
    });
    figures.push({ webhooks, rounds });
  }
  return figures;
}

/** Creates so many webhooks and a relay that posts to them as well. Each number of webhooks is prepared once. */
export async function prepareDeliveries(bench: Bench, stage: OutputsStage, receiver: Receiver, webhooks: number) {
  const { service, playerIds } = stage;
  const fromNumber = webhooks * NUMBERS_PER_CASE;
  const places = times(webhooks, (place) => place);
  const hooks = places.map((place) => receiver.urlOf('well', place));
  const filters = { 'properties.n': { gt: fromNumber, lt: fromNumber + NUMBERS_PER_CASE } };
  for (const hook of hooks) await createWebhook(service, hook, filters);
  const relay = await stage.startRelay(bench, hooks);
  const deferred = async () => (await readMetrics(service))('webhook_attempts_total', 'outcome="put_off"');
  let nextNumber = fromNumber + 1;

  /** A backlog of about so many deliveries: resolves when all have arrived. */
  async function run(target: OutputsTarget, wanted: number): Promise<DeliveriesRun> {
    const requests = Math.ceil(wanted / webhooks / BATCH_SIZE);
    const deferredBefore = await deferred();
    const watch = watchUsage({ ...target.pids(), receiver: receiver.pid });
    try {
      const flow = { eventsPerRequest: BATCH_SIZE, requests };
      const load = loadOn(target, playerIds, [flow], nextNumber, { connections: CONNECTIONS });
      const { accepted, events, endedMs, errors } = await runEventLoad(load, bench.signal);
      nextNumber += accepted.atMs.length;
      const arrivals = await awaitArrivals(receiver, events * webhooks, bench.signal);
      return {
        ...backlogRate(arrivals.atMs, endedMs),
        delays: delaysOf(accepted, arrivals, () => places),
        defer: (await deferred()) - deferredBefore,
        errors,
        usage: watch.seen(),
      };
    } finally {
      watch.stop();
    }
  }
  return { relay, run };
}

export function deliveriesTables(cases: readonly DeliveriesFigures[]): string {
  return [
    section(
      'Deliveries of a backlog to a receiver that answers at once (medians of the rounds; ratio: of the pairs)',
      table(
        ['', 'bare/s', 'service/s', 'ratio', 'behind at the end of the load', 'deferred', ...DELAYS_HEAD],
        cases.map(({ webhooks, rounds }) => [
          `${webhooks} webhooks`,
          medianOf(rounds, ({ bare }) => bare.perSecond),
          medianOf(rounds, ({ service }) => service.perSecond),
          ratioOf(rounds, (run) => run.perSecond),
          medianOf(rounds, ({ service }) => service.backlog),
          medianOf(rounds, ({ service }) => service.defer),
          ...delaysCells(rounds.map(({ service }) => service.delays)),
        ]),
      ),
    ),
    ...usageSections(
      cases.flatMap(({ webhooks, rounds }) => [
        [`${webhooks} webhooks: bare relay`, rounds.map(({ bare }) => bare)] as const,
        [`${webhooks} webhooks: service`, rounds.map(({ service }) => service)] as const,
      ]),
    ),
  ].join('\n');
}
