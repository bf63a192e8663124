import { sleep } from '../../../src/kernel/clock.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { Link } from './link.ts';

export interface UpkeepOptions {
  link: Link;
  clock: Clock;
  logger: Logger;
  /** What is kept up, for the log. */
  what: string;
  /** Whether it is wanted and not there. */
  missing: () => boolean;
  /** One attempt. Resolves to whether it went as it should; if not, the next comes after a pause. */
  attempt: () => Promise<boolean>;
  /** The link went down, or came up anew: what was established is worth nothing now. */
  letGo: () => void;
}

/** Keeps something established at the broker while the link is up: at once, after every reconnect, and on `again`. */
export function keepUp(options: UpkeepOptions): { again: () => void; stop: () => void } {
  const { link, clock } = options;
  let running = false;

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    try {
      let pauseMs: number = LIMITS.logRetryMs;
      while (link.up && options.missing()) {
        if (await tried()) continue;
        await sleep(clock, pauseMs);
        pauseMs = Math.min(pauseMs * 2, LIMITS.logRetryMaxMs);
      }
    } finally {
      running = false;
    }
  }

  /** What the broker has never said before must not end it for good: it is told, and tried again. */
  async function tried(): Promise<boolean> {
    try {
      return await options.attempt();
    } catch (error) {
      if (!link.closed) options.logger.error({ err: error }, `${options.what} cannot go on; it tries again`);
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
