import type { StreamName } from '../../../core/vocabulary/stream-name.ts';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import type { AppendOutcome, Log, LogRecord, Reader, ReadOptions, Stop } from '../../../streams/log/log.ts';

/** One form of the log, as the suite needs it. FACTS holds `FACTS_BYTES` at most. */
export interface LogHarness {
  /** Another client of the same broker. */
  open(): Promise<Log>;
  /** Kills the broker, as with `kill -9`: streams in memory are lost. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

export const FACTS_BYTES = 24 * 1024 * 1024;
export const MIB = 1024 * 1024;

export const text = (data: Uint8Array | undefined) =>
  data === undefined ? undefined : Buffer.from(data).toString('utf8');
export const bytes = (value: string) => Buffer.from(value, 'utf8');

/** Waits for a condition; real brokers take a moment, a restarted one a few seconds. */
export const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 5 });

export function sequenceOf(outcome: AppendOutcome): number {
  if (outcome.kind !== 'acked') throw new Error(`not acked: ${JSON.stringify(outcome)}`);
  return outcome.sequence;
}

export type LogSuite = ReturnType<typeof setUpLog>;

/** Opens two clients of one broker for the tests of the describe block that calls this. */
export function setUpLog(makeHarness: () => Promise<LogHarness>) {
  let opened: { harness: LogHarness; log: Log; other: Log } | undefined;
  const cleanups: Stop[] = [];
  let count = 0;

  beforeAll(async () => {
    const harness = await makeHarness();
    opened = { harness, log: await harness.open(), other: await harness.open() };
  });
  afterEach(() => {
    for (const stop of cleanups.splice(0)) stop();
  });
  afterAll(async () => {
    await opened?.harness.close();
  });

  function running() {
    if (opened === undefined) throw new Error('the log is open during tests only');
    return opened;
  }

  async function append(subject: string, value: string, client?: Log): Promise<number> {
    return sequenceOf(await (client ?? running().log).append(subject, bytes(value)));
  }

  return {
    get harness(): LogHarness {
      return running().harness;
    },
    get log(): Log {
      return running().log;
    },
    get other(): Log {
      return running().other;
    },
    /** Called after the test. */
    cleanups,
    /** A number that no other test uses. */
    next: (): number => (count += 1),
    /** A subject of FACTS that no other test uses. */
    freshSubject: () => `facts.${(count += 1)}`,
    freshKey: () => `game.live.test.key-${(count += 1)}`,
    append,

    /** Opens a reader that collects whatever it is given. */
    collect: (stream: StreamName, options: Omit<ReadOptions, 'onWaiting'>) => {
      const records: LogRecord[] = [];
      let calls = 0;
      const reader: Reader = running().other.read(stream, {
        ...options,
        onWaiting: () => {
          calls += 1;
          records.push(...reader.take());
        },
      });
      cleanups.push(() => reader.stop());
      return { reader, records, texts: () => records.map(({ data }) => text(data)), calls: () => calls };
    },

    /** Opens a reader from which only the test takes records. */
    stalled: (stream: StreamName, options: Omit<ReadOptions, 'onWaiting'>): Reader => {
      const reader = running().other.read(stream, { ...options, onWaiting: () => {} });
      cleanups.push(() => reader.stop());
      return reader;
    },

    takeAll: async (reader: Reader, wanted: number): Promise<LogRecord[]> => {
      const records: LogRecord[] = [];
      await eventually(() => {
        records.push(...reader.take());
        expect(records.length).toBeGreaterThanOrEqual(wanted);
      });
      return records;
    },
  };
}
