import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller } from '../../faults/clients/caller.ts';
import { emptyTally } from '../../faults/clients/client-log.ts';
import { signIn, type SignedIn } from '../../faults/clients/sign-ins.ts';
import { createInjector, type Injector } from '../../faults/injector.ts';
import { createProbe } from '../../faults/probe.ts';
import { createRandom } from '../../faults/random.ts';
import { startRig, type Rig } from '../../faults/rig.ts';
import { verifySignIns } from '../../faults/verify-sign-ins.ts';
import { queryAsReader } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/*
 * 1,000 players sign in on two devices each while processes of two nodes are killed. What they did equals a replay of
 * FACTS, a rebuilt local store, and ClickHouse.
 */

const PLAYERS = 1_000;
const AT_ONCE = 8;
const KILLS = 12;

const random = createRandom(1_032);
const giveUp = new AbortController();
let rig: Rig;
let injector: Injector;

const caller = () =>
  createCaller({
    baseUrls: [rig.baseUrl],
    keys: rig.keys,
    random: random.fork(),
    tally: emptyTally(),
    giveUp: giveUp.signal,
  });

beforeAll(async () => {
  rig = await startRig({ withPeer: true });
  const nowMs = () => performance.now();
  injector = createInjector({ rig, probe: await createProbe(caller(), nowMs), random, nowMs });
});
afterAll(async () => {
  giveUp.abort();
  await rig.stop();
});

const done: SignedIn[] = [];

test(
  'guests who sign in during kills lose nothing, double nothing, and equal a replay',
  { timeout: 900_000 },
  async () => {
    const violations: string[] = [];
    const signingIn = signIn({
      caller: caller(),
      random: random.fork(),
      name: 'p',
      players: PLAYERS,
      atOnce: AT_ONCE,
      onViolation: (what) => void violations.push(what),
      onDone: (player) => void done.push(player),
    });
    await injector.untilKills(KILLS);
    await signingIn;
    await injector.allWell();
    expect(violations).toEqual([]);
    expect(done).toHaveLength(PLAYERS);
    expect(await verifySignIns(rig.natsUrl, done)).toEqual({ lost: 0, doubled: 0, differing: [] });
  },
);

test('a node that lost its store has the same players', { timeout: 300_000 }, async () => {
  await rig.wipePeer();
  await injector.allWell();
  const client = caller();
  for (const { id, guests, revenue } of done.slice(0, 200)) {
    for (const name of [id, ...guests]) {
      const answered = await client.call({ method: 'GET', path: `/v1/players/players/${name}`, key: 'server' });
      expect(answered?.data).toMatchObject({ id, total_revenue: revenue });
    }
  }
});

test('ClickHouse has every event once, under its account', { timeout: 300_000 }, async () => {
  const expected = done.reduce((sum, { eventIds }) => sum + eventIds.length, 0);
  const row = () =>
    queryAsReader<{ rows: number; ids: number; players: number }>(
      rig.clickhouseUrl,
      "SELECT toUInt32(count()) AS rows, toUInt32(uniqExact(event_id)) AS ids, toUInt32(uniqExact(player_id)) AS players FROM events WHERE event_name = 'played'",
    );
  await until(
    'all rows are their accounts',
    async () => {
      const [found] = await row();
      return found?.rows === expected && found.players === PLAYERS;
    },
    240_000,
  );
  expect(await row()).toEqual([{ rows: expected, ids: expected, players: PLAYERS }]);
});
