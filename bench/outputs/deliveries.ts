import type { Bench } from '../bench.ts';
import { watchUsage, type UsageSeen } from '../measure/watch-usage.ts';
import { readMetrics } from '../service/read-metrics.ts';
import { awaitArrivals } from './await-arrivals.ts';
import { backlogRate, type BacklogRate } from './backlog-rate.ts';
import { startBareRelay } from './bare-relay.ts';
import { delaysOf, type Delays } from './event-delays.ts';
import { runEventLoad } from './event-load.ts';
import { inPhase } from './in-phase.ts';
import type { OutputsOptions } from './outputs-options.ts';
import { createWebhook, loadOn, prepareOutputs, probeAnswers, type Target } from './prepare-outputs.ts';
import { startReceiver } from './receiver.ts';

/** One backlog of deliveries. */
export interface DeliveriesRun extends BacklogRate {
  delays: Delays;
  /** Attempts that the service put off, as they found no place. */
  defer: number;
  errors: Record<string, number>;
  usage: UsageSeen;
}

/** A backlog of the same size on both, one right after the other. */
export interface DeliveriesRound {
  bare: DeliveriesRun;
  service: DeliveriesRun;
}

export interface DeliveriesFigures {
  webhooks: number;
  rounds: DeliveriesRound[];
}

const WEBHOOKS = [1, 10];
/** Events of the numbers below it go to the webhooks of the first case, and so on. */
const NUMBERS_PER_CASE = 10_000_000;
const BATCH_SIZE = 100;
/** Few, so that the events of a backlog are accepted fast and in order. */
const CONNECTIONS = 16;
const WARM_UP_SHARE = 0.2;

/** Deliveries a second to a receiver that answers at once: a backlog to one webhook, and as much over ten. */
export async function measureDeliveries(bench: Bench, options: OutputsOptions): Promise<DeliveriesFigures[]> {
  const setup = await prepareOutputs(bench, options.folder);
  const answers = await probeAnswers(setup.service, setup.playerIds[0] ?? '', BATCH_SIZE);
  const receiver = await startReceiver(bench);
  const figures: DeliveriesFigures[] = [];
  for (const [index, webhooks] of WEBHOOKS.entries()) {
    figures.push(await inPhase(bench, (own) => measureCase(own, index * NUMBERS_PER_CASE, webhooks)));
  }
  return figures;

  async function measureCase(bench: Bench, fromNumber: number, webhooks: number): Promise<DeliveriesFigures> {
    const { signal, report } = bench;
    const { service, playerIds } = setup;
    const places = Array.from({ length: webhooks }, (_, place) => place);
    const hooks = places.map((place) => receiver.urlOf('well', place));
    const mine = { 'properties.n': { gt: fromNumber, lt: fromNumber + NUMBERS_PER_CASE } };
    for (const hook of hooks) await createWebhook(service, hook, mine);
    const relay = await startBareRelay(bench, { answers, hooks });
    const defer = async () => (await readMetrics(service))('webhook_attempts_total', 'outcome="put_off"');
    let nextNumber = fromNumber + 1;

    async function run(target: Target, pids: Readonly<Record<string, number>>, wanted: number): Promise<DeliveriesRun> {
      const requests = Math.ceil(wanted / webhooks / BATCH_SIZE);
      const deferredBefore = await defer();
      const stop = watchUsage({ ...pids, receiver: receiver.pid });
      const flow = { eventsPerRequest: BATCH_SIZE, requests };
      const load = loadOn(target, playerIds, [flow], nextNumber, { connections: CONNECTIONS });
      const { accepted, events, endedMs, errors } = await runEventLoad(load, signal);
      nextNumber += accepted.atMs.length;
      const arrivals = await awaitArrivals(receiver, events * webhooks, signal);
      return {
        ...backlogRate(arrivals.atMs, endedMs),
        delays: delaysOf(accepted, arrivals, () => places),
        defer: (await defer()) - deferredBefore,
        errors,
        usage: stop(),
      };
    }

    const bare = (wanted: number) => run({ baseUrl: relay.baseUrl, key: service.key }, { relay: relay.pid }, wanted);
    const ours = (wanted: number) => run(service, service.pids(), wanted);
    await bare(options.backlog * WARM_UP_SHARE);
    await ours(options.backlog * WARM_UP_SHARE);
    const rounds: DeliveriesRound[] = [];
    for (let round = 1; round <= options.rounds; round++) {
      const one = { bare: await bare(options.backlog), service: await ours(options.backlog) };
      rounds.push(one);
      const [of, to] = [one.service, one.bare].map(({ perSecond }) => Math.round(perSecond));
      report(`deliveries to ${webhooks} webhooks, round ${round} of ${options.rounds}: ${of}/s, bare ${to}/s`);
    }
    return { webhooks, rounds };
  }
}
