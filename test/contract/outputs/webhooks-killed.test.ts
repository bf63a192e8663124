import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/kernel/clock.ts';
import { openConfigStore } from '../../../streams/config/config-store.ts';
import { connectJetStream } from '../../../streams/log/log-jetstream.ts';
import { aTrackedEvent, commit } from '../../../streams/sinks/testing.ts';
import { aWebhook } from '../../../streams/sinks/webhooks/testing.ts';
import { startTestNats } from '../../support/nats.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const SINK = fileURLToPath(new URL('../../support/webhooks-sink.ts', import.meta.url));
const ACK_WAIT_MS = 2_000;

it('kill -9 between the receiver’s 200 and the acknowledgement repeats only this delivery, under its id', async () => {
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
  const first = start();
  const died = once(first, 'exit');
  const receiver = await startWebhookReceiver((_, response) => {
    // The first process dies while the response is on its way.
    if (receiver.requests.length === 1) first.kill('SIGKILL');
    response.end();
  });
  try {
    const address = { game: 'demo', environment: 'live', kind: 'webhook', key: 'wh_1' } as const;
    await config.put(address, aWebhook({ url: receiver.url }), 0);
    await commit(log, [aTrackedEvent()], { configRevision: config.revision });
    await died;
    expect(receiver.requests).toHaveLength(1);
    start();
    await until('it is delivered again', () => receiver.requests.length > 1);
    await until('nothing is left in DELIVERIES', async () => (await log.info('DELIVERIES')).records === 0);
    const bodies = receiver.requests.map(({ body }) => body);
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toBe(bodies[0]);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await receiver.stop();
    config.stop();
    await log.close();
    await nats.stop();
  }
});
