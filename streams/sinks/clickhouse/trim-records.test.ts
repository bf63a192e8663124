import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/kernel/limits.ts';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { silentLogger } from '../../../test/support/silent-logger.ts';
import { createMemoryBroker } from '../../log/log-memory.ts';
import { createRecordsTrimmer } from './trim-records.ts';

it('RECORDS is trimmed up to the last record handled, now and then, and whatever came of the time before', async () => {
  const clock = createFakeClock();
  const broker = createMemoryBroker({ clock });
  const log = broker.connect();
  for (let i = 0; i < 10; i++) void log.append('records.scores.n-1', new Uint8Array([1]));
  await clock.advance(10);
  const first = () => broker.stream('RECORDS').bounds().firstSequence;
  let fails = false;
  const purgeBelow: typeof log.purgeBelow = (stream, sequence) =>
    fails ? Promise.reject(new Error('away')) : log.purgeBelow(stream, sequence);
  const handled = createRecordsTrimmer({ log: { purgeBelow }, clock, logger: silentLogger });
  handled(3);
  await clock.advance(10);
  expect(first()).toBe(3);
  handled(5);
  await clock.advance(LIMITS.trimMs);
  expect(first()).toBe(3);
  fails = true;
  handled(6);
  await clock.advance(LIMITS.trimMs);
  fails = false;
  handled(7);
  await clock.advance(10);
  expect(first()).toBe(7);
});
