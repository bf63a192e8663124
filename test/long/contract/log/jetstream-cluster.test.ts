import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { JETSTREAM_LIMITS } from '../../../../streams/log/jetstream/limits.ts';
import { connectJetStream } from '../../../../streams/log/jetstream/log-jetstream.ts';
import type { JetStreamLog } from '../../../../streams/log/jetstream/log-jetstream.ts';
import { startTestCluster } from '../../../support/servers/nats-cluster.ts';
import type { TestCluster } from '../../../support/servers/nats-cluster.ts';
import { silentLogger } from '../../../support/in-memory/silent-logger.ts';
import { startTcpProxy } from '../../../support/wire/tcp-proxy.ts';

/** The production form: three nodes, three copies of every stream. */
const bytes = (value: string) => Buffer.from(value, 'utf8');
const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 40_000, interval: 20 });

let cluster: TestCluster;
let log: JetStreamLog;

const open = (replicas: 1 | 3, url = cluster.url) =>
  connectJetStream({
    url,
    replicas,
    logger: silentLogger,
    clock: systemClock,
    patienceMs: 2 * JETSTREAM_LIMITS.logPatienceMs,
  });

/** The node that leads a stream just now. */
async function leaderOf(stream: string): Promise<string> {
  const raw = await connect({ servers: cluster.url.split(',') });
  try {
    const info: { cluster: { leader: string } } = await (await raw.request(`$JS.API.STREAM.INFO.${stream}`, '')).json();
    return info.cluster.leader;
  } finally {
    await raw.close();
  }
}

beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(async () => {
  await log?.close();
  await cluster?.stop();
});

test('a memory stream that comes back empty under its old creation ends its readers with `reset`', async () => {
  const writer = await open(1);
  const before = await writer.info('REQUESTS');
  const leader = await leaderOf('REQUESTS');
  const proxy = await startTcpProxy(cluster.portOf(leader === 'node-0' ? 'node-1' : 'node-0'));
  const parted = await open(1, `nats://127.0.0.1:${proxy.port}`);
  for (let i = 0; i < 3; i++) await writer.append('requests.0', bytes(String(i)));
  let read = 0;
  const reader = parted.read('REQUESTS', { from: 1, onWaiting: () => (read += reader.take().length) });
  await eventually(() => expect(read).toBe(3));

  proxy.cut();
  await cluster.restart(leader);
  // More than there were: sequences alone do not tell the reader that these are others.
  for (let i = 0; i < 6; i++) {
    await eventually(async () => {
      expect(await writer.append('requests.0', bytes(`new ${i}`))).toMatchObject({ kind: 'acked' });
    });
  }
  const after = await writer.info('REQUESTS');
  expect(after.created).toBe(before.created);
  expect(after.lastSequence).toBeGreaterThan(3);
  proxy.mend();
  await eventually(() => expect(reader.ended).toBe('reset'));
  expect(read).toBe(3);
  await parted.close();
  await proxy.close();
  await writer.close();
});

test('with three copies, fenced appends survive the loss of the leader: none lost, none doubled', async () => {
  log = await open(3);
  // A broker that was restarted by the test before may still be on its way back.
  await eventually(() => log.ensure({ replicas: 3, factsMaxBytes: 1 }));
  const subject = 'facts.0';
  const read: string[] = [];
  const reader = log.read('FACTS', {
    from: 1,
    subjects: [subject],
    onWaiting: () => read.push(...reader.take().map(({ data }) => Buffer.from(data).toString())),
  });
  const written: string[] = [];
  let fence = 0;

  /** As an owner does: the same bytes under the same fence until it is known what became of them. */
  async function commit(text: string): Promise<void> {
    for (;;) {
      const outcome = await log.append(subject, bytes(text), { expectedLastSequence: fence, timeoutMs: 1_000 });
      if (outcome.kind === 'acked') fence = outcome.sequence;
      else if (outcome.kind === 'fenced') {
        const found = await log.next('FACTS', subject, fence + 1);
        if (found === undefined) continue;
        expect(Buffer.from(found.data).toString()).toBe(text);
        fence = found.sequence;
      } else continue;
      written.push(text);
      return;
    }
  }

  let restart: Promise<void> | undefined;
  for (let i = 0; i < 300; i++) {
    if (i === 100) restart = cluster.restart(await leaderOf('FACTS'));
    await commit(String(i));
  }
  await restart;
  expect(written).toHaveLength(300);
  await eventually(() => expect(read).toHaveLength(300));
  expect(read).toEqual(written);
  expect(reader.ended).toBeUndefined();
  reader.stop();
});
