import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller } from '../faults/clients/caller.ts';
import { emptyTally } from '../faults/clients/client-log.ts';
import { signIn, type SignedIn } from '../faults/clients/sign-ins.ts';
import { createInjector, type Injector } from '../faults/injector.ts';
import { createProbe } from '../faults/probe.ts';
import { createRandom } from '../faults/random.ts';
import { startRig, type Rig } from '../faults/rig.ts';
import { verifySignIns } from '../faults/verify-sign-ins.ts';

/* Players sign in on two devices each while the service and the broker are killed. The long run has 1,000 players. */

const PLAYERS = 40;
const AT_ONCE = 4;

const random = createRandom(32);
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
  rig = await startRig({ withPeer: false });
  const nowMs = () => performance.now();
  injector = createInjector({ rig, probe: await createProbe(caller(), nowMs), random, nowMs });
});
afterAll(async () => {
  giveUp.abort();
  await rig.stop();
});

test('guests who sign in during kills lose nothing, double nothing, and equal a replay', async () => {
  const done: SignedIn[] = [];
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
  await injector.inject({ kind: 'kill', target: 'service' });
  await injector.inject({ kind: 'kill', target: 'nats' });
  await signingIn;
  await injector.allWell();
  expect(violations).toEqual([]);
  expect(done).toHaveLength(PLAYERS);
  expect(await verifySignIns(rig.natsUrl, done)).toEqual({ lost: 0, doubled: 0, differing: [] });
});
