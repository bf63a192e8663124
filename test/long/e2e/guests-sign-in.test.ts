import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SignInRig, startSignInRig } from '../../faults/clients/sign-in-rig.ts';
import type { SignedIn } from '../../faults/clients/sign-ins.ts';
import { verifySignIns } from '../../faults/verify-sign-ins.ts';
import { queryAsReader } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/*
 * 1,000 players sign in on two devices each while processes of two nodes are killed. What they did equals a replay of
 * FACTS, a rebuilt local store, and ClickHouse.
 */

const PLAYERS = 1_000;
const KILLS = 12;

let world: SignInRig;
let done: SignedIn[] = [];
beforeAll(async () => {
  world = await startSignInRig({ seed: 1_032, withPeer: true });
});
afterAll(() => world.stop());

test(
  'guests who sign in during kills lose nothing, double nothing, and equal a replay',
  { timeout: 900_000 },
  async () => {
    const { rig, injector } = world;
    const signingIn = world.signIn({ players: PLAYERS, atOnce: 8 });
    await injector.untilKills(KILLS);
    const signedIn = await signingIn;
    ({ done } = signedIn);
    await injector.allWell();
    expect(signedIn.violations).toEqual([]);
    expect(done).toHaveLength(PLAYERS);
    expect(await verifySignIns(rig.natsUrl, done)).toEqual({ lost: 0, doubled: 0, differing: [] });
  },
);

test('a node that lost its store has the same players', { timeout: 300_000 }, async () => {
  await world.rig.wipePeer();
  await world.injector.allWell();
  const client = world.caller();
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
      world.rig.clickhouseUrl,
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
