import { connectJetStream } from '../../streams/log/log-jetstream.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { readEndpoints } from '../../src/local/run-files.ts';
import type { Bench } from '../bench.ts';
import { watchUsage, type UsageSeen } from '../measure/watch-usage.ts';
import type { LocalService } from '../service/local-service.ts';
import { readMetrics } from '../service/read-metrics.ts';
import { registerPlayers } from '../service/register-players.ts';
import type { Service } from '../service/service.ts';
import { awaitArrivals } from './await-arrivals.ts';
import { delaysOf, type Delays } from './event-delays.ts';
import type { EventCaller } from './event-load-main.ts';
import { runEventLoad } from './event-load.ts';
import { inPhase } from './in-phase.ts';
import { makeGames } from './make-games.ts';
import { callerOf, shardOf } from './numbered-event.ts';
import type { OutputsOptions } from './outputs-options.ts';
import { createWebhook, startOutputsService } from './prepare-outputs.ts';
import type { SickReport } from './receiver-main.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { SHARDS, sickWebhooks, WEBHOOKS_PER_GAME, type SickWebhook } from './sick-webhooks.ts';

/** Deliveries to the webhooks that are well, on a service of its own. */
export interface SickRun {
  /** First attempts at webhooks that are well, from the answer that accepted the event. */
  delays: Delays;
  /** Attempts after the first at webhooks that are well: there is no reason for any. */
  retries: number;
  /** What the sick got. */
  sick: SickReport;
  /** What DELIVERIES holds at the end of the load: attempts that are due later. */
  pendingMiB: number;
  /** What the service tells at the end of the load: attempts put off, deliveries pending and refused, circuits open. */
  told: { defer: number; pending: number; overflowed: number; openCircuits: number };
  errors: Record<string, number>;
  usage: UsageSeen;
}

export interface SickFigures {
  webhooks: number;
  eventsPerSecond: number;
  seconds: number;
  /** With and without the sick ones, one right after the other, by turns the one and the other first. */
  rounds: { without: SickRun; with: SickRun }[];
}

/** Deliveries due this early must arrive, but their delays are not told: the service compiles its code for this load then. */
const SETTLING_SECONDS = 5;
const PLAYERS_PER_GAME = 20;
const AT_ONCE = 16;
const CONNECTIONS = 32;

/** First attempts at webhooks that are well, while three in ten are sick and while there are no sick ones at all. */
export async function measureSick(bench: Bench, options: OutputsOptions): Promise<SickFigures> {
  const webhooks = sickWebhooks(options.games);
  const well = webhooks.filter(({ behaviour }) => behaviour === 'well');
  const rounds: SickFigures['rounds'] = [];
  const run = (isWith: boolean) => inPhase(bench, (own) => measureRun(own, options, isWith ? webhooks : well));
  for (let round = 1; round <= options.rounds; round++) {
    const isFirstWith = round % 2 === 0;
    const first = await run(isFirstWith);
    const second = await run(!isFirstWith);
    rounds.push(isFirstWith ? { with: first, without: second } : { without: first, with: second });
    bench.report(`sick webhooks, round ${round} of ${options.rounds}`);
  }
  return {
    webhooks: options.games * WEBHOOKS_PER_GAME,
    eventsPerSecond: options.sickEventsPerSecond,
    seconds: options.sickSeconds,
    rounds,
  };
}

async function measureRun(bench: Bench, options: OutputsOptions, webhooks: readonly SickWebhook[]): Promise<SickRun> {
  const { signal } = bench;
  const { games, sickEventsPerSecond: eventsPerSecond, sickSeconds } = options;
  const service = await startOutputsService(bench, options.folder);
  // The sick have a process of their own: nothing they do is to make the others' receiver late.
  const [receiver, sickReceiver] = [await startReceiver(bench), await startReceiver(bench)];
  const keys = await makeGames(service, games, signal);
  const callers: EventCaller[] = [];
  for (const key of keys) {
    callers.push({ key, playerIds: await registerPlayers({ ...service, key }, PLAYERS_PER_GAME, signal) });
  }
  await createWebhooks(service, keys, webhooks, { receiver, sickReceiver }, signal);

  const seconds = SETTLING_SECONDS + sickSeconds;
  const flow = {
    eventsPerRequest: 1,
    requestsPerSecond: eventsPerSecond,
    requests: Math.round(eventsPerSecond * seconds),
  };
  const stop = watchUsage({ ...service.pids(), receiver: receiver.pid, 'sick receiver': sickReceiver.pid });
  const numbering = { callers: games, shards: SHARDS };
  const load = {
    baseUrl: service.baseUrl,
    callers,
    flows: [flow],
    connections: CONNECTIONS,
    sampledEvery: 1,
    padding: 0,
  };
  const { accepted, errors } = await runEventLoad({ ...load, firstNumber: 1, shards: SHARDS }, signal);
  const pendingMiB = await deliveriesMiB(service);
  const metric = await readMetrics(service);
  const placesOf = wellPlaces(webhooks, numbering);
  const wanted = accepted.atMs.reduce<number>(
    (sum, atMs, index) => sum + (atMs === null ? 0 : placesOf(index + 1).length),
    0,
  );
  const arrivals = await awaitArrivals(receiver, wanted, signal);
  const usage = stop();
  return {
    delays: delaysOf(accepted, arrivals, placesOf, 1 + SETTLING_SECONDS * eventsPerSecond),
    retries: (await receiver.sick()).retries,
    sick: await sickReceiver.sick(),
    pendingMiB,
    told: {
      defer: metric('webhook_attempts_total', 'outcome="put_off"'),
      pending: metric('webhook_deliveries_pending'),
      overflowed: metric('webhook_deliveries_overflowed_total'),
      openCircuits: metric('webhook_open_circuits'),
    },
    errors,
    usage,
  };
}

/** The webhooks that are well and must be told of an event. */
function wellPlaces(
  webhooks: readonly SickWebhook[],
  numbering: { callers: number; shards: number },
): (number: number) => readonly number[] {
  const places = new Map<number, number[]>();
  for (const { place, game, shard, behaviour } of webhooks) {
    if (behaviour !== 'well') continue;
    const group = game * SHARDS + shard;
    places.set(group, [...(places.get(group) ?? []), place]);
  }
  return (number) => places.get(callerOf(number, numbering) * SHARDS + shardOf(number, numbering)) ?? [];
}

async function createWebhooks(
  service: Service,
  keys: readonly string[],
  webhooks: readonly SickWebhook[],
  receivers: { receiver: Receiver; sickReceiver: Receiver },
  signal: AbortSignal,
): Promise<void> {
  const left = [...webhooks];
  async function createSome(): Promise<void> {
    for (let webhook = left.pop(); webhook !== undefined; webhook = left.pop()) {
      signal.throwIfAborted();
      const { place, game, shard, behaviour } = webhook;
      const to = behaviour === 'well' ? receivers.receiver : receivers.sickReceiver;
      const filters = { 'properties.shard': { eq: shard } };
      await createWebhook({ ...service, key: keys[game] ?? '' }, to.urlOf(behaviour, place), filters);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, createSome));
}

async function deliveriesMiB({ dataDir }: LocalService): Promise<number> {
  const url = readEndpoints(dataDir)?.nats_url ?? '';
  const logger = createLogger('silent', 'bench');
  const log = await connectJetStream({ url, replicas: 1, asFound: true, logger, clock: systemClock });
  try {
    return (await log.info('DELIVERIES')).sizeBytes / 1024 ** 2;
  } finally {
    await log.close();
  }
}
