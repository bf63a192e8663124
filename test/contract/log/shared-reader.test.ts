import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { PROCESS_LIMITS } from '../../../src/process/limits.ts';
import type { Log } from '../../../streams/log/log.ts';
import { connectJetStream } from '../../../streams/log/jetstream/log-jetstream.ts';
import { shareReader } from '../../../streams/log/shared-reader.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { startTestNats, type TestNats } from '../../support/servers/nats.ts';
import { bytes, eventually, FACTS_BYTES, text } from './log-suite.ts';

/** A shared reader on a real broker, and with its failures. */
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

  /** What each of two sinks got. */
  function startSinks(log: Log): readonly string[][] {
    const gatherMs = PROCESS_LIMITS.sinksGatherMs;
    const read = shareReader({ log, clock: systemClock, logger: silentLogger, stream: 'FACTS', gatherMs });
    return [0, 1].map(() => {
      const texts: string[] = [];
      const onWaiting = (): void => void texts.push(...reader.take().map(({ data }) => text(data) ?? ''));
      const reader = read({ from: 1, onWaiting });
      ends.push(async () => reader.stop());
      return texts;
    });
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

  test('gives each sink every record once and in order', async () => {
    const nats = await startTestNats();
    ends.push(() => nats.stop());
    const log = await connect(nats);
    const other = await connect(nats);
    const taken = startSinks(log);
    await append(log, 'a', 40);
    await Promise.all([append(log, 'b', 200), append(other, 'c', 20)]);
    const expected = await stored(log);
    await eventually(() => {
      for (const texts of taken) expect(texts).toEqual(expected);
    });
  });

  test('after the broker was killed, gives each sink every record once and in order', async () => {
    const nats = await startTestNats();
    ends.push(() => nats.stop());
    const log = await connect(nats);
    const taken = startSinks(log);
    await append(log, 'a', 40);
    const appending = append(log, 'b', 120);
    await nats.kill();
    await nats.start();
    await appending;
    await append(log, 'c', 40);
    const expected = await stored(log);
    await eventually(() => {
      for (const texts of taken) expect(texts).toEqual(expected);
    });
  });
});
