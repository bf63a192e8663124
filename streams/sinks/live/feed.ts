import { type Clock, sleep } from '../../../core/kernel/clock.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { Log, Reader } from '../../log/log.ts';
import { streamTag } from './position.ts';
import { type RecentRecords, createRecentRecords } from './recent-records.ts';

/** Follows one incarnation of FACTS from its end. */
export interface Feed {
  /** When FACTS was created, as the broker writes it. */
  created: string;
  /** The same in SSE ids. */
  tag: string;
  reader: Reader;
  /** The records fanned out last; `lastSequence` is the current position. */
  recent: RecentRecords;
}

export interface FeedOptions {
  log: Log;
  /** How the reader gathers records, as in `ReadOptions`. */
  gatherMs?: number | undefined;
  clock: Clock;
  logger: Logger;
  onWaiting: () => void;
  stopped: () => boolean;
}

const RETRY_MS = 1_000;

/** Opens FACTS at its end, and repeats until that succeeds. `undefined`: stopped meanwhile. */
export async function openFeed(options: FeedOptions): Promise<Feed | undefined> {
  const { clock, logger, stopped } = options;
  while (!stopped()) {
    try {
      const feed = await tryOpen(options);
      if (feed !== undefined) return feed;
    } catch (error) {
      if (!stopped()) logger.warn({ err: error }, 'live: FACTS cannot be opened; the next attempt follows');
    }
    if (!stopped()) await sleep(clock, RETRY_MS);
  }
  return undefined;
}

/** Reads from the sequence after the last one instead of from "new", so that the position is known at once. */
async function tryOpen({ log, gatherMs, onWaiting, stopped }: FeedOptions): Promise<Feed | undefined> {
  const { created, lastSequence } = await log.info('FACTS');
  const reader = log.read('FACTS', { from: lastSequence + 1, gatherMs, onWaiting });
  await reader.started;
  const now = await log.info('FACTS');
  if (stopped() || now.created !== created || reader.ended !== undefined) {
    reader.stop();
    return undefined;
  }
  const recent = createRecentRecords(lastSequence, LIVE_LIMITS.streamRecentBytes);
  return { created, tag: streamTag(created), reader, recent };
}
