import { createInjector, type Injector } from '../injector.ts';
import { createProbe } from '../probe.ts';
import { createRandom } from '../random.ts';
import { startRig, type Rig } from '../rig.ts';
import { type Caller, createCaller } from './caller.ts';
import { emptyTally } from './client-log.ts';
import { signIn, type SignedIn } from './sign-ins.ts';

/** The service with its faults, and players who sign in on two devices each. */
export interface SignInRig {
  readonly rig: Rig;
  readonly injector: Injector;
  caller(): Caller;
  /** Resolves when all players are signed in, with the answers that no client may get. */
  signIn(options: { players: number; atOnce: number }): Promise<{ done: SignedIn[]; violations: string[] }>;
  stop(): Promise<void>;
}

export async function startSignInRig({ seed, withPeer }: { seed: number; withPeer: boolean }): Promise<SignInRig> {
  const random = createRandom(seed);
  const giveUp = new AbortController();
  const rig = await startRig({ withPeer });
  const nowMs = () => performance.now();
  const caller = () =>
    createCaller({
      baseUrls: [rig.baseUrl],
      keys: rig.keys,
      random: random.fork(),
      tally: emptyTally(),
      giveUp: giveUp.signal,
    });
  const injector = createInjector({ rig, probe: await createProbe(caller(), nowMs), random, nowMs });
  return {
    rig,
    injector,
    caller,
    async signIn(options) {
      const done: SignedIn[] = [];
      const violations: string[] = [];
      await signIn({
        ...options,
        caller: caller(),
        random: random.fork(),
        name: 'p',
        onViolation: (what) => void violations.push(what),
        onDone: (player) => void done.push(player),
      });
      return { done, violations };
    },
    stop() {
      giveUp.abort();
      return rig.stop();
    },
  };
}
