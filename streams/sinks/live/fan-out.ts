import { LIMITS } from '../../../src/kernel/limits.ts';
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
}

/**
 * Sends records to the readers that are up to date. All messages of a channel go out in one write, so a burst of events
 * costs one system call per reader.
 */
export function fanOut(records: readonly LogRecord[], options: FanOutOptions): void {
  const { feed, audience, onUnreadable } = options;
  const before: Cursor = { sequence: feed.recent.lastSequence + 1, index: 0 };
  const touched = new Set<Channel>();
  for (const record of records) {
    feed.recent.push(fedRecord(record, feed.tag, onUnreadable));
    if (audience.size === 0) continue;
    for (const event of eventsOf(record, feed.tag, onUnreadable)) {
      for (const channel of audience.of(event.fact.game, event.fact.environment)) {
        if (!channel.wants(event.fact)) continue;
        channel.pending.push(event.message());
        touched.add(channel);
      }
    }
  }
  const after: Cursor = { sequence: feed.recent.lastSequence + 1, index: 0 };
  for (const channel of touched) flush(channel, before, after, options.onBehind);
}

function flush(channel: Channel, before: Cursor, after: Cursor, onBehind: FanOutOptions['onBehind']): void {
  const bytes = Buffer.from(channel.pending.join(''), 'utf8');
  channel.pending = [];
  for (const member of channel.members) {
    const tooMuch = member.reader.bufferedBytes() + bytes.byteLength > LIMITS.streamReaderBytes;
    if (tooMuch) onBehind(member, before);
    // A write may detach the reader, which leaves the channel then.
    else if (!member.reader.write(bytes) && channel.members.has(member)) onBehind(member, after);
  }
}
