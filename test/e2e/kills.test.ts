import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller } from '../faults/clients/caller.ts';
import { emptyTally } from '../faults/clients/client-log.ts';
import { createInjector, type Injector } from '../faults/injector.ts';
import { startLoadClient, type LoadClient } from '../faults/clients/load-client.ts';
import { createProbe, type Probe } from '../faults/probe.ts';
import { createRandom } from '../faults/random.ts';
import { startRig, type Rig } from '../faults/rig.ts';
import { verify } from '../faults/verify.ts';
import { scanFacts } from '../faults/verify-facts.ts';
import { isAlive } from '../support/servers/supervised.ts';
import { followStream, type StreamFollower } from '../support/wire/stream-follower.ts';
import { until } from '../support/until.ts';

/*
 * Runs what `npm start` runs under a light load with retries and a reader of the event stream; each process dies once.
 */

const random = createRandom(7);
const stop = new AbortController();
const giveUp = new AbortController();
const tally = emptyTally();
let rig: Rig;
let probe: Probe;
let injector: Injector;
let load: LoadClient[];
let follower: StreamFollower;

beforeAll(async () => {
  rig = await startRig({ withPeer: false });
  follower = followStream({ url: rig.baseUrl, key: rig.keys.live.server });
  await until('the stream is connected', () => follower.types().includes('connected'));
  const caller = () =>
    createCaller({ baseUrls: [rig.baseUrl], keys: rig.keys, random: random.fork(), tally, giveUp: giveUp.signal });
  const nowMs = () => performance.now();
  probe = await createProbe(caller(), nowMs);
  injector = createInjector({ rig, probe, random, nowMs });
  load = Array.from({ length: 4 }, (_, place) =>
    startLoadClient({
      name: `light-${place}`,
      players: 2,
      caller: caller(),
      random: random.fork(),
      stop: stop.signal,
      pauseMs: 40,
      nowMs,
    }),
  );
});
afterAll(async () => {
  stop.abort();
  giveUp.abort();
  await follower.stop();
  await rig.stop();
});

test.each(['service', 'nats', 'clickhouse', 'supervisor'] as const)(
  'after kill -9 of %s the service recovers without help, and clients only need to retry',
  async (target) => {
    const before = tally.acked;
    const { services = {}, ...others } = rig.pids() ?? {};
    const pids = Object.values({ ...others, ...services }).map(Number);
    await injector.inject({ kind: 'kill', target });
    if (target === 'supervisor') expect(pids.filter(isAlive)).toEqual([]);
    expect(tally.acked).toBeGreaterThan(before);
    expect(load.flatMap(({ log }) => log.violations)).toEqual([]);
  },
);

test('then ClickHouse has every acknowledged event once, and every player has the acknowledged state', async () => {
  await injector.allWell();
  stop.abort();
  await Promise.all(load.map((client) => client.done));
  const verdict = await verify(rig, [probe.log, ...load.map((client) => client.log)]);
  expect(verdict.violations).toEqual([]);
  expect(verdict).toMatchObject({ lost: 0, doubled: 0, reordered: 0, unexplained: 0, differing: 0 });
  expect(verdict.ackedEvents).toBeGreaterThan(100);
});

test('and a stream reader that reconnects has received every event once, in the order of the log', async () => {
  const stored = (await scanFacts(rig.natsUrl)).events.map(({ fact }) => fact.eventId);
  await until('the reader has as many', () => follower.eventIds().length >= stored.length);
  expect(follower.eventIds()).toEqual(stored);
  const types = follower.types();
  expect(types.filter((type) => type === 'connected').length).toBeGreaterThan(2);
  expect(types).not.toContain('gap');
});
