import { sleep } from '../../../core/kernel/clock.ts';
import type { Clock } from '../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from './limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { Link } from './link.ts';

export interface UpkeepOptions {
  link: Link;
  clock: Clock;
  logger: Logger;
  /** Names the thing in log lines. */
  what: string;
  /** Whether it is wanted and not established. */
  missing: () => boolean;
  /** One attempt. Resolves to whether it succeeded; if not, the next follows after a pause. */
  attempt: () => Promise<boolean>;
  /** The link went down or came up: what was established is invalid. */
  letGo: () => void;
}

/** Establishes something at the broker while the link is up: at once, after every reconnect, and on `again`. */
export function keepUp(options: UpkeepOptions): { again: () => void; stop: () => void } {
  const { link, clock } = options;
  let running = false;

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    try {
      let pauseMs: number = JETSTREAM_LIMITS.logRetryMs;
      while (link.up && options.missing()) {
        if (await attempt()) continue;
        await sleep(clock, pauseMs);
        pauseMs = Math.min(pauseMs * 2, JETSTREAM_LIMITS.logRetryMaxMs);
      }
    } finally {
      running = false;
    }
  }

  /** An unexpected error must not end the upkeep: it is logged, and the attempt is repeated. */
  async function attempt(): Promise<boolean> {
    try {
      return await options.attempt();
    } catch (error) {
      if (!link.closed) options.logger.error({ err: error }, `${options.what} failed; the next attempt follows`);
      return false;
    }
  }

  const stop = link.onChange((up) => {
    options.letGo();
    if (up) void run();
  });
  void run();
  return { again: () => void run(), stop };
}
