import { type Cancel, type Clock, nextTick } from '../../../core/kernel/clock.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import { createHeartbeats } from '../../../core/kernel/metrics/heartbeats.ts';
import type { LiveReader, LiveRequest } from '../../live-feed.ts';
import { type Audience, createAudience, type Member } from './audience.ts';
import type { Feed } from './feed.ts';
import { LIVE_LIMITS } from './limits.ts';
import { gapMessage, heartbeatMessage } from './messages.ts';
import type { LiveMetrics } from './metrics.ts';
import { overfullReaders } from './overfull-readers.ts';
import { recordPosition } from './position.ts';

export interface FeedMembersOptions {
  clock: Clock;
  logger: Logger;
  metrics: LiveMetrics;
  heartbeatMs: number;
  /** The feed, while it is open. */
  feed: () => Feed | undefined;
  /** A member has left. */
  onLeft: () => void;
}

/** The readers of a live feed: their heartbeats, the bound of their buffers, and how they leave. */
export interface FeedMembers {
  readonly size: number;
  /** Those that get messages as they come. */
  readonly audience: Audience;
  add(request: LiveRequest, reader: LiveReader): Member;
  has(member: Member): boolean;
  all(): Iterable<Member>;
  /** Tells a member that events are lost to it. */
  sendGap(member: Member, missed?: number, availableSinceMs?: number): void;
  disconnect(member: Member, reason: 'stalled' | 'too_far_behind' | 'buffers_full' | 'unreadable'): void;
  detach(member: Member): void;
  /** Starts to bound the buffers. */
  start(): void;
  /** Ends every member. */
  stop(): void;
}

export function createFeedMembers(options: FeedMembersOptions): FeedMembers {
  const { clock, logger, metrics, heartbeatMs } = options;
  const members = new Set<Member>();
  const audience = createAudience();
  const heartbeats = createHeartbeats<Member>({ clock, intervalMs: heartbeatMs, beat });
  let cancelMeasure: Cancel = () => {};

  function sendGap(member: Member, missed?: number, availableSinceMs?: number): void {
    metrics.streamGaps.inc();
    member.reader.write(gapMessage(missed ?? null, availableSinceMs));
  }

  function disconnect(member: Member, reason: Parameters<FeedMembers['disconnect']>[1]): void {
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
    options.onLeft();
  }

  /**
   * Members that are up to date get the position as id; the others get only the time. A member without `connected` gets
   * no heartbeat.
   */
  function beat(member: Member): void {
    if (!member.greeted || member.reader.bufferedBytes() >= LIVE_LIMITS.streamReaderBytes) return;
    const feed = options.feed();
    const here =
      feed !== undefined && audience.has(member) ? recordPosition(feed.tag, feed.recent.lastSequence) : undefined;
    member.reader.write(heartbeatMessage(clock.wallMs(), here));
  }

  /** Bounds the buffers of all readers together: disconnects the fullest, which resume without a loss. */
  function measure(): void {
    cancelMeasure = nextTick(clock, LIVE_LIMITS.streamMeasureMs, measure);
    const { bufferedBytes, overfull } = overfullReaders(members, LIVE_LIMITS.streamBuffersBytes);
    for (const member of overfull) disconnect(member, 'buffers_full');
    metrics.streamBuffered.set(bufferedBytes);
    metrics.streamBehind.set(members.size - audience.size);
    const feed = options.feed();
    if (feed !== undefined) metrics.streamLag.set(feed.reader.pending);
  }

  return {
    get size() {
      return members.size;
    },
    audience,
    add(request, reader) {
      const member: Member = { request, reader, greeted: false, stopFollowing: () => {} };
      members.add(member);
      metrics.streamReaders.set(members.size);
      heartbeats.add(member);
      return member;
    },
    has: (member) => members.has(member),
    all: () => members,
    sendGap,
    disconnect,
    detach,
    start: measure,
    stop() {
      cancelMeasure();
      heartbeats.stop();
      for (const member of members) {
        detach(member);
        member.reader.end();
      }
    },
  };
}
