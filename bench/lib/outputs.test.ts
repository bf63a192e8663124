import { afterEach, expect, test } from 'vitest';
import { until } from '../../test/support/until.ts';
import { awaitArrivals } from './load/traffic/arrivals.ts';
import { startBareServer } from './service/bare-server.ts';
import { createCleanup } from './bench.ts';
import { delaysOf } from './figures/event-delays.ts';
import { loadOn, runEventLoad } from './load/traffic/event-load.ts';
import { isSampled } from './load/traffic/numbered-event.ts';
import { startReceiver } from './service/readers/receiver.ts';
import { startStreamReaders } from './service/readers/stream-readers.ts';

/* The generator, the receiver and the readers, around a relay whose behaviour is known. */

const { signal } = new AbortController();
const cleanup = createCleanup();
const bench = { cleanup, signal };

afterEach(() => cleanup.run());

test('each event that was accepted is found once wherever it was to arrive', async () => {
  const receiver = await startReceiver(bench);
  const hooks = [receiver.urlOf('well', 0), receiver.urlOf('well', 7)];
  const answers = { '/v1/events/events': '{}', '/v1/events/events/batch': '{"data":{"accepted":5,"duplicates":0}}' };
  const { baseUrl } = await startBareServer(bench, { answers, hooks });
  const target = { baseUrl, key: 'a-key' };
  const readers = await startStreamReaders(bench, target, 3, 1);
  const flows = [
    { eventsPerRequest: 1, requests: 40, requestsPerSecond: 200 },
    { eventsPerRequest: 5, requests: 20 },
  ];

  const load = loadOn(target, ['player-1', 'player-2'], flows, 1, { sampledEvery: 2 });
  const { accepted, events, errors } = await runEventLoad(load, signal);
  expect({ events, errors, firstNumber: accepted.firstNumber }).toEqual({ events: 140, errors: {}, firstNumber: 1 });

  const streamed = delaysOf(accepted, await awaitArrivals(readers, 140, signal), () => [0]);
  expect(streamed).toMatchObject({ wanted: 140, missing: 0, repeated: 0, unwanted: 0 });
  const placesOf = (number: number): number[] => (isSampled(number, { sampledEvery: 2 }) ? [0, 7] : []);
  const posted = delaysOf(accepted, await awaitArrivals(receiver, 140, signal), placesOf);
  expect(posted).toMatchObject({ wanted: 140, missing: 0, repeated: 0, unwanted: 0 });
  expect(await readers.report()).toEqual({ messages: 420, fewest: 140, most: 140, disordered: 0, ended: 0 });
});

test('a batch that was not accepted whole is an error, and none of its events counts', async () => {
  const answers = { '/v1/events/events/batch': '{"data":{"accepted":4,"duplicates":0}}' };
  const target = { baseUrl: (await startBareServer(bench, { answers })).baseUrl, key: 'a-key' };
  const load = loadOn(target, ['player-1'], [{ eventsPerRequest: 5, requests: 2 }], 1);
  const { events, errors } = await runEventLoad(load, signal);
  expect({ events, errors }).toEqual({ events: 0, errors: { 'batches not accepted whole': 2 } });
});

test('the receiver fails, hangs and drips as it is asked to', async () => {
  const receiver = await startReceiver(bench);
  const post = (url: string, wait?: AbortSignal) =>
    fetch(url, { method: 'POST', body: '{"n":1}', ...(wait === undefined ? {} : { signal: wait }) });
  expect((await post(receiver.urlOf('failing', 1))).status).toBe(500);
  const hanging = new AbortController();
  const hung = post(receiver.urlOf('hanging', 2), hanging.signal).then(
    () => 'answered',
    () => 'cut off',
  );
  const dripping = new AbortController();
  const drip = await post(receiver.urlOf('dripping', 3), dripping.signal);
  expect(drip.status).toBe(200);

  await until('both are open', async () => (await receiver.sick()).mostOpen === 2);
  expect(await receiver.sick()).toEqual({
    attempts: { well: 0, failing: 1, hanging: 1, dripping: 1 },
    mostOpen: 2,
    retries: 0,
  });
  hanging.abort();
  dripping.abort();
  expect(await hung).toBe('cut off');
});
