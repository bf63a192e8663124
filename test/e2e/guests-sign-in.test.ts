import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SignInRig, startSignInRig } from '../faults/clients/sign-in-rig.ts';
import { verifySignIns } from '../faults/verify-sign-ins.ts';

/* Players sign in on two devices each while the service and the broker are killed. The long run has 1,000 players. */

const PLAYERS = 40;

let world: SignInRig;
beforeAll(async () => {
  world = await startSignInRig({ seed: 32, withPeer: false });
});
afterAll(() => world.stop());

test('guests who sign in during kills lose nothing, double nothing, and equal a replay', async () => {
  const { rig, injector } = world;
  const signingIn = world.signIn({ players: PLAYERS, atOnce: 4 });
  await injector.inject({ kind: 'kill', target: 'service' });
  await injector.inject({ kind: 'kill', target: 'nats' });
  const { done, violations } = await signingIn;
  await injector.allWell();
  expect(violations).toEqual([]);
  expect(done).toHaveLength(PLAYERS);
  expect(await verifySignIns(rig.natsUrl, done)).toEqual({ lost: 0, doubled: 0, differing: [] });
});
