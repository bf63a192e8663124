import { pino } from 'pino';
import { systemClock } from '../../../core/kernel/clock.ts';
import { connectJetStream } from '../../../streams/log/jetstream/log-jetstream.ts';
import type { Log } from '../../../streams/log/log.ts';
import { startTestNats } from '../../support/servers/nats.ts';
import { FACTS_BYTES } from './log-suite.ts';
import { logContract } from './log.contract.ts';

const logger = pino({ level: 'silent' });

logContract('JetStream', async () => {
  const nats = await startTestNats();
  const clients: Log[] = [];
  return {
    async open() {
      const client = await connectJetStream({
        url: nats.url,
        replicas: 1,
        factsMaxBytes: FACTS_BYTES,
        logger,
        clock: systemClock,
      });
      clients.push(client);
      return client;
    },
    down: () => nats.kill(),
    up: () => nats.start(),
    async close() {
      for (const client of clients) await client.close();
      await nats.stop();
    },
  };
});
