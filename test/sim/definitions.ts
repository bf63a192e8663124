import { sleep } from '../../src/kernel/clock.ts';
import type { WebhookDocument } from '../../streams/config/documents.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

const AT_MOST = 3;

/** Makes a webhook now and then, through some process, so that revisions move while commands are under way. */
export async function changeDefinitions(options: {
  world: World;
  serving: () => readonly SimProcess[];
  done: () => boolean;
}): Promise<void> {
  const { world, serving, done } = options;
  const random = world.random('definitions');
  for (let made = 0; made < AT_MOST && !done(); made++) {
    await sleep(world.clock, random.between(0, 8_000));
    const processes = serving();
    if (processes.length === 0) continue;
    const process = random.pick(processes);
    const key = `webhook-${made}`;
    process.clock.arrivals.timer(0.1, () => {
      // With revision 0 a write that reaches the broker twice counts once.
      void process.serving?.config.put({ game: 'demo', environment: 'live', kind: 'webhook', key }, webhook(key), 0);
      world.cover('config: webhook made');
    });
  }
}

function webhook(id: string): WebhookDocument {
  return {
    id,
    name: id,
    url: 'https://receiver.example/',
    events: ['event.*'],
    secret: 'secret',
    enabled: true,
    headers: {},
    retryPolicy: { maxRetries: 4, backoff: 'exponential' },
    filters: {},
    createdAt: 0,
    version: 1,
  };
}
