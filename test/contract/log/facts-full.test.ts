import { expect, test } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { encodeJson } from '../../../core/codec/codec.ts';
import { factsLevels } from '../../../streams/facts/facts-levels.ts';
import { watchFactsRoom } from '../../../streams/facts/facts-room.ts';
import { startFactsTrimmer } from '../../../streams/facts/facts-trimmer.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { connectJetStream } from '../../../streams/log/jetstream/log-jetstream.ts';
import type { Log } from '../../../streams/log/log.ts';
import { sinksOf } from '../../../streams/positions/sink-registry.ts';
import { startTestNats } from '../../support/servers/nats.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';

/* A FACTS without a byte left: the trimmer makes room once everything has passed its records, on either broker. */

const FACTS_BYTES = 24 * 1024 * 1024;
const HOUR_MS = 3_600_000;
const SUBJECT = 'facts.0';

async function fillsAndTrims(log: Log): Promise<void> {
  const append = (bytes: number) => log.append(SUBJECT, new Uint8Array(bytes));
  for (const bytes of [1024 * 1024, 64 * 1024, 1_000, 10]) {
    for (let outcome = await append(bytes); outcome.kind !== 'refused'; outcome = await append(bytes)) {
      expect(outcome.kind).toBe('acked');
    }
  }
  const full = await log.info('FACTS');
  expect(FACTS_BYTES - full.sizeBytes).toBeLessThan(200);

  const room = watchFactsRoom({ log, clock: systemClock, logger: silentLogger });
  const trimmer = startFactsTrimmer({
    log,
    clock: systemClock,
    partitions: 1,
    holder: 'a.1',
    retentionMs: HOUR_MS,
    room,
    logger: silentLogger,
  });
  await until('the room is known', () => !room.commandsFit());
  const positions = log.bucket('POSITIONS');
  const place = { stream: full.created, sequence: full.lastSequence };
  for (const sink of sinksOf('FACTS')) await positions.put(sink, encodeJson(place));
  // Without the partition's mark nothing may go.
  expect((await log.info('FACTS')).firstSequence).toBe(1);
  await positions.put(
    'rebuild.0',
    encodeJson({ stream: full.created, coveredTo: full.lastSequence, confirmedTo: 0, players: 0 }),
  );
  // A trim has several steps, and commands fit before the last one.
  await until('FACTS is trimmed', () => room.usedBytes < factsLevels(FACTS_BYTES).trimFrom);
  expect(room.commandsFit()).toBe(true);
  expect((await append(1024 * 1024)).kind).toBe('acked');
  await trimmer.stop();
  room.stop();
}

test('a full FACTS is trimmed on JetStream', async ({ onTestFinished }) => {
  const nats = await startTestNats();
  onTestFinished(() => nats.stop());
  const log = await connectJetStream({
    url: nats.url,
    replicas: 1,
    factsMaxBytes: FACTS_BYTES,
    logger: silentLogger,
    clock: systemClock,
  });
  await fillsAndTrims(log);
  await log.close();
});

test('a full FACTS is trimmed in memory', async () => {
  const broker = createMemoryBroker({ clock: systemClock, streams: { FACTS: { maxBytes: FACTS_BYTES } } });
  await fillsAndTrims(broker.connect());
});
