import type { Bench } from '../bench.ts';
import { startHelper, type Helper } from '../helpers/start-helper.ts';
import type { Arrivals } from './arrivals.ts';

/** Starts a helper that ends with the bench, and at once when the signal comes: whoever waits for its words is told so. */
export function startOwnHelper(
  { cleanup, signal }: Pick<Bench, 'cleanup' | 'signal'>,
  script: URL,
  spec: object,
): Helper {
  signal.throwIfAborted();
  const helper = startHelper(script, spec);
  const abort = () => void helper.stop();
  signal.addEventListener('abort', abort);
  cleanup.add(async () => {
    signal.removeEventListener('abort', abort);
    await helper.stop();
  });
  return helper;
}

/** A process that notes when events arrive at it. */
export interface Observer {
  pid: number;
  /** Arrivals noted and not yet taken. */
  count(): Promise<number>;
  /** The arrivals since the last time. */
  take(): Promise<Arrivals>;
  stop(): Promise<void>;
}

/** What every observer answers (see `createArrivalLog`). */
export function observerOf(helper: Helper): Observer {
  return {
    pid: helper.pid,
    async count() {
      helper.ask('count');
      const { count }: { count: number } = JSON.parse(await helper.next());
      return count;
    },
    async take() {
      helper.ask('take');
      const arrivals: Arrivals = JSON.parse(await helper.next());
      return arrivals;
    },
    stop: () => helper.stop(),
  };
}
