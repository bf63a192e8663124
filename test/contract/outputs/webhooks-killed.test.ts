import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { openConfigStore } from '../../../streams/config/config-store.ts';
import { connectJetStream } from '../../../streams/log/jetstream/log-jetstream.ts';
import { aTrackedEvent, commit } from '../../../streams/sinks/testing-commits.ts';
import { aWebhook } from '../../../streams/sinks/webhooks/testing-webhooks.ts';
import { startTestNats } from '../../support/servers/nats.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver } from '../../support/wire/webhook-receiver.ts';

const SINK = fileURLToPath(new URL('../../support/in-memory/webhooks-sink.ts', import.meta.url));
const ACK_WAIT_MS = 2_000;

/** What each test starts: a broker, definitions, and processes of the sink that it can kill. */
async function setUp() {
  const nats = await startTestNats();
  const log = await connectJetStream({ url: nats.url, replicas: 1, logger: silentLogger, clock: systemClock });
  const config = await openConfigStore(log, systemClock, silentLogger);
  const children: ChildProcess[] = [];
  const start = (): ChildProcess => {
    const child = spawn(process.execPath, [SINK, nats.url, String(ACK_WAIT_MS)], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    children.push(child);
    return child;
  };
  const address = { game: 'demo', environment: 'live', kind: 'webhook', key: 'wh_1' } as const;
  return {
    log,
    start,
    setUrl: (url: string) => config.put(address, aWebhook({ url }), 0),
    revision: () => config.revision,
    isEmpty: async () => (await log.info('DELIVERIES')).records === 0,
    stop: async () => {
      for (const child of children) child.kill('SIGKILL');
      config.stop();
      await log.close();
      await nats.stop();
    },
  };
}

it('kill -9 while one delivery of a record hangs repeats only this one, under its id', async () => {
  const { log, start, setUrl, revision, isEmpty, stop } = await setUp();
  const first = start();
  const died = once(first, 'exit');
  const levels: unknown[] = [];
  let isHanging = true;
  const receiver = await startWebhookReceiver((request, response) => {
    const { data }: { data: { properties: { level: number } } } = JSON.parse(request.body);
    levels.push(data.properties.level);
    if (isHanging && data.properties.level === 3) return;
    response.end();
  });
  try {
    await setUrl(receiver.url);
    const events = [0, 1, 2, 3, 4, 5].map((level) =>
      aTrackedEvent({ eventId: `e${level}`, properties: `{"level":${level}}` }),
    );
    await commit(log, events, { configRevision: revision() });
    await until('all were received', () => levels.length === events.length);
    await until('the hanging one is stored by itself', async () => {
      const stored = await log.countSubjects('DELIVERIES', 'deliveries.at.*.wh_1.*');
      return stored === 1 && (await log.info('DELIVERIES')).records === 1;
    });
    first.kill('SIGKILL');
    await died;
    isHanging = false;
    start();
    await until('it is delivered again', () => levels.length > events.length);
    await until('nothing is left in DELIVERIES', isEmpty);
    expect(levels.slice(events.length)).toEqual([3]);
    const idOf = (body: string): unknown => JSON.parse(body).id;
    expect(new Set(receiver.requests.map(({ body }) => idOf(body))).size).toBe(events.length);
  } finally {
    await receiver.stop();
    await stop();
  }
});

it('kill -9 between the receiver’s 200 and the acknowledgement repeats only this delivery, under its id', async () => {
  const { log, start, setUrl, revision, isEmpty, stop } = await setUp();
  const first = start();
  const died = once(first, 'exit');
  const receiver = await startWebhookReceiver((_, response) => {
    // The first process dies while the response is on its way.
    if (receiver.requests.length === 1) first.kill('SIGKILL');
    response.end();
  });
  try {
    await setUrl(receiver.url);
    await commit(log, [aTrackedEvent()], { configRevision: revision() });
    await died;
    expect(receiver.requests).toHaveLength(1);
    start();
    await until('it is delivered again', () => receiver.requests.length > 1);
    await until('nothing is left in DELIVERIES', isEmpty);
    const bodies = receiver.requests.map(({ body }) => body);
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toBe(bodies[0]);
  } finally {
    await receiver.stop();
    await stop();
  }
});
