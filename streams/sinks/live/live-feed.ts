import { type Cancel, type Clock, within } from '../../../src/kernel/clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { Metrics } from '../../../src/kernel/metrics.ts';
import { watchErasures } from '../../erasures.ts';
import type { LiveFeed, LostEvents } from '../../live-feed.ts';
import type { Log } from '../../log/log.ts';
import { type Member, createAudience } from './audience.ts';
import { catchUp } from './catch-up.ts';
import { fanOut } from './fan-out.ts';
import { type Feed, openFeed } from './feed.ts';
import { createHeartbeats } from './heartbeats.ts';
import { connectedMessage, gapMessage, heartbeatMessage, refusalMessage } from './messages.ts';
import { type OlderRecords, openOlderRecords } from './older-records.ts';
import { type Cursor, parsePosition, recordPosition } from './position.ts';
import { overfullReaders } from './overfull-readers.ts';
import { createReplaySlots } from './replay-slots.ts';

export interface LiveFeedOptions {
  log: Log;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  heartbeatMs: number;
  /** How many events of what a reader asks for the log has lost; `undefined`: cannot be said. Left out: never. */
  countLost?: (lost: LostEvents) => Promise<number | undefined>;
}

export interface RunningLiveFeed extends LiveFeed {
  /** Resolves once the feed is live. Readers may attach before; they hear `connected` then. */
  start(): Promise<void>;
  /** Ends every reader. */
  stop(): Promise<void>;
}

const TAKE_RECORDS = 64;
const TAKE_BYTES = 1024 * 1024;

/**
 * The live stream of a process: one reader of FACTS, however many SSE connections there are.
 *
 * A member (an attached reader) waits until the feed is live, catches up when it resumes or its connection is slow, and
 * is in the audience else. Each record is decoded once, each message serialised once.
 *
 * A reader that can't keep up is served from the recent records at its own pace, and disconnected once it is further
 * behind than those: with `Last-Event-ID` it comes back without having missed anything, which a `gap` could not offer.
 * `gap` is for what nobody can send any more: a position the log no longer holds, or a log that was lost.
 *
 * Heartbeats come to everybody at a rhythm of their own from when they attached, slow ones and those who catch up included.
 */
export function createLiveFeed(options: LiveFeedOptions): RunningLiveFeed {
  const { log, clock, logger, metrics, heartbeatMs, countLost } = options;
  const members = new Set<Member>();
  const audience = createAudience();
  const slots = createReplaySlots({ clock, limit: LIMITS.streamReplays, turnMs: LIMITS.streamReplayTurnMs });
  const erasures = watchErasures(log, clock);
  let feed: Feed | undefined;
  let stopped = false;
  let cancelMeasure: Cancel = () => {};
  const heartbeats = createHeartbeats<Member>({ clock, intervalMs: heartbeatMs, beat });

  const onUnreadable = (error: unknown): void => logger.error({ err: error }, 'live: a FACTS record cannot be read');

  async function open(): Promise<void> {
    feed = await openFeed({ log, clock, logger, onWaiting: drain, stopped: () => stopped });
    if (feed === undefined) return;
    for (const member of members) welcome(member, feed);
    drain();
  }

  function drain(): void {
    const current = feed;
    if (current === undefined) return;
    const onBehind = (member: Member, from: Cursor): void => follow(current, member, from, 'recent records only');
    for (;;) {
      const records = current.reader.take(TAKE_RECORDS, TAKE_BYTES);
      if (records.length === 0) break;
      fanOut(records, { feed: current, audience, onBehind, onUnreadable });
    }
    if (current.reader.ended === 'reset') void reset(current);
  }

  /** FACTS is another stream now, or lost what we were about to read: start over at its end and say so to everybody. */
  async function reset(lost: Feed): Promise<void> {
    if (stopped || feed !== lost) return;
    logger.error({ position: lost.recent.lastSequence }, 'live: FACTS was reset; readers are told of a gap');
    feed = undefined;
    lost.reader.stop();
    for (const member of members) {
      member.stopFollowing();
      audience.leave(member);
    }
    await open();
  }

  /** Sets a member on its way, or on its way again after a reset. */
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
    if (again || lastEventId !== undefined) tellGap(member);
    if (members.has(member)) audience.join(member);
  }

  /** Lets a member catch up from `from`. Only those who resume may read the log for it, a bounded number at a time. */
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
      onLost: (trimmed) => tellLost(member, trimmed && { request: member.request, created, ...trimmed }),
      onCaughtUp: () => audience.join(member),
      onGivenUp: (reason) => disconnect(member, reason),
    });
  }

  /** Counting takes as long as it takes, up to a bound; nothing is written to a reader that has left or was given up meanwhile. */
  async function tellLost(member: Member, lost: LostEvents | undefined): Promise<void> {
    let missed: number | undefined;
    try {
      if (lost !== undefined && countLost !== undefined) {
        missed = await within(clock, LIMITS.streamCountMs, countLost(lost));
      }
    } catch (error) {
      logger.error({ err: error }, 'live: what a reader has missed cannot be counted');
    }
    if (members.has(member)) tellGap(member, missed);
  }

  function tellGap(member: Member, missed?: number): void {
    metrics.streamGaps.inc();
    member.reader.write(gapMessage(missed ?? null));
  }

  function disconnect(member: Member, reason: 'stalled' | 'too_far_behind' | 'buffers_full'): void {
    logger.info({ game: member.request.game, reason }, 'live: a reader was disconnected');
    metrics.streamDisconnects.inc({ reason });
    detach(member);
    member.reader.end();
  }

  function detach(member: Member): void {
    members.delete(member);
    heartbeats.remove(member);
    audience.leave(member);
    member.stopFollowing();
    metrics.streamReaders.set(members.size);
  }

  /**
   * The position goes out as an id to those who are up to date; the others get the time only. One who was not greeted yet
   * waits for the log, and hears nothing before `connected`.
   */
  function beat(member: Member): void {
    if (!member.greeted || member.reader.bufferedBytes() >= LIMITS.streamReaderBytes) return;
    const here =
      feed !== undefined && audience.has(member) ? recordPosition(feed.tag, feed.recent.lastSequence) : undefined;
    member.reader.write(heartbeatMessage(clock.wallMs(), here));
  }

  /** What all readers' buffers hold is bounded too: the fullest go, and miss nothing when they come back. */
  function measure(): void {
    cancelMeasure = clock.timer(LIMITS.streamMeasureMs, measure);
    const { bufferedBytes, overfull } = overfullReaders(members, LIMITS.streamBuffersBytes);
    for (const member of overfull) disconnect(member, 'buffers_full');
    metrics.streamBuffered.set(bufferedBytes);
    metrics.streamBehind.set(members.size - audience.size);
    if (feed !== undefined) metrics.streamLag.set(feed.reader.pending);
  }

  return {
    get readers() {
      return members.size;
    },
    attach(request, reader) {
      if (stopped || members.size >= LIMITS.streamReaders) {
        reader.write(
          refusalMessage(stopped ? 'The service is stopping.' : 'Too many stream readers; try again later.'),
        );
        reader.end();
        return () => {};
      }
      const member: Member = { request, reader, greeted: false, stopFollowing: () => {} };
      members.add(member);
      metrics.streamReaders.set(members.size);
      heartbeats.add(member);
      if (feed !== undefined) welcome(member, feed);
      return () => detach(member);
    },
    async start() {
      measure();
      // Nothing is replayed before it is known who was erased.
      await erasures.ready;
      await open();
    },
    async stop() {
      stopped = true;
      cancelMeasure();
      heartbeats.stop();
      erasures.stop();
      feed?.reader.stop();
      feed = undefined;
      for (const member of members) {
        detach(member);
        member.reader.end();
      }
    },
  };
}
