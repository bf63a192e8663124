import { describe, expect, it } from 'vitest';
import { aFlag } from '../../../actors/flags/evaluate/testing-flag.ts';
import type { DocumentAddress } from '../../../core/vocabulary/documents/documents.ts';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { createMemoryConfigStore } from '../../../test/support/in-memory/memory-config-store.ts';
import type { ChangesRequest } from '../../api/flags/evaluate/changes-request.ts';
import { FLAG_API_LIMITS } from '../../api/flags/limits.ts';
import { GATEWAY_LIMITS } from '../limits.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { createMetrics } from '../../parts/metrics.ts';
import { createFlagChanges } from './flag-changes.ts';

const HEARTBEAT_MS = 30_000;

function setUp() {
  const clock = createFakeClock();
  const config = createMemoryConfigStore();
  const metrics = createMetrics();
  const changes = createFlagChanges({ config, clock, metrics, heartbeatMs: HEARTBEAT_MS });

  const addressOf = (game = 'demo', environment: 'live' | 'test' = 'live') =>
    ({ game, environment, kind: 'flag', key: 'a' }) as const satisfies DocumentAddress;
  const change = (game?: string, environment?: 'live' | 'test') => config.put(addressOf(game, environment), aFlag());

  /** A reader that notes events, and the turn of the event loop in which each came. */
  function open(request: Partial<ChangesRequest> = {}) {
    const opened = {
      texts: [] as string[],
      unreadBytes: 0,
      ended: false,
      detach: (): void => {},
      /** Names of the events, with their revision if they have one. */
      get events(): string[] {
        return opened.texts
          .join('')
          .split('\n\n')
          .filter((block) => block !== '')
          .map((block) => {
            const fields = new Map(block.split('\n').map((line) => [line.split(': ')[0], line.replace(/^\w+: /, '')]));
            const data: { revision?: number } = JSON.parse(fields.get('data') ?? '{}');
            return [fields.get('event'), data.revision, fields.has('id') ? `id ${fields.get('id')}` : undefined]
              .filter((part) => part !== undefined)
              .join(' ');
          });
      },
    };
    opened.detach = changes.attach(
      { game: 'demo', environment: 'live', kind: 'client', ...request },
      {
        write(...messages) {
          for (const message of messages) opened.texts.push(Buffer.from(message).toString());
          return true;
        },
        bufferedBytes: () => opened.unreadBytes,
        end() {
          opened.ended = true;
          opened.detach();
        },
      },
    );
    return opened;
  }

  return { clock, config, metrics, changes, change, addressOf, open };
}

describe('the streams of changed flags', () => {
  it('begin with the current revision, and tell a change with its revision only', async () => {
    const { clock, change, open } = setUp();
    await change();
    const reader = open();
    expect(reader.events).toEqual(['connected 1 id 1']);
    await change();
    expect(reader.events).toHaveLength(1);
    await clock.advance(FLAG_API_LIMITS.changesGatherMs);
    expect(reader.texts[1]).toBe('id: 2\nevent: flags_changed\ndata: {"revision":2,"spread_ms":1}\n\n');
  });

  it('tell changes that follow each other once, always with the last revision', async () => {
    const { clock, change, open } = setUp();
    const reader = open();
    for (let turn = 0; turn < 100; turn++) {
      await change();
      await clock.advance(FLAG_API_LIMITS.changesGatherMs / 10);
    }
    await clock.advance(FLAG_API_LIMITS.changesGatherMs);
    expect(reader.events.length).toBeLessThanOrEqual(12);
    expect(reader.events.at(-1)).toBe('flags_changed 100 id 100');
    await clock.advance(FLAG_API_LIMITS.changesGatherMs * 10);
    expect(reader.events.filter((event) => event.includes('100'))).toHaveLength(1);
  });

  it('tell a deleted segment, and nothing of other games, environments and definitions', async () => {
    const { clock, config, change, open } = setUp();
    const reader = open();
    await change('other');
    await change('demo', 'test');
    await config.put(
      { game: 'demo', environment: '_', kind: 'game', key: 'settings' },
      {
        name: 'Demo',
        tenant: 't',
        namespace: 'n',
        createdAt: 1,
      },
    );
    expect(clock.timers).toBe(1);
    await clock.advance(FLAG_API_LIMITS.changesGatherMs * 2);
    expect(reader.events).toEqual(['connected 0 id 0']);
    const segment = { game: 'demo', environment: 'live', kind: 'segment', key: 'seg_a' } as const;
    const times = { createdAt: 1, updatedAt: 1, version: 1 };
    await config.put(segment, { id: 'seg_a', key: 'a', name: '', description: '', conditions: {}, ...times });
    await clock.advance(FLAG_API_LIMITS.changesGatherMs);
    await config.delete(segment);
    await clock.advance(FLAG_API_LIMITS.changesGatherMs);
    expect(reader.events.slice(1)).toEqual(['flags_changed 4 id 4', 'flags_changed 5 id 5']);
  });

  it('tell servers of their definitions too; the id comes last', async () => {
    const { clock, change, open } = setUp();
    const reader = open({ kind: 'server' });
    await change();
    await clock.advance(FLAG_API_LIMITS.changesGatherMs);
    expect(reader.events.slice(1)).toEqual(['flags_changed 1', 'definitions_changed 1 id 1']);
  });

  it('tell a resuming reader at once if its id is another one, and nothing if it is current', async () => {
    const { change, open } = setUp();
    await change();
    await change();
    for (const lastEventId of ['1', '0', '99', 'x', '']) {
      expect(open({ lastEventId }).events, lastEventId).toEqual(['connected 2', 'flags_changed 2 id 2']);
    }
    expect(open({ lastEventId: '2' }).events).toEqual(['connected 2 id 2']);
  });

  it('tell a reader nothing twice that connected after the change', async () => {
    const { clock, change, open } = setUp();
    const before = open();
    await change();
    const after = open();
    await clock.advance(FLAG_API_LIMITS.changesGatherMs);
    expect(after.events).toEqual(['connected 1 id 1']);
    expect(before.events).toEqual(['connected 0 id 0', 'flags_changed 1 id 1']);
  });

  it('tell many readers in several turns, and a change meanwhile afterwards', async () => {
    const { clock, change, open, metrics } = setUp();
    const readers = Array.from({ length: GATEWAY_LIMITS.changesAtOnce * 2 + 1 }, () => open());
    const notified = () => readers.filter(({ texts }) => texts.length > 1).length;
    await change();
    const seen = new Set<number>();
    // The change comes in the middle of a round, from the last reader of the first turn.
    const late = readers[GATEWAY_LIMITS.changesAtOnce - 1]!;
    let changed: Promise<unknown> | undefined;
    const { push } = late.texts;
    late.texts.push = (...texts) => {
      changed ??= change();
      return push.apply(late.texts, texts);
    };
    const timer = clock.timer.bind(clock);
    clock.timer = (delayMs, fn) => {
      if (delayMs === 0) seen.add(notified());
      return timer(delayMs, fn);
    };
    await clock.advance(FLAG_API_LIMITS.changesGatherMs);
    expect([...seen]).toEqual([GATEWAY_LIMITS.changesAtOnce, GATEWAY_LIMITS.changesAtOnce * 2]);
    await changed;
    await clock.advance(FLAG_API_LIMITS.changesGatherMs * 2);
    for (const { events } of readers) expect(events.at(-1)).toBe('flags_changed 2 id 2');
    expect(readers[0]?.texts.at(-1)).toContain(
      `"spread_ms":${Math.ceil((readers.length * 1000) / GATEWAY_LIMITS.changesRefetchesPerSecond)}`,
    );
    expect((await metrics.changeMessages.get()).values[0]?.value).toBe(readers.length * 2);
  });

  it('send heartbeats', async () => {
    const { clock, open } = setUp();
    const reader = open();
    await clock.advance(HEARTBEAT_MS);
    expect(reader.texts[1]).toBe('event: heartbeat\ndata: {"timestamp":"2026-01-01T00:00:30.000+00:00"}\n\n');
  });

  it('disconnect a reader that leaves too much unread, at a change or heartbeat; others are told', async () => {
    const { clock, change, open, changes, metrics } = setUp();
    const [slow, slower, good] = [open(), open(), open()];
    slow.unreadBytes = GATEWAY_LIMITS.changesReaderBytes + 1;
    good.unreadBytes = GATEWAY_LIMITS.changesReaderBytes;
    await change();
    await clock.advance(FLAG_API_LIMITS.changesGatherMs);
    expect([slow.ended, good.ended, changes.readers]).toEqual([true, false, 2]);
    expect(good.events.at(-1)).toBe('flags_changed 1 id 1');
    slower.unreadBytes = GATEWAY_LIMITS.changesReaderBytes + 1;
    await clock.advance(HEARTBEAT_MS);
    expect([slower.ended, good.ended, changes.readers]).toEqual([true, false, 1]);
    expect((await metrics.changeDisconnects.get()).values).toMatchObject([{ labels: { reason: 'slow' }, value: 2 }]);
  });

  it('give readers different times to reconnect', () => {
    const { open } = setUp();
    const times = Array.from({ length: 100 }, () => Number(/^retry: (\d+)$/m.exec(open().texts[0] ?? '')?.[1]));
    expect(new Set(times).size).toBe(100);
    expect(Math.min(...times)).toBe(SHARED_LIMITS.streamRetryMs);
    expect(Math.max(...times)).toBeLessThan(SHARED_LIMITS.streamRetryMs + GATEWAY_LIMITS.changesRetrySpreadMs);
  });

  it('leave no timer behind', async () => {
    const { clock, change, open, changes } = setUp();
    const reader = open();
    await change();
    reader.detach();
    reader.detach();
    // The timer of heartbeats, one for all readers, ends by itself.
    expect([changes.readers, clock.timers]).toEqual([0, 1]);
    await clock.advance(HEARTBEAT_MS);
    expect(clock.timers).toBe(0);
    open();
    await change();
    changes.stop();
    await change();
    expect(clock.timers).toBe(0);
  });
});
