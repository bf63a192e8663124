import { systemClock } from '../../../core/kernel/clock.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import type { MemoryLog } from '../../../streams/log/memory/log-memory.ts';
import { FACTS_BYTES } from './log-suite.ts';
import { logContract } from './log.contract.ts';

logContract('memory', async () => {
  const broker = createMemoryBroker({ clock: systemClock, streams: { FACTS: { maxBytes: FACTS_BYTES } } });
  const clients: MemoryLog[] = [];
  return {
    async open() {
      const client = broker.connect();
      clients.push(client);
      return client;
    },
    async down() {
      for (const client of clients) client.disconnect();
      broker.wipe('REQUESTS', 'new');
    },
    async up() {
      for (const client of clients) client.reconnect();
    },
    async close() {
      for (const client of clients) await client.close();
    },
  };
});
