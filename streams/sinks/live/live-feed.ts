import { type Cancel, type Clock, within } from '../../../core/kernel/clock.ts';
import { LIVE_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { LiveMetrics } from './metrics.ts';
import { watchErasures } from '../../facts/erasures.ts';
import type { TracedEvents } from '../../freshness/traced-events.ts';
import type { LiveFeed, LostEvents } from '../../live-feed.ts';
import type { Log } from '../../log/log.ts';
import type { Member } from './audience.ts';
import { catchUp } from './replay/catch-up.ts';
import { fanOut } from './fan-out.ts';
import { type Feed, openFeed } from './feed.ts';
import { createFeedMembers } from './feed-members.ts';
import { connectedMessage, refusalMessage } from './messages.ts';
import { type OlderRecords, openOlderRecords } from './replay/older-records.ts';
import { type Cursor, parsePosition, recordPosition } from './position.ts';
import { traceEvents } from './trace-events.ts';
import { createReplaySlots } from './replay/replay-slots.ts';

/** A log message. The simulation reads it. */
export const FACTS_RESET = 'live: FACTS was reset; readers get a gap';

export interface LiveFeedOptions {
  log: Log;
  /** As in `FeedOptions`. */
  gatherMs?: number;
  clock: Clock;
  logger: Logger;
  metrics: LiveMetrics;
  heartbeatMs: number;
  /** Reads FACTS only while it has readers, and some seconds longer. Default: from the start on. */
  onDemand?: boolean;
  /** How many events of a reader's subscription were lost; `undefined`: unknown. Without it, never counted. */
  countLost?: (lost: LostEvents) => Promise<number | undefined>;
  /** Measures how fresh the stream is. */
  traced?: TracedEvents;
}

export interface RunningLiveFeed extends LiveFeed {
  /** How far the feed is; `undefined` while it is not open. */
  readonly progress: { behind: number; sequence: number; storedAtMs: number | undefined } | undefined;
  /** Resolves once the feed is live. Readers that attached earlier get `connected` then. */
  start(): Promise<void>;
  /** Ends every reader. */
  stop(): Promise<void>;
}

const TAKE_RECORDS = 64;
const TAKE_BYTES = 1024 * 1024;

/**
 * The live stream of a process: one reader of FACTS for all SSE connections.
 *
 * A member (an attached reader) waits until the feed is live, catches up after a resume or while its connection is
 * slow, and otherwise belongs to the audience. Each record is decoded once, each message serialised once.
 *
 * A slow reader is served from the recent records at its own pace, and disconnected when it falls behind them. It
 * resumes with `Last-Event-ID` and misses nothing. A reader whose next record a newer version wrote is disconnected
 * too: it resumes at a gateway of that version. `gap`: events can no longer be replayed, because the log was trimmed or
 * lost.
 *
 * A feed on demand opens for its first member, which waits as at a start.
 *
 * Every member gets heartbeats at the same interval, counted from when it attached.
 */
export function createLiveFeed(options: LiveFeedOptions): RunningLiveFeed {
  const { log, clock, logger, metrics, heartbeatMs, onDemand = false } = options;
  const members = createFeedMembers({ clock, logger, metrics, heartbeatMs, feed: () => feed, onLeft: closeWhenIdle });
  const { audience } = members;
  const slots = createReplaySlots({ clock, limit: LIVE_LIMITS.streamReplays, turnMs: LIVE_LIMITS.streamReplayTurnMs });
  const erasures = watchErasures(log, clock);
  let feed: Feed | undefined;
  let opening = false;
  let stopped = false;
  /** When the record was stored that was fanned out last. */
  let lastStoredAtMs: number | undefined;
  let cancelClose: Cancel = () => {};

  const onUnreadable = (error: unknown): void =>
    logger.error({ err: error }, 'live: a record of FACTS cannot be read; its readers are disconnected and resume');

  async function open(): Promise<void> {
    if (opening) return;
    opening = true;
    // Replays need the erasures.
    await erasures.ready;
    feed = await openFeed({
      log,
      gatherMs: options.gatherMs,
      clock,
      logger,
      onWaiting: drain,
      stopped: () => stopped,
    });
    opening = false;
    if (feed === undefined) return;
    for (const member of members.all()) welcome(member, feed);
    drain();
    closeWhenIdle();
  }

  function closeWhenIdle(): void {
    cancelClose();
    if (!onDemand || stopped || members.size > 0) return;
    cancelClose = clock.timer(LIVE_LIMITS.streamIdleMs, () => {
      if (members.size > 0) return;
      feed?.reader.stop();
      feed = undefined;
      metrics.streamLag.set(0);
    });
  }

  function drain(): void {
    const current = feed;
    if (current === undefined) return;
    const onStuck = (member: Member): void => members.disconnect(member, 'unreadable');
    const onBehind = (member: Member, from: Cursor): void => follow(current, member, from, 'recent records only');
    for (;;) {
      const records = current.reader.take(TAKE_RECORDS, TAKE_BYTES);
      if (records.length === 0) break;
      fanOut(records, { feed: current, audience, onBehind, onUnreadable, onStuck });
      traceEvents(records, options.traced);
      lastStoredAtMs = records.at(-1)?.storedAtMs;
    }
    if (current.reader.ended === 'reset') void reset(current);
  }

  /** FACTS was created anew or lost the next record: continue at its end and send every reader a gap. */
  async function reset(lost: Feed): Promise<void> {
    if (stopped || feed !== lost) return;
    logger.error({ position: lost.recent.lastSequence }, FACTS_RESET);
    feed = undefined;
    lost.reader.stop();
    for (const member of members.all()) {
      member.stopFollowing();
      audience.leave(member);
    }
    await open();
  }

  /** Starts a member, also again after a reset. */
  function welcome(member: Member, current: Feed): void {
    const { lastEventId, game } = member.request;
    const again = member.greeted;
    member.greeted = true;
    if (!again) {
      const here = recordPosition(current.tag, current.recent.lastSequence);
      member.reader.write(connectedMessage(game, lastEventId === undefined ? here : undefined));
    }
    const resume = again || lastEventId === undefined ? undefined : parsePosition(lastEventId);
    if (resume?.tag === current.tag) {
      if (members.has(member)) follow(current, member, resume.next, 'recent records and log');
      return;
    }
    if (again || lastEventId !== undefined) members.sendGap(member);
    if (members.has(member)) audience.join(member);
  }

  /** Lets a member catch up from `from`. Only resuming members read the log, a bounded number at a time. */
  function follow(
    current: Feed,
    member: Member,
    from: Cursor,
    source: 'recent records only' | 'recent records and log',
  ): void {
    const { recent, tag, created } = current;
    function openOlder(fromSequence: number, onWaiting: () => void): OlderRecords {
      const present = (): number => recent.lastSequence;
      const { key } = member.request;
      return openOlderRecords({ log, clock, slots, key, created, tag, present, fromSequence, onWaiting, onUnreadable });
    }
    audience.leave(member);
    member.stopFollowing = catchUp({
      member,
      from,
      recent,
      clock,
      isErased: (playerId, sequence, index) => erasures.covers(playerId, { created, sequence, index }),
      ...(source === 'recent records and log' ? { openOlder } : {}),
      onLost: (trimmed) => sendLost(member, trimmed && { request: member.request, created, ...trimmed }),
      onCaughtUp: () => audience.join(member),
      onGivenUp: (reason) => members.disconnect(member, reason),
    });
  }

  async function sendLost(member: Member, lost: LostEvents | undefined): Promise<void> {
    const { missed, availableSinceMs } = await describeLost(lost, options);
    if (members.has(member)) members.sendGap(member, missed, availableSinceMs);
  }

  return {
    get readers() {
      return members.size;
    },
    get progress() {
      if (feed === undefined) return undefined;
      return { behind: feed.reader.pending, sequence: feed.recent.lastSequence, storedAtMs: lastStoredAtMs };
    },
    attach(request, reader) {
      if (stopped || members.size >= SHARED_LIMITS.streamReaders) {
        reader.write(
          refusalMessage(stopped ? 'The service is stopping.' : 'Too many stream readers; try again later.'),
        );
        reader.end();
        return () => {};
      }
      const member = members.add(request, reader);
      if (feed !== undefined) welcome(member, feed);
      else if (onDemand) void open();
      return () => members.detach(member);
    },
    async start() {
      members.start();
      if (!onDemand || members.size > 0) await open();
    },
    async stop() {
      stopped = true;
      cancelClose();
      erasures.stop();
      feed?.reader.stop();
      feed = undefined;
      members.stop();
    },
  };
}

/** Describes lost events within a bounded time. */
async function describeLost(
  lost: LostEvents | undefined,
  { log, clock, logger, countLost }: Pick<LiveFeedOptions, 'log' | 'clock' | 'logger' | 'countLost'>,
): Promise<{ missed?: number | undefined; availableSinceMs?: number | undefined }> {
  if (lost === undefined) return {};
  const inTime = async (read: () => Promise<number | undefined>): Promise<number | undefined> => {
    try {
      return await within(clock, LIVE_LIMITS.streamCountMs, read());
    } catch (error) {
      logger.error({ err: error }, 'live: the lost events of a reader cannot be described');
      return undefined;
    }
  };
  const [missed, availableSinceMs] = await Promise.all([
    inTime(async () => countLost?.(lost)),
    inTime(async () => (await log.next('FACTS', 'facts.*', lost.beforeSequence))?.storedAtMs),
  ]);
  return { missed, availableSinceMs };
}
