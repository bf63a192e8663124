import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { openConfigStore } from '../../../streams/config/config-store.ts';
import { connectJetStream } from '../../../streams/log/jetstream/log-jetstream.ts';
import { createWebhooks } from '../../../streams/sinks/webhooks/webhooks.ts';
import { silentLogger } from './silent-logger.ts';

/*
 * The webhooks sink as a process that a test can kill. Arguments: the broker's URL, and `ackWaitMs`: how long after
 * the death of a process the broker hands its deliveries to another one.
 */

const [url = '', ackWaitMs = ''] = process.argv.slice(2);
const log = await connectJetStream({ url, replicas: 1, logger: silentLogger, clock: systemClock });
const webhooks = createWebhooks({
  log,
  config: await openConfigStore(log, systemClock, silentLogger),
  clock: systemClock,
  ids: systemIds,
  logger: silentLogger,
  metrics: createMetrics(),
  node: 'killed',
  retryDelaysMs: [200],
  timeoutMs: 2_000,
  allowPrivateHosts: ['127.0.0.1'],
  ackWaitMs: Number(ackWaitMs),
});
webhooks.start();
// The test holds the other end of the pipe, so this process never outlives it.
process.stdin.on('end', () => process.exit(0));
process.stdin.resume();
