import { expect, test } from 'vitest';
import { encodeCommit, encodeJson } from '../../core/codec/codec.ts';
import { createMemoryBroker } from '../../streams/log/memory/log-memory.ts';
import { aCommit, aTrackedEvent } from '../../streams/sinks/testing-commits.ts';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { traceEvent } from './trace-event.ts';
import { notFoundText, traceLines } from './trace-lines.ts';

/** A log with two records, of which ClickHouse holds `held`. */
async function world({ held }: { held: number }) {
  const clock = createFakeClock();
  const broker = createMemoryBroker({ clock });
  const log = broker.connect('cli');
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    let done = false;
    void promise.finally(() => (done = true));
    await clock.advanceUntil(() => done);
    return promise;
  };
  for (const eventId of ['first', 'second']) {
    await settled(log.append('facts.1', encodeCommit(aCommit([aTrackedEvent({ eventId, at: clock.wallMs() })]))));
  }
  const { created } = broker.stream('FACTS').bounds();
  await settled(log.bucket('POSITIONS').put('clickhouse', encodeJson({ stream: created, sequence: held })));
  const source = { rows: async () => [], batch: async () => undefined, attempts: async () => [] };
  return { trace: (id: string, scope = {}) => settled(traceEvent({ log, clock, source }, id, scope)) };
}

test('an event that ClickHouse does not hold yet is found in the log', async () => {
  const { trace } = await world({ held: 1 });
  const { found, behind } = await trace('second');
  expect(behind).toBe(1);
  const [one] = found;
  expect(one).toMatchObject({
    state: 'accepted',
    log: { kind: 'held', partition: '1', sequence: 2, index: 0 },
    inserted: undefined,
    matched: false,
  });
  const lines = one === undefined ? [] : traceLines(one, () => '');
  expect(lines.map((line) => line.replaceAll(/ {2,}/g, '  ')).slice(3)).toEqual([
    'row  not in ClickHouse yet',
    expect.stringMatching(/^stream {2}id [0-9a-f]{12}-2-0, sent once it was appended$/),
    'webhooks  not matched yet: deliveries follow',
  ]);
});

test('an id that no event has, and one of another game, are not found', async () => {
  const { trace } = await world({ held: 0 });
  const traces = await trace('nobody');
  expect(traces).toEqual({ found: [], behind: 2, searchedAll: true });
  expect(notFoundText('nobody', traces)).toContain('An event that was rejected is not stored');
  expect((await trace('first', { game: 'another' })).found).toEqual([]);
  expect((await trace('first', {})).found).toHaveLength(1);
});
