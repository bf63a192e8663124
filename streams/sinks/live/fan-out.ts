import { LIVE_LIMITS } from './limits.ts';
import type { LogRecord } from '../../log/log.ts';
import type { Audience, Channel, Member } from './audience.ts';
import { eventsOf, fedRecord } from './fed-record.ts';
import type { Feed } from './feed.ts';
import type { Cursor } from './position.ts';

export interface FanOutOptions {
  feed: Feed;
  audience: Audience;
  /** The member has got every fact before `from`, and its buffer is full. */
  onBehind: (member: Member, from: Cursor) => void;
  onUnreadable: (error: unknown) => void;
  /** The member has got every fact before a record that cannot be read. */
  onStuck: (member: Member) => void;
}

/**
 * Sends records to the readers that are up to date. All messages of a channel go out in one write, so a burst of events
 * costs one system call per reader. At a record that cannot be read all readers are stuck: the feed goes on, for those
 * that come later.
 */
export function fanOut(records: readonly LogRecord[], options: FanOutOptions): void {
  const { feed, audience, onUnreadable } = options;
  let before: Cursor = { sequence: feed.recent.lastSequence + 1, index: 0 };
  const touched = new Set<Channel>();
  const flushAll = (): void => {
    const after: Cursor = { sequence: feed.recent.lastSequence + 1, index: 0 };
    for (const channel of touched) flush(channel, before, after, options.onBehind);
    touched.clear();
    before = after;
  };
  for (const record of records) {
    const events = audience.size === 0 ? [] : eventsOf(record, feed.tag, onUnreadable);
    if (events === 'unreadable') {
      flushAll();
      for (const member of audience.members()) options.onStuck(member);
    }
    feed.recent.push(fedRecord(record, feed.tag, onUnreadable));
    if (events === 'unreadable') continue;
    for (const event of events) {
      for (const channel of audience.of(event.fact.game, event.fact.environment)) {
        if (!channel.wants(event.fact)) continue;
        channel.pending.push(event.message());
        touched.add(channel);
      }
    }
  }
  flushAll();
}

function flush(channel: Channel, before: Cursor, after: Cursor, onBehind: FanOutOptions['onBehind']): void {
  const bytes = Buffer.from(channel.pending.join(''), 'utf8');
  channel.pending = [];
  for (const member of channel.members) {
    const tooMuch = member.reader.bufferedBytes() + bytes.byteLength > LIVE_LIMITS.streamReaderBytes;
    if (tooMuch) onBehind(member, before);
    // A write may detach the reader, which leaves the channel then.
    else if (!member.reader.write(bytes) && channel.members.has(member)) onBehind(member, after);
  }
}
