import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { PROCESS_LIMITS } from '../../../src/process/limits.ts';
import type { Log } from '../../../streams/log/log.ts';
import { connectJetStream } from '../../../streams/log/jetstream/log-jetstream.ts';
import { createOwnAppends, type OwnAppends, watchAppends } from '../../../streams/log/own-appends.ts';
import { shareReader } from '../../../streams/log/shared-reader.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { startTestNats, type TestNats } from '../../support/servers/nats.ts';
import { bytes, eventually, FACTS_BYTES, text } from './log-suite.ts';

/** A shared reader with a hand-over on a real broker: acknowledgements in the broker's order, and its failures. */
describe('a shared reader of FACTS', () => {
  const ends: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function connect(nats: TestNats): Promise<Log> {
    const { url } = nats;
    const logger = silentLogger;
    const log = await connectJetStream({ url, replicas: 1, factsMaxBytes: FACTS_BYTES, logger, clock: systemClock });
    ends.push(() => log.close());
    return log;
  }

  interface Sinks {
    owners: Log;
    own: OwnAppends;
    /** What each of two sinks got. */
    taken: readonly string[][];
    /** Calls of the hand-over. */
    handed: { records: number; gaps: number };
  }

  function startSinks(log: Log): Sinks {
    const own = createOwnAppends({ clock: systemClock, isAlone: () => true, limits: { aloneMs: 50 } });
    const owners = watchAppends(log, systemClock, 'facts.', (record) => own.appended(record));
    const handed = { records: 0, gaps: 0 };
    own.subscribe({
      onRecords: (records) => void (handed.records += records.length),
      onGap: () => void (handed.gaps += 1),
    });
    const gatherMs = PROCESS_LIMITS.sinksGatherMs;
    const read = shareReader({
      log,
      clock: systemClock,
      logger: silentLogger,
      stream: 'FACTS',
      gatherMs,
      handOver: own,
    });
    const taken = [0, 1].map(() => {
      const texts: string[] = [];
      const onWaiting = (): void => void texts.push(...reader.take().map(({ data }) => text(data) ?? ''));
      const reader = read({ from: 1, onWaiting });
      ends.push(async () => reader.stop());
      return texts;
    });
    return { owners, own, taken, handed };
  }

  /** Appends concurrently to several partitions, as owners do. */
  async function append(log: Log, name: string, count: number): Promise<void> {
    for (let done = 0; done < count; done += 4) {
      await Promise.all(
        [0, 1, 2, 3].map((partition) => log.append(`facts.${partition}`, bytes(`${name}${done + partition}`))),
      );
    }
  }

  async function stored(log: Log): Promise<string[]> {
    const { lastSequence } = await log.info('FACTS');
    const texts: string[] = [];
    for (let sequence = 1; sequence <= lastSequence; sequence++) {
      texts.push(text((await log.next('FACTS', 'facts.*', sequence))?.data) ?? '');
    }
    return texts;
  }

  test('gives each sink every record once and in order, from the hand-over and from the log', async () => {
    const nats = await startTestNats();
    ends.push(() => nats.stop());
    const log = await connect(nats);
    const other = await connect(nats);
    const { owners, own, taken, handed } = startSinks(log);
    await append(owners, 'a', 40);
    // The hand-over begins once this process has appended alone for `aloneMs`.
    await eventually(async () => {
      await append(owners, 'b', 4);
      expect(handed.records).toBeGreaterThan(0);
    });
    const before = handed.records;
    await append(owners, 'c', 200);
    expect(handed.records - before).toBeGreaterThan(150);
    await append(other, 'd', 20);
    await append(owners, 'e', 40);
    await append(other, 'f', 4);
    own.observed((await log.info('FACTS')).lastSequence);
    const expected = await stored(log);
    await eventually(() => {
      for (const texts of taken) expect(texts).toEqual(expected);
    });
    expect(handed.gaps).toBeGreaterThan(0);
  });

  test('after the broker was killed, gives each sink every record once and in order', async () => {
    const nats = await startTestNats();
    ends.push(() => nats.stop());
    const log = await connect(nats);
    const { owners, own, taken } = startSinks(log);
    await append(owners, 'a', 40);
    const appending = append(owners, 'b', 120);
    await nats.kill();
    await nats.start();
    await appending;
    await append(owners, 'c', 40);
    own.observed((await log.info('FACTS')).lastSequence);
    const expected = await stored(log);
    await eventually(() => {
      for (const texts of taken) expect(texts).toEqual(expected);
    });
  });
});
