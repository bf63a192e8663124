import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { sleep, systemClock } from '../../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from '../../../../streams/log/jetstream/limits.ts';
import { STREAMS } from '../../../../streams/log/stream-definitions.ts';
import { connectJetStream } from '../../../../streams/log/jetstream/log-jetstream.ts';
import type { JetStreamLog } from '../../../../streams/log/jetstream/log-jetstream.ts';
import { startTestNats } from '../../../support/servers/nats.ts';
import type { TestNats } from '../../../support/servers/nats.ts';
import { silentLogger } from '../../../support/in-memory/silent-logger.ts';
import { startTcpProxy } from '../../../support/wire/tcp-proxy.ts';

/**
 * What only the JetStream form has: its answers to a broker that dies in the middle, is paused, or is the wrong one.
 */
const bytes = (value: string) => Buffer.from(value, 'utf8');
const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 10 });
const options = (url: string) => ({ url, replicas: 1 as const, logger: silentLogger, clock: systemClock });

describe('the JetStream log and its broker', () => {
  let nats: TestNats;
  let log: JetStreamLog;
  let raw: NatsConnection;

  beforeAll(async () => {
    nats = await startTestNats();
    log = await connectJetStream(options(nats.url));
    raw = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  });
  afterEach(() => nats.resume());
  afterAll(async () => {
    await log?.close();
    await raw?.close();
    await nats?.stop();
  });

  async function api(subject: string): Promise<Record<string, unknown>> {
    return (await raw.request(`$JS.API.${subject}`, '', { timeout: 5_000 })).json();
  }

  test('appends under way when the broker is killed are unknown, and none that was acknowledged is lost', async () => {
    const subject = 'facts.kill';
    const acked = new Map<number, string>();
    /** Appends until an answer fails to come; resolves to what came instead. */
    async function write(writer: number): Promise<string> {
      for (let i = 0; ; i++) {
        const text = `${writer}-${i}`;
        const outcome = await log.append(subject, bytes(text), { timeoutMs: 1_000 });
        if (outcome.kind !== 'acked') return outcome.kind;
        acked.set(outcome.sequence, text);
      }
    }
    const writers = Array.from({ length: 16 }, (_, writer) => write(writer));
    await eventually(() => expect(acked.size).toBeGreaterThan(100));
    await nats.kill();
    expect(new Set(await Promise.all(writers))).toEqual(new Set(['unknown']));
    await nats.start();
    for (const [sequence, text] of acked) {
      const record = await log.next('FACTS', subject, sequence);
      expect(record?.sequence).toBe(sequence);
      expect(Buffer.from(record?.data ?? []).toString()).toBe(text);
    }
  });

  test('an append to a paused broker is unknown after its time-out, and may be stored later', async () => {
    const subject = 'facts.paused';
    await eventually(() => expect(log.connected).toBe(true));
    await nats.pause();
    const sentMs = performance.now();
    const outcome = await log.append(subject, bytes('late'), { timeoutMs: 300 });
    expect(outcome).toMatchObject({ kind: 'unknown' });
    expect(performance.now() - sentMs).toBeLessThan(2_000);
    nats.resume();
    await eventually(async () => expect(await log.last('FACTS', subject)).toBeDefined());
    expect(await log.append(subject, bytes('late'), { expectedLastSequence: 0 })).toEqual({ kind: 'fenced' });
  });

  test('reads wait for a paused broker instead of failing', async () => {
    await nats.pause();
    const info = log.info('FACTS');
    const early = await Promise.race([info, new Promise((resolve) => systemClock.timer(300, () => resolve('waits')))]);
    expect(early).toBe('waits');
    nats.resume();
    expect((await info).lastSequence).toBeGreaterThan(0);
  });

  test('a reader leaves no consumer behind when it stops, and one that the broker drops if it dies', async () => {
    const subject = 'facts.consumers';
    await log.append(subject, bytes('a'));
    const consumers = async () => {
      const { consumers } = await api('CONSUMER.LIST.FACTS');
      return Array.isArray(consumers) ? consumers : [];
    };
    const reader = log.read('FACTS', { from: 1, subjects: [subject], onWaiting: () => {} });
    await reader.started;
    const [held] = await consumers();
    expect(held.config).toMatchObject({ ack_policy: 'none', mem_storage: true, num_replicas: 1 });
    // Nanoseconds: after this long without a request the broker drops the consumer.
    expect(held.config.inactive_threshold).toBe(60_000_000_000);
    reader.stop();
    await eventually(async () => expect(await consumers()).toEqual([]));
  });

  test('a reader whose consumer vanishes continues at its position', async () => {
    const subject = 'facts.vanish';
    const from = (await log.info('FACTS')).lastSequence + 1;
    const seen: string[] = [];
    const reader = log.read('FACTS', {
      from,
      subjects: [subject],
      onWaiting: () => seen.push(...reader.take().map(({ data }) => Buffer.from(data).toString())),
    });
    for (let round = 0; round < 3; round++) {
      await log.append(subject, bytes(String(round)));
      await eventually(() => expect(seen).toHaveLength(round + 1));
      const { consumers } = await api('CONSUMER.NAMES.FACTS');
      for (const name of Array.isArray(consumers) ? consumers : []) await api(`CONSUMER.DELETE.FACTS.${name}`);
    }
    await log.append(subject, bytes('3'));
    await eventually(() => expect(seen).toEqual(['0', '1', '2', '3']));
    reader.stop();
  });

  test('a watch whose consumer vanishes continues at its position', async () => {
    const bucket = log.bucket('WEBHOOKS');
    const seen: string[] = [];
    const stop = bucket.watch({ onEntry: ({ key }) => seen.push(key), onCurrent: () => {} });
    for (const key of ['a', 'b', 'c']) {
      expect(await bucket.put(key, bytes('x'))).toMatchObject({ kind: 'written' });
      await eventually(() => expect(seen.at(-1)).toBe(key));
      const { consumers } = await api('CONSUMER.NAMES.KV_WEBHOOKS');
      for (const name of Array.isArray(consumers) ? consumers : []) await api(`CONSUMER.DELETE.KV_WEBHOOKS.${name}`);
    }
    expect(seen).toEqual(['a', 'b', 'c']);
    stop();
  });

  test('a watch that skipped replaced changes never gives a mixture of old and new entries', async () => {
    const proxy = await startTcpProxy(Number(new URL(nats.url).port));
    const behind = await connectJetStream(options(`nats://127.0.0.1:${proxy.port}`));
    const bucket = log.bucket('WEBHOOKS');
    const put = async (key: string, size: number): Promise<void> =>
      expect(await bucket.put(key, new Uint8Array(size))).toMatchObject({ kind: 'written' });
    const held = new Map<string, number>();
    const states = new Set<string>();
    const stop = behind.bucket('WEBHOOKS').watch({
      onEntry({ key, value }) {
        held.set(key, value?.length ?? 0);
        setImmediate(() => states.add(`${held.get('replaced')}, ${held.get('later')}`));
      },
      onCurrent: () => {},
    });
    await put('replaced', 1);
    await put('later', 1);
    await eventually(() => expect(states).toContain('1, 1'));
    states.clear();
    proxy.cut();
    await eventually(() => expect(behind.connected).toBe(false));
    await put('replaced', 2);
    await put('later', 2);
    // So large that the entries arrive in several turns.
    await put('between', 500_000);
    await put('replaced', 3);
    proxy.mend();
    await eventually(() => expect(held.get('replaced')).toBe(3));
    await eventually(() => expect([...states]).toEqual(['3, 2']));
    stop();
    await behind.close();
    await proxy.close();
  });

  test('a watch of a bucket that was created anew delivers it from its beginning', async () => {
    const bucket = log.bucket('STREAM_TOKENS');
    for (const key of ['a', 'b', 'c']) expect(await bucket.put(key, bytes('x'))).toMatchObject({ kind: 'written' });
    const seen: string[] = [];
    const stop = bucket.watch({ onEntry: ({ key }) => seen.push(key), onCurrent: () => {} });
    await eventually(() => expect(seen).toEqual(['a', 'b', 'c']));
    await api('STREAM.DELETE.KV_STREAM_TOKENS');
    await log.ensure();
    await eventually(async () => expect(await bucket.put('d', bytes('x'))).toMatchObject({ kind: 'written' }));
    await eventually(() => expect(seen).toEqual(['a', 'b', 'c', 'd']));
    stop();
  });

  test('a durable consumer takes over the options of the program that opens it', async () => {
    const open = (ackWaitMs: number, subjects: string[]) =>
      log.work('DELIVERIES', { durable: 'changing', subjects, ackWaitMs, maxInFlight: 10, onItem: () => {} });
    const configOf = async () => (await api('CONSUMER.INFO.DELIVERIES.changing'))['config'];
    const first = open(30_000, ['deliveries.due.x']);
    await eventually(async () => expect(await configOf()).toMatchObject({ ack_wait: 30_000_000_000 }));
    first();
    const second = open(20_000, ['deliveries.due.x', 'deliveries.due.y']);
    await eventually(async () =>
      expect(await configOf()).toMatchObject({
        ack_wait: 20_000_000_000,
        filter_subjects: ['deliveries.due.x', 'deliveries.due.y'],
      }),
    );
    second();
    await api('CONSUMER.DELETE.DELIVERIES.changing');
  });

  test('an idle reader survives trimming of records of other subjects', async () => {
    const seen: string[] = [];
    await log.append('facts.busy', bytes('x'));
    const from = (await log.info('FACTS')).lastSequence + 1;
    const idle = log.read('FACTS', {
      from,
      subjects: ['facts.idle'],
      onWaiting: () => seen.push(...idle.take().map(({ data }) => Buffer.from(data).toString())),
    });
    await idle.started;
    for (let i = 0; i < 5; i++) await log.append('facts.busy', bytes('x'));
    // It takes the broker's signals of idleness for the reader to know, and those come by the clock.
    await sleep(systemClock, 4.5 * JETSTREAM_LIMITS.readerHeartbeatMs);
    await log.purgeBelow('FACTS', (await log.info('FACTS')).lastSequence);
    await nats.kill();
    await nats.start();
    await log.append('facts.idle', bytes('mine'));
    await eventually(() => expect(seen).toEqual(['mine']));
    expect(idle.ended).toBeUndefined();
    idle.stop();
  });

  test('streams are made as defined, and updated when they differ', async () => {
    const wrong = { ...STREAMS.RECORDS, max_bytes: 1024 * 1024, name: 'RECORDS' };
    const update = { name: wrong.name, subjects: wrong.subjects, storage: 'file', max_bytes: wrong.max_bytes };
    // Our own connection may still be on its way back from the restart of the test before.
    await eventually(async () => void (await raw.request('$JS.API.STREAM.UPDATE.RECORDS', JSON.stringify(update))));
    await log.ensure();
    const { config } = await api('STREAM.INFO.RECORDS');
    expect(config).toMatchObject({ max_bytes: STREAMS.RECORDS.maxBytes, discard: 'new', storage: 'file' });
    const requests = await api('STREAM.INFO.REQUESTS');
    expect(requests['config']).toMatchObject({
      max_bytes: STREAMS.REQUESTS.maxBytes,
      discard: 'old',
      storage: 'memory',
    });
    const deliveries = await api('STREAM.INFO.DELIVERIES');
    expect(deliveries['config']).toMatchObject({ allow_msg_schedules: true, retention: 'workqueue' });
  });

  test('with asFound the sizes that another process set stay', async () => {
    await log.reshape({ factsMaxBytes: 4 * 1024 * 1024 }, { lower: true });
    const tool = await connectJetStream({ ...options(nats.url), asFound: true });
    const { config } = await api('STREAM.INFO.FACTS');
    expect(config).toMatchObject({ max_bytes: 4 * 1024 * 1024 });
    await tool.close();
    await log.reshape({ factsMaxBytes: STREAMS.FACTS.maxBytes }, { lower: false });
  });

  test('a stream that cannot be made as defined is a clear error', async () => {
    await raw.request('$JS.API.STREAM.DELETE.RECORDS', '');
    const config = { name: 'RECORDS', subjects: STREAMS.RECORDS.subjects, storage: 'memory', max_bytes: 1024 };
    await raw.request('$JS.API.STREAM.CREATE.RECORDS', JSON.stringify(config));
    await expect(connectJetStream(options(nats.url))).rejects.toThrow(/stream RECORDS .*storage/);
    await raw.request('$JS.API.STREAM.DELETE.RECORDS', '');
    await log.ensure();
  });
});

describe('an unusable broker is refused with a clear error:', () => {
  let server: Server | undefined;
  const sockets = new Set<Socket>();
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
    server = undefined;
  });

  /** Something that greets as a nats-server of this kind and answers pings. */
  async function greetAs(info: Record<string, unknown>): Promise<string> {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('data', (data) => {
        if (data.toString('latin1').includes('PING')) socket.write('PONG\r\n');
      });
      socket.write(`INFO ${JSON.stringify({ server_id: 'X', max_payload: 1048576, headers: true, ...info })}\r\n`);
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return `nats://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  test('too old', async () => {
    const url = await greetAs({ version: '2.9.10', jetstream: true });
    await expect(connectJetStream(options(url))).rejects.toThrow(/nats-server 2\.9\.10 is too old: 2\.12/);
  });

  test('without JetStream', async () => {
    const url = await greetAs({ version: '2.15.1' });
    await expect(connectJetStream(options(url))).rejects.toThrow(/JetStream is off/);
  });

  test('unreachable; the message holds no password', async () => {
    const url = await greetAs({ version: '2.15.1' });
    const port = url.split(':').at(-1);
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server?.close(() => resolve()));
    server = undefined;
    const attempt = connectJetStream({ ...options(`nats://user:hush@127.0.0.1:${port}`), patienceMs: 200 });
    await expect(attempt).rejects.toThrow(/no NATS server answers at nats:\/\/127/);
    await expect(attempt).rejects.not.toThrow(/hush/);
  });
});
