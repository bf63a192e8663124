import { sleep } from '../../../core/kernel/clock.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import type { SimulationOptions, SimulationRun } from '../simulations.ts';
import { createWorld } from '../world.ts';
import { createAttributed } from './attributed.ts';
import { checkReplay, checkSessions, checkTotals } from './check-merges.ts';
import { type SimGateway, startGateway } from './gateways.ts';
import { createOwners } from './owners.ts';
import { createPlays, externalIdOf, type Play, PLAYERS } from './play.ts';

/*
 * Merges in a simulated world: the real domain, saga, forwarding and keeper, with gateways that are killed, and a
 * network that delays, loses and reorders. Clients play as guests and as accounts, merge players in chains and circles,
 * and take merges back. What counts for whom is compared with a model that reads facts alone.
 */

const CLIENTS = 3;
const PLAYS = 30;
const RETRIES = 4;
const GATEWAYS = 2;
/** The end of all that waits: patience of requests, intents' age and turns of the keeper. */
const QUIET_MS = 240_000;
const DAY_MS = 86_400_000;

export async function simulateMerges(seed: number, { onLine }: SimulationOptions = {}): Promise<SimulationRun> {
  const world = createWorld(seed, onLine);
  const { clock } = world;
  const random = world.random('merges');
  const attributed = createAttributed(world);
  const tracked = new Map<string, number>();
  const owners = createOwners(world, ({ sequence, facts }) => {
    for (const fact of facts) {
      world.note(sequence, () => `${sequence} ${fact.kind} ${JSON.stringify(fact).slice(0, 200)}`);
      world.cover(`fact ${fact.kind}`);
      attributed.take(fact);
      if (fact.kind === 'EventTracked') tracked.set(fact.eventId, (tracked.get(fact.eventId) ?? 0) + 1);
    }
  });
  const broker = createMemoryBroker({ clock });
  const plays = createPlays(world.random('plays'));
  let loss = random.pick([0, 0.02, 0.06]);
  let named = 0;
  const start = (): SimGateway => startGateway({ world, broker, owners, name: `g${(named += 1)}`, lossOf: () => loss });
  const gateways = Array.from({ length: GATEWAYS }, start);
  const origin = () => ({ game: 'demo', environment: 'live', receivedAt: clock.wallMs(), by: 'server' }) as const;
  for (const playerId of PLAYERS) {
    const who = { playerId, externalId: externalIdOf(playerId), createOnly: false, byClientKey: false };
    owners.decide(origin(), playerId, { kind: 'RegisterPlayer', ...who });
  }

  const answered = new Map<string, 'accepted' | 'unknown'>();
  const earlier: Play[] = [];
  async function perform(play: Play): Promise<void> {
    for (let attempt = 0; attempt <= RETRIES; attempt++) {
      const gateway = random.pick(gateways);
      const outcome = await Promise.race([
        play.run(gateway, origin()),
        sleep(clock, 30_000).then(() => 'lost' as const),
      ]);
      const kind = outcome === 'lost' ? 'lost' : outcome.kind === 'failure' ? outcome.code : outcome.kind;
      world.cover(`reply ${kind}`);
      if (outcome !== 'lost' && outcome.kind === 'tracked') {
        for (const { eventId, status } of outcome.results)
          if (status === 'accepted' || status === 'duplicate') answered.set(eventId, 'accepted');
          else if (status === 'moved') world.violate('no-moved', `a client was answered that ${eventId} moved`);
      }
      if (kind === 'moved') world.violate('no-moved', 'a client was answered that its player moved');
      if (kind !== 'lost' && kind !== 'SERVICE_UNAVAILABLE') return;
      await sleep(clock, random.between(50, 3_000));
    }
  }

  let playing = CLIENTS;
  async function client(): Promise<void> {
    for (let number = 0; number < PLAYS; number++) {
      await sleep(clock, random.between(1, random.chance(0.6) ? 60 : 2_000));
      const isAgain = random.chance(0.15) && earlier.length > 0;
      const play = isAgain ? random.pick(earlier) : plays();
      await perform(play);
      if (!isAgain) earlier.push(play);
      owners.runTimers();
    }
    playing -= 1;
  }

  const isPlaying = (): boolean => playing > 0;
  async function killGateways(): Promise<void> {
    while (isPlaying()) {
      await sleep(clock, random.between(300, 9_000));
      const place = random.int(0, gateways.length - 1);
      gateways[place]?.kill();
      world.cover('chaos: a gateway is killed');
      await sleep(clock, random.between(10, 2_000));
      gateways[place] = start();
    }
  }

  for (let number = 0; number < CLIENTS; number++) void client();
  if (random.chance(0.8)) void killGateways();
  const isDone = () => playing === 0 || world.violation !== undefined;
  if (!(await clock.run(isDone, 3_600_000))) world.violate('ends', 'the clients did not end');
  loss = 0;
  const intents = () =>
    broker
      .bucket('MERGES')
      .since(0)
      .filter(({ value }) => value !== undefined).length;
  const endsAt = clock.monotonicMs() + QUIET_MS;
  await clock.run(
    () => world.violation !== undefined || (clock.monotonicMs() > endsAt - 100_000 && intents() === 0),
    endsAt,
  );
  // A command that came later than all others may have begun a step: the next request of its player ends it.
  let asked = 0;
  for (const playerId of PLAYERS) {
    const [gateway] = gateways;
    void gateway?.merges.backend.query(origin(), playerId, { kind: 'GetPlayer', playerId }).then(() => (asked += 1));
  }
  await clock.run(() => asked === PLAYERS.length && intents() === 0, clock.monotonicMs() + QUIET_MS);
  if (intents() > 0) world.violate('ends', 'a merge did not end');
  if (world.violation === undefined) check();
  if (world.violation === undefined) {
    clock.jumpWall(3 * DAY_MS);
    for (let round = 0; round < 3; round++) owners.runTimers();
    check();
    checkSessions(world, attributed);
    checkReplay(world, owners);
  }
  const { violation, coverage, traceHash } = world;
  return { violation, coverage, traceHash };

  function check(): void {
    checkTotals(world, owners, attributed);
    for (const [eventId, times] of tracked) {
      if (times > 1 && !attributed.hasReleased) world.violate('counts-once', `${eventId} was tracked ${times} times`);
    }
    for (const [eventId] of answered) {
      if (!tracked.has(eventId)) world.violate('acknowledged-is-stored', `${eventId} was acknowledged, and is lost`);
    }
  }
}
