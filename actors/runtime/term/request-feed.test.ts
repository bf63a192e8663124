import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { LOG_LIMITS } from '../../../streams/log/limits.ts';
import { encodeCommands } from '../../../core/codec/codec.ts';
import type { Log, Reader } from '../../../streams/log/log.ts';
import { createMemoryBroker, type MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { aCommand } from '../../testing-players.ts';
import { createRequestFeed, type RequestFeed } from './request-feed.ts';
import type { RequestPosition } from '../../../core/vocabulary/facts/commit-record.ts';

const clock = createFakeClock();

async function publish(broker: MemoryBroker, gateway: string, requestIds: readonly string[]): Promise<void> {
  const commands = requestIds.map((requestId) =>
    aCommand({ kind: 'PatchPlayer', playerId: 'p' }, { requestId, replyTo: gateway }),
  );
  await broker.connect().append('requests.0', encodeCommands(commands));
  await clock.flush();
}

async function feedOf(
  broker: MemoryBroker,
  position: RequestPosition | null = null,
  log: Log = broker.connect(),
): Promise<RequestFeed> {
  const feed = createRequestFeed({ log, clock, partition: 0, position, logger: silentLogger, onWaiting: () => {} });
  await feed.open();
  await clock.flush();
  return feed;
}

function takeAll(feed: RequestFeed): string[] {
  const taken: string[] = [];
  for (let command = feed.peek(); command !== undefined; command = feed.peek()) {
    taken.push(`${command.replyTo}/${command.requestId}`);
    feed.take();
  }
  return taken;
}

describe('the commands of a partition', () => {
  it('continue after the position, also in the middle of a message', async () => {
    const broker = createMemoryBroker({ clock });
    await publish(broker, 'g1', ['1', '2', '3']);
    const first = await feedOf(broker);
    first.peek();
    first.take();
    const next = await feedOf(broker, first.position);
    expect(takeAll(next)).toEqual(['g1/2', 'g1/3']);
  });

  it.each(['new', 'same'] as const)(
    'are not decided again when REQUESTS started over (%s creation) and a gateway had them stored once more',
    async (creation) => {
      const broker = createMemoryBroker({ clock });
      await publish(broker, 'g1', ['a', 'b']);
      const first = await feedOf(broker);
      expect(takeAll(first)).toEqual(['g1/a', 'g1/b']);
      broker.wipe('REQUESTS', creation);
      await clock.advance(5);
      await publish(broker, 'g2', ['1']);
      await publish(broker, 'g1', ['a', 'b']);
      await publish(broker, 'g1', ['c']);
      const next = await feedOf(broker, first.position);
      expect(takeAll(next)).toEqual(['g2/1', 'g1/c']);
      expect(next.position?.gateways?.map(({ gateway, command }) => [gateway, command])).toEqual([
        ['g1', 12],
        ['g2', 1],
      ]);
      expect(next.backlogTaken).toBe(true);
    },
  );

  it('count as taken to the end of the backlog when all were decided before', async () => {
    const broker = createMemoryBroker({ clock });
    await publish(broker, 'g1', ['1']);
    const first = await feedOf(broker);
    takeAll(first);
    broker.wipe('REQUESTS', 'new');
    await publish(broker, 'g1', ['1']);
    const next = await feedOf(broker, first.position);
    expect(next.backlogTaken).toBe(false);
    expect(takeAll(next)).toEqual([]);
    expect(next.backlogTaken).toBe(true);
  });

  it('count as taken to the end of the backlog only when the last message is taken whole', async () => {
    const broker = createMemoryBroker({ clock });
    await publish(broker, 'g1', ['1']);
    await publish(broker, 'g1', ['2', '3', '4']);
    const first = await feedOf(broker);
    const takeOne = (feed: RequestFeed): boolean => {
      feed.peek();
      feed.take();
      return feed.backlogTaken;
    };
    expect([takeOne(first), takeOne(first), takeOne(first)]).toEqual([false, false, false]);
    const next = await feedOf(broker, first.position);
    expect(next.backlogTaken).toBe(false);
    expect(takeOne(next)).toBe(true);
    await publish(broker, 'g1', ['5', '6']);
    expect(takeOne(next)).toBe(true);
  });

  it('count as taken to the end of the backlog when its last message has expired before the feed read it', async () => {
    const broker = createMemoryBroker({ clock });
    await publish(broker, 'g1', ['1']);
    const unread: Reader = { take: () => [], ended: undefined, started: Promise.resolve(), pending: 0, stop: () => {} };
    const feed = await feedOf(broker, null, { ...broker.connect(), read: () => unread });
    await clock.advance(LOG_LIMITS.requestsMaxAgeMs);
    expect(feed.backlogTaken).toBe(false);
    await clock.advance(1);
    expect(feed.backlogTaken).toBe(true);
  });

  it('drop the mark of a gateway that was silent for longer than REQUESTS keeps records', async () => {
    const broker = createMemoryBroker({ clock });
    await publish(broker, 'g1', ['1']);
    const feed = await feedOf(broker);
    takeAll(feed);
    await clock.advance(61_000);
    await publish(broker, 'g2', ['1']);
    takeAll(feed);
    expect(feed.position?.gateways).toMatchObject([{ gateway: 'g2', command: 1 }]);
  });
});
