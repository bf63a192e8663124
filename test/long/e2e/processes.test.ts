import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCaller } from '../../faults/clients/caller.ts';
import { emptyTally } from '../../faults/clients/client-log.ts';
import { createInjector, type Injector } from '../../faults/injector.ts';
import { startLoadClient, type LoadClient } from '../../faults/clients/load-client.ts';
import { createProbe, type Probe } from '../../faults/probe.ts';
import { createRandom } from '../../faults/random.ts';
import { startRig, type Rig } from '../../faults/rig.ts';
import { scanFacts } from '../../faults/verify-facts.ts';
import { verify } from '../../faults/verify.ts';
import { isAlive } from '../../support/servers/supervised.ts';
import { followStream, type StreamFollower } from '../../support/wire/stream-follower.ts';
import { until } from '../../support/until.ts';

/*
 * `npm start` with three processes of the service on one port: connections spread over them, each owns partitions, and
 * one that dies is started again while the others serve.
 */

const PROCESSES = ['1', '2', '3'] as const;
/** Connections spread by a hash of their ports: all of so many reach one process once in 3^24 runs. */
const CLIENTS = 24;
const READERS = 12;

const random = createRandom(11);
const stop = new AbortController();
const giveUp = new AbortController();
const tally = emptyTally();
let rig: Rig;
let probe: Probe;
let injector: Injector;
let load: LoadClient[];
let readers: StreamFollower[];

beforeAll(async () => {
  rig = await startRig({ withPeer: false, settings: { PROCESSES: String(PROCESSES.length) } });
  // The rig is ready when one process is. Streams that connect now would all be readers of that one.
  await until('each process takes connections', async () => {
    const probes = Array.from({ length: 6 }, () =>
      fetch(`${rig.baseUrl}/healthz`, { headers: { Connection: 'close' } }),
    );
    await Promise.all(probes.map(async (probe) => (await probe).arrayBuffer()));
    const answered = await byProcess('http_requests_total');
    return PROCESSES.every((number) => (answered[number] ?? 0) > 0);
  });
  readers = Array.from({ length: READERS }, () => followStream({ url: rig.baseUrl, key: rig.keys.live.server }));
  await until('the streams are connected', () => readers.every((reader) => reader.types().includes('connected')));
  const caller = () =>
    createCaller({ baseUrls: [rig.baseUrl], keys: rig.keys, random: random.fork(), tally, giveUp: giveUp.signal });
  const nowMs = () => performance.now();
  probe = await createProbe(caller(), nowMs);
  injector = createInjector({ rig, probe, random, nowMs });
  load = Array.from({ length: CLIENTS }, (_, place) =>
    startLoadClient({
      name: `client-${place}`,
      players: 2,
      caller: caller(),
      random: random.fork(),
      stop: stop.signal,
      pauseMs: 200,
      nowMs,
    }),
  );
});
afterAll(async () => {
  stop.abort();
  giveUp.abort();
  await Promise.all(readers.map((reader) => reader.stop()));
  await rig.stop();
});

/** A metric's value in each process that shows it, from one scrape of the shared port. */
async function byProcess(metric: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${rig.baseUrl}/metrics`)).text();
  const values: Record<string, number> = {};
  for (const [, name = '', labels = '', value] of text.matchAll(/^(\w+)\{(.*)\} (\S+)$/gm)) {
    const number = /\bprocess="(\d+)"/.exec(labels)?.[1];
    if (name === metric && number !== undefined) values[number] = (values[number] ?? 0) + Number(value);
  }
  return values;
}

const services = () => Object.values(rig.pids()?.services ?? {}).filter((pid) => pid !== null);

test('each process owns partitions, and one scrape shows all of them', async () => {
  await until('all partitions have their owners', async () => {
    const owned = await byProcess('owner_partitions');
    return PROCESSES.every((number) => (owned[number] ?? 0) > 0);
  });
  expect(await byProcess('local_process_up')).toEqual({ 1: 1, 2: 1, 3: 1 });
  expect(services().length).toBe(PROCESSES.length);
});

test('connections and stream readers spread over the processes', async () => {
  await until('each process has answered requests', async () => {
    const answered = await byProcess('http_requests_total');
    return PROCESSES.every((number) => (answered[number] ?? 0) > 20);
  });
  const open = await byProcess('sse_readers');
  expect(PROCESSES.reduce((sum, number) => sum + (open[number] ?? 0), 0)).toBe(READERS);
  expect(PROCESSES.filter((number) => (open[number] ?? 0) > 0).length).toBeGreaterThan(1);
});

test.each([1, 2, 3])(
  'after kill -9 of one process (%i) it is started again, and clients only need to retry',
  async () => {
    const before = services();
    const acked = tally.acked;
    await injector.inject({ kind: 'kill', target: 'service' });
    await until('all processes run', () => services().length === PROCESSES.length && services().every(isAlive));
    expect(services().filter((pid) => before.includes(pid)).length).toBe(PROCESSES.length - 1);
    expect(tally.acked).toBeGreaterThan(acked);
    await until('it answers again', async () => {
      const up = await byProcess('local_process_up');
      return PROCESSES.every((number) => up[number] === 1);
    });
    expect(load.flatMap(({ log }) => log.violations)).toEqual([]);
  },
);

test('a definition that one process has stored is known to all when it is answered', async () => {
  const call = async (method: string, path: string, body?: object): Promise<number> => {
    const response = await fetch(rig.baseUrl + path, {
      method,
      // A connection of its own: the kernel may give it to any process.
      headers: { 'X-API-Key': rig.keys.live.server, 'Content-Type': 'application/json', Connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  for (let round = 0; round < 20; round++) {
    expect(
      await call('POST', '/v1/flags/flags', { key: `flag-${round}`, flag_type: 'boolean', default_value: false }),
    ).toBe(201);
    const found = await Promise.all([1, 2, 3, 4, 5].map(() => call('GET', `/v1/flags/flags/flag-${round}`)));
    expect(new Set(found)).toEqual(new Set([200]));
  }
});

test('then ClickHouse has every acknowledged event once, and every player has the acknowledged state', async () => {
  await injector.allWell();
  stop.abort();
  await Promise.all(load.map((client) => client.done));
  const verdict = await verify(rig, [probe.log, ...load.map((client) => client.log)]);
  expect(verdict.violations).toEqual([]);
  expect(verdict).toMatchObject({ lost: 0, doubled: 0, reordered: 0, unexplained: 0, differing: 0 });
  expect(verdict.ackedEvents).toBeGreaterThan(100);
});

test('and each stream reader has received every event once, in the order of the log', async () => {
  const stored = (await scanFacts(rig.natsUrl)).events.map(({ fact }) => fact.eventId);
  for (const reader of readers) {
    await until('the reader has as many', () => reader.eventIds().length >= stored.length);
    expect(reader.eventIds()).toEqual(stored);
    expect(reader.types()).not.toContain('gap');
  }
});
