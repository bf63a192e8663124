import { expect, it } from 'vitest';
import type { Query } from '../../../core/vocabulary/commands/commands.ts';
import { decodeQueries } from '../../../core/codec/codec.ts';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { LOG_LIMITS } from '../../../streams/log/limits.ts';
import { createQuerySender } from './query-sender.ts';

it('splits long queries into messages below the broker’s maximum payload', async () => {
  const clock = createFakeClock();
  const log = createMemoryBroker({ clock }).connect('gateway');
  const messages: Uint8Array[] = [];
  const sender = createQuerySender({
    log: { ...log, publish: (_subject, message) => void messages.push(message) },
    clock,
    partitions: 1,
  });
  const flagKeys = Array.from({ length: 2_000 }, (_, i) => `${'é'.repeat(250)}${i}`);
  const ids = Array.from({ length: 40 }, (_, i) => `request-${i}`);
  for (const requestId of ids) {
    const body: Query['body'] = {
      kind: 'EvaluateFlags',
      playerId: 'p',
      flagKeys,
      context: '{}',
      exposes: false,
      by: 'server',
    };
    sender.add(0, { requestId, replyTo: 'g', game: 'g', environment: 'live', deadlineAt: 0, configRevision: 0, body });
  }
  await clock.advance(1);
  expect(messages.flatMap((message) => decodeQueries(message).map(({ requestId }) => requestId))).toEqual(ids);
  expect(Math.max(...messages.map(({ length }) => length))).toBeLessThan(LOG_LIMITS.brokerPayloadBytes);
  messages.length = 0;
  await clock.advance(250);
  expect(Math.max(...messages.map(({ length }) => length))).toBeLessThan(LOG_LIMITS.brokerPayloadBytes);
  sender.close();
});
