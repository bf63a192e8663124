import { connectJetStream } from '../../streams/log/jetstream/log-jetstream.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { createLogger } from '../../core/kernel/logger.ts';
import { readEndpoints } from '../../src/local/processes/run-files.ts';
import { awaitArrivals } from '../lib/load/traffic/arrivals.ts';
import { inPhase, type Bench } from '../lib/bench.ts';
import { createWebhook, eachOf, registerPlayers } from '../lib/load/calls.ts';
import { delaysCells, DELAYS_HEAD, delaysOf, type Delays } from '../lib/figures/event-delays.ts';
import { runEventLoad, type EventCaller } from '../lib/load/traffic/event-load.ts';
import { createGames } from '../lib/service/samples/games.ts';
import { readMetrics } from '../lib/figures/metrics.ts';
import { callerOf, shardOf } from '../lib/load/traffic/numbered-event.ts';
import { startReceiver, type SickReport } from '../lib/service/readers/receiver.ts';
import { latencyRows, medianOf, usageSections, type NamedRuns } from '../lib/report/run-tables.ts';
import { startLocalService, type LocalService } from '../lib/service/service.ts';
import { SHARDS, sickWebhooks, WEBHOOKS_PER_GAME, type SickWebhook } from '../lib/service/readers/sick-webhooks.ts';
import { latencyAt, medianRatio, sum } from '../lib/figures/statistics.ts';
import { figure, LATENCY_HEAD, section, table, tableOf } from '../lib/report/table.ts';
import { watchUsage, type UsageSeen } from '../lib/figures/usage.ts';

/** Deliveries to the healthy webhooks, on a service of its own. */
interface SickRun {
  /** First attempts at healthy webhooks, from the answer that accepted the event. */
  delays: Delays;
  /** Attempts after the first at healthy webhooks: there is no reason for any. */
  retries: number;
  /** What the sick webhooks received. */
  sick: SickReport;
  /** Size of DELIVERIES at the end of the load: attempts that are due later. */
  pendingMiB: number;
  /** The service's metrics at the end of the load: attempts deferred, deliveries pending and refused, open circuits. */
  reported: { defer: number; pending: number; overflowed: number; openCircuits: number };
  errors: Record<string, number>;
  usage: UsageSeen;
}

interface SickSettings {
  games: number;
  rounds: number;
  sickEventsPerSecond: number;
  sickSeconds: number;
  folder: string | undefined;
}

export interface SickFigures {
  webhooks: number;
  eventsPerSecond: number;
  seconds: number;
  /** With and without the sick ones, one right after the other; the order changes from round to round. */
  rounds: { without: SickRun; with: SickRun }[];
}

/** Deliveries due this early must arrive, but their delays are left out: the service compiles its code meanwhile. */
const SETTLING_SECONDS = 5;
const PLAYERS_PER_GAME = 20;
const CREATED_AT_ONCE = 16;
const CONNECTIONS = 32;

/** First attempts at healthy webhooks, while three webhooks in ten are sick and while there are no sick ones. */
export async function measureSick(bench: Bench, settings: SickSettings): Promise<SickFigures> {
  const webhooks = sickWebhooks(settings.games);
  const well = webhooks.filter(({ behaviour }) => behaviour === 'well');
  const rounds: SickFigures['rounds'] = [];
  const run = (isWith: boolean) => inPhase(bench, (own) => measureRun(own, settings, isWith ? webhooks : well));
  for (let round = 1; round <= settings.rounds; round++) {
    const isFirstWith = round % 2 === 0;
    const first = await run(isFirstWith);
    const second = await run(!isFirstWith);
    rounds.push(isFirstWith ? { with: first, without: second } : { without: first, with: second });
    bench.report(`sick webhooks, round ${round} of ${settings.rounds}`);
  }
  return {
    webhooks: settings.games * WEBHOOKS_PER_GAME,
    eventsPerSecond: settings.sickEventsPerSecond,
    seconds: settings.sickSeconds,
    rounds,
  };
}

async function measureRun(bench: Bench, settings: SickSettings, webhooks: readonly SickWebhook[]): Promise<SickRun> {
  const { signal } = bench;
  const { games, sickEventsPerSecond: eventsPerSecond, sickSeconds } = settings;
  const service = await startLocalService(bench, settings);
  // Sick webhooks have a process of their own, so that they do not delay the healthy webhooks' receiver.
  const [receiver, sickReceiver] = [await startReceiver(bench), await startReceiver(bench)];
  const keys = await createGames(service, games, signal);
  const callers: EventCaller[] = [];
  for (const key of keys) {
    callers.push({ key, playerIds: await registerPlayers({ ...service, key }, PLAYERS_PER_GAME, signal) });
  }
  const create = async ({ place, game, shard, behaviour }: SickWebhook): Promise<void> => {
    const url = (behaviour === 'well' ? receiver : sickReceiver).urlOf(behaviour, place);
    await createWebhook({ ...service, key: keys[game] ?? '' }, url, { 'properties.shard': { eq: shard } });
  };
  await eachOf(webhooks, signal, create, CREATED_AT_ONCE);

  const requests = Math.round(eventsPerSecond * (SETTLING_SECONDS + sickSeconds));
  const flows = [{ eventsPerRequest: 1, requestsPerSecond: eventsPerSecond, requests }];
  const watch = watchUsage({ ...service.pids(), receiver: receiver.pid, 'sick receiver': sickReceiver.pid });
  bench.cleanup.add(async () => watch.stop());
  const load = { baseUrl: service.baseUrl, callers, flows, connections: CONNECTIONS, sampledEvery: 1, padding: 0 };
  const { accepted, errors } = await runEventLoad({ ...load, firstNumber: 1, shards: SHARDS }, signal);
  const pendingMiB = await deliveriesMiB(service);
  const metric = await readMetrics(service);
  const placesOf = wellPlaces(webhooks, { callers: games, shards: SHARDS });
  const wanted = sum(accepted.atMs.map((atMs, index) => (atMs === null ? 0 : placesOf(index + 1).length)));
  const arrivals = await awaitArrivals(receiver, wanted, signal);
  const usage = watch.seen();
  return {
    delays: delaysOf(accepted, arrivals, placesOf, 1 + SETTLING_SECONDS * eventsPerSecond),
    retries: (await receiver.sick()).retries,
    sick: await sickReceiver.sick(),
    pendingMiB,
    reported: {
      defer: metric('webhook_attempts_total', 'outcome="put_off"'),
      pending: metric('webhook_deliveries_pending'),
      overflowed: metric('webhook_deliveries_overflowed_total'),
      openCircuits: metric('webhook_open_circuits'),
    },
    errors,
    usage,
  };
}

/** The healthy webhooks that must receive an event. */
function wellPlaces(
  webhooks: readonly SickWebhook[],
  numbering: { callers: number; shards: number },
): (number: number) => readonly number[] {
  const well = webhooks.filter(({ behaviour }) => behaviour === 'well');
  const groups = Map.groupBy(well, ({ game, shard }) => game * SHARDS + shard);
  const places = new Map([...groups].map(([group, of]) => [group, of.map(({ place }) => place)]));
  return (number) => places.get(callerOf(number, numbering) * SHARDS + shardOf(number, numbering)) ?? [];
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

/** The most that p99 of first attempts may grow when three webhooks in ten are sick. */
const GOAL = 1.5;

export function sickTables({ webhooks, eventsPerSecond, seconds, rounds }: SickFigures): string {
  const without = rounds.map((round) => round.without);
  const withSick = rounds.map((round) => round.with);
  const named: NamedRuns<SickRun> = [
    ['without the sick', without],
    ['with the sick', withSick],
  ];
  const p99 = (run: SickRun): number => latencyAt(run.delays.latency, 0.99);
  const ofMedians = medianOf(withSick, p99) / medianOf(without, p99);
  const ofPairs = medianRatio(rounds.map((round) => ({ of: p99(round.with), to: p99(round.without) })));
  const byRound = rounds.map((round) => `${figure(p99(round.without))} and ${figure(p99(round.with))}`);
  return [
    section(
      `First attempts at ${(webhooks * 7) / 10} healthy webhooks, ms, with and without ${(webhooks * 3) / 10} that hang, ` +
        `answer 500 or drip: ${figure(eventsPerSecond)} events/s for ${seconds} s (medians of the rounds)`,
      table(
        [...LATENCY_HEAD, ...DELAYS_HEAD, 'retries', 'pending MiB'],
        named.map(([name, runs]) => [
          ...latencyRows([[name, runs.map(({ delays }) => delays)]]).flat(),
          ...delaysCells(runs.map(({ delays }) => delays)),
          sum(runs.map(({ retries }) => retries)),
          medianOf(runs, ({ pendingMiB }) => pendingMiB),
        ]),
      ),
    ),
    `Ratio of the medians of p99: ${ofMedians.toFixed(2)} (goal: at most ${GOAL}); ` +
      `median of the pairs' ratios: ${ofPairs.toFixed(2)}`,
    `p99 by round, without and with: ${byRound.join('; ')}`,
    section(
      "The sick webhooks' attempts and open exchanges; the service's metrics at the end of the load (medians)",
      tableOf([withSick], {
        failing: (runs) => medianOf(runs, ({ sick }) => sick.attempts.failing),
        hanging: (runs) => medianOf(runs, ({ sick }) => sick.attempts.hanging),
        dripping: (runs) => medianOf(runs, ({ sick }) => sick.attempts.dripping),
        'most open': (runs) => medianOf(runs, ({ sick }) => sick.mostOpen),
        deferred: (runs) => medianOf(runs, ({ reported }) => reported.defer),
        pending: (runs) => medianOf(runs, ({ reported }) => reported.pending),
        overflowed: (runs) => medianOf(runs, ({ reported }) => reported.overflowed),
        'open circuits': (runs) => medianOf(runs, ({ reported }) => reported.openCircuits),
      }),
    ),
    ...usageSections(named),
  ].join('\n');
}
