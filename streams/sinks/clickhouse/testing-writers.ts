import { createMetrics } from '../../../src/parts/metrics.ts';
import { createFakeClock, type FakeClock, type FakeNode } from '../../../test/support/in-memory/fake-clock.ts';
import { readNativeBlock } from '../../../test/support/wire/native-block.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { decodeJson } from '../../../core/codec/codec.ts';
import {
  createMemoryBroker,
  type MemoryBroker,
  type MemoryFaults,
  type MemoryLog,
} from '../../log/memory/log-memory.ts';
import { aTrackedEvent, commit } from '../testing-commits.ts';
import type { ConfirmedPosition } from '../../../clickhouse-schema/queries/confirmed-position.ts';
import type { BlockPlace, BlockTarget } from './block-target.ts';
import { createFactsWriter } from './facts-writer.ts';
import type { StreamWriter } from './stream-writer.ts';

/** A ClickHouse in memory with tokens, in which a test decides the fate of each block. */
export function createFakeClickhouse() {
  const seen = new Map<string, string>();
  /** The first column of every row: the id of an event. */
  const rows: string[] = [];
  const blocks: { token: string; content: string }[] = [];
  return {
    rows,
    blocks,
    confirmed: undefined as ConfirmedPosition | undefined,
    /** Where every insert's rows stand, and whether it is a repeat. */
    places: [] as (BlockPlace | undefined)[],
    /** What a block does on its way: once for every insert. */
    fate: (_token: string): 'insert' | 'fail' | 'refuse' => 'insert',
    take(token: string, bytes: Uint8Array): void {
      const content = Buffer.from(bytes).toString('latin1');
      blocks.push({ token, content });
      const before = seen.get(token);
      // A real one would drop the second silently; a test must not.
      if (before !== undefined && before !== content) throw new Error(`token ${token} came with other bytes`);
      if (before === undefined) rows.push(...readNativeBlock(bytes).rows.map(([first]) => String(first)));
      seen.set(token, content);
    },
    /** Tokens do not survive a restore. */
    forget: () => seen.clear(),
    eventIds: (): string[] => [...rows],
  };
}
export type FakeClickhouse = ReturnType<typeof createFakeClickhouse>;

/** A running facts writer. */
export interface WriterProcess {
  log: MemoryLog;
  clock: FakeNode;
  writer: StreamWriter;
  kill: () => void;
}

/** A sink process over the broker. `onStep` is called before every insert and may kill it. */
export function startProcess(
  world: { clock: FakeClock; broker: MemoryBroker; clickhouse: FakeClickhouse },
  name: string,
  around: { before?: () => void; after?: () => void; onInsert?: () => Promise<void>; onErasures?: () => void } = {},
): WriterProcess {
  const log = world.broker.connect(name);
  const node = world.clock.node();
  let dead = false;
  const never = () => new Promise<never>(() => {});
  const target: BlockTarget = {
    async insert(_table, bytes, token, place) {
      around.before?.();
      if (dead) return never();
      world.clickhouse.places.push(place);
      const fate = world.clickhouse.fate(token);
      if (fate !== 'insert') return { kind: 'failed', refused: fate === 'refuse', message: fate };
      await around.onInsert?.();
      world.clickhouse.take(token, bytes);
      around.after?.();
      if (dead) return never();
      return { kind: 'inserted' };
    },
    async confirmedTo() {
      if (dead) return never();
      return world.clickhouse.confirmed;
    },
    async noteConfirmed(_stream, position, noted) {
      around.before?.();
      if (dead) return never();
      const { confirmed } = world.clickhouse;
      if (noted !== undefined && (confirmed?.createdMs !== noted.createdMs || confirmed.sequence < noted.sequence))
        return false;
      world.clickhouse.confirmed = position;
      around.after?.();
      return dead ? never() : true;
    },
    close: () => Promise.resolve(),
  };
  const writer = createFactsWriter({
    log,
    clock: node,
    holder: name,
    target,
    logger: silentLogger,
    metrics: createMetrics(),
    onErasures: () => around.onErasures?.(),
  });
  writer.start();
  return {
    log,
    clock: node,
    writer,
    kill() {
      dead = true;
      log.kill();
      node.kill();
    },
  };
}

/** A log in memory, a ClickHouse in memory, and the events that should reach it. */
export function createWorld(faults: MemoryFaults = {}) {
  const clock = createFakeClock();
  const broker = createMemoryBroker({ clock, faults });
  const producer = broker.connect('producer');
  const clickhouse = createFakeClickhouse();
  const expected: string[] = [];

  /** Commits one record with `count` events. */
  async function commitEvents(count: number): Promise<number> {
    const facts = Array.from({ length: count }, (_, i) => aTrackedEvent({ eventId: `e${expected.length + i}` }));
    expected.push(...facts.map((fact) => fact.eventId));
    let sequence: number | undefined;
    void commit(producer, facts).then((value) => (sequence = value));
    await clock.advanceUntil(() => sequence !== undefined);
    return sequence ?? 0;
  }

  /** The stored position, read off the broker itself. */
  const position = (): unknown => {
    const entry = broker.bucket('POSITIONS').get('clickhouse');
    return entry?.value === undefined ? undefined : decodeJson(entry.value);
  };
  const allIn = () => clickhouse.rows.length >= expected.length;
  async function settle<T>(promise: Promise<T>): Promise<T> {
    let done = false;
    void promise.finally(() => (done = true));
    await clock.advanceUntil(() => done);
    return promise;
  }
  return { clock, broker, producer, clickhouse, expected, commitEvents, position, allIn, settle };
}
