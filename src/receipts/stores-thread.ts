import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { type Clock, systemClock } from '../../core/kernel/clock.ts';
import { createAppleStore } from './apple-store.ts';
import { createGoogleStore } from './google-store.ts';
import { RECEIPT_LIMITS } from './limits.ts';
import type { StoreVerifier } from './store-verifier.ts';

/*
 * The stores' libraries in a thread of their own. To load them takes up to a second, and they parse what strangers
 * sent, so neither happens beside requests.
 *
 * Invariants
 * 1. The thread starts with the first call, and does not keep the process alive.
 * 2. Every call ends: with an answer, or as `unavailable` after `threadTimeoutMs`. Then the thread is started anew.
 */

type Method = keyof StoreVerifier;
interface Call {
  id: number;
  method: Method;
  args: readonly never[];
}
interface Answer {
  id: number;
  result: never;
}

interface Waiting {
  answer: (result: never) => void;
  fail: () => void;
}

export interface StoresThread extends StoreVerifier {
  stop(): Promise<void>;
}

const UNAVAILABLE = { kind: 'unavailable', why: 'the thread of the stores did not answer' } as const;

/** @param roots of Apple's chains, DER in base64; default: Apple's */
export function createStoresThread(clock: Clock = systemClock, roots?: readonly string[]): StoresThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let calls = 0;

  function started(): Worker {
    if (worker !== undefined) return worker;
    const made = new Worker(new URL(import.meta.url), { workerData: { [MARK]: true, roots }, argv: [] });
    made.unref();
    made.on('message', ({ id, result }: Answer) => waiting.get(id)?.answer(result));
    made.on('error', () => end(made));
    made.on('exit', () => end(made));
    worker = made;
    return made;
  }

  /** Answers what waits for a thread that has ended. */
  function end(ended: Worker): void {
    if (worker !== ended) return;
    worker = undefined;
    for (const { fail } of waiting.values()) fail();
  }

  function call<T>(method: Method, ...args: readonly unknown[]): Promise<T | typeof UNAVAILABLE> {
    if (waiting.size >= RECEIPT_LIMITS.threadCalls) return Promise.resolve(UNAVAILABLE);
    const thread = started();
    const id = (calls += 1);
    return new Promise((resolve) => {
      const cancel = clock.timer(RECEIPT_LIMITS.threadTimeoutMs, () => {
        void thread.terminate();
        end(thread);
      });
      const done = (result: T | typeof UNAVAILABLE): void => {
        cancel();
        waiting.delete(id);
        resolve(result);
      };
      waiting.set(id, { answer: done, fail: () => done(UNAVAILABLE) });
      thread.postMessage({ id, method, args });
    });
  }

  return {
    appleReceipt: (...args) => call('appleReceipt', ...args),
    googleReceipt: (...args) => call('googleReceipt', ...args),
    appleNotice: (...args) => call('appleNotice', ...args),
    googleSender: (...args) => call('googleSender', ...args),
    async stop() {
      const ending = worker;
      if (ending === undefined) return;
      end(ending);
      await ending.terminate();
    },
  };
}

const MARK = 'storesThread';

/** Runs inside the thread. */
async function serve(roots: readonly string[] | undefined): Promise<void> {
  const port = parentPort;
  if (port === null) return;
  // A call that comes meanwhile waits in the port.
  const [apple, google] = await Promise.all([import('@apple/app-store-server-library'), import('google-auth-library')]);
  const stores: StoreVerifier = { ...createAppleStore(apple, roots), ...createGoogleStore(google) };
  port.on('message', ({ id, method, args }: Call) => {
    const run: (...given: readonly never[]) => Promise<unknown> = stores[method];
    run(...args).then(
      (result) => port.postMessage({ id, result }),
      () => port.postMessage({ id, result: UNAVAILABLE }),
    );
  });
}

if (!isMainThread && workerData?.[MARK] === true) void serve(workerData.roots);
