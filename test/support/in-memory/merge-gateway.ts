import { Registry } from 'prom-client';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { createBackendMetrics } from '../../../src/gateway/backend/metrics.ts';
import { createCommandClient } from '../../../src/gateway/backend/command-client.ts';
import { createGatewayMerges } from '../../../src/gateway/merges/merges.ts';
import { connectJetStream } from '../../../streams/log/jetstream/log-jetstream.ts';
import { silentLogger } from './silent-logger.ts';

/*
 * A gateway that merges a guest, or takes the merge back, and kills itself before or after a step. A test starts it as
 * a process: <NATS URL> <partitions> <guest> <account> <step> <before|after> <merge|take back>
 */

const [url = '', partitions = '1', guestId = '', accountId = '', step = '', when = '', does = ''] =
  process.argv.slice(2);
const log = await connectJetStream({ url, replicas: 1, logger: silentLogger, clock: systemClock });
const client = createCommandClient({
  log,
  clock: systemClock,
  gateway: `dying-${process.pid}`,
  partitions: Number(partitions),
  configRevision: () => 0,
  logger: silentLogger,
  metrics: createBackendMetrics([new Registry()]),
});

const merges = createGatewayMerges({
  owners: {
    ...client,
    async send(origin, entityId, body) {
      if (body.kind !== step) return client.send(origin, entityId, body);
      if (when === 'after') await client.send(origin, entityId, body);
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => {});
    },
  },
  log,
  clock: systemClock,
  ids: systemIds,
  logger: silentLogger,
});
const origin = { game: 'demo', environment: 'live', receivedAt: systemClock.wallMs(), by: 'server' } as const;
if (does === 'merge') await merges.merge(origin, { guestId, accountId, byClientKey: false });
else await merges.takeBack(origin, guestId);
