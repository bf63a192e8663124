import { beforeEach, describe, expect, it } from 'vitest';
import { FACTS_LIMITS } from './limits.ts';
import { OWNER_LIMITS } from '../../actors/runtime/limits.ts';
import { createFakeClock, type FakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { factsLevels } from './facts-levels.ts';
import { watchFactsRoom } from './facts-room.ts';
import { createMemoryBroker, type MemoryBroker, type MemoryLog } from '../log/memory/log-memory.ts';

const GIB = 1024 ** 3;

describe('the levels of FACTS', () => {
  it.each([1024 ** 2, 64 * 1024 ** 2, GIB, 8 * GIB, 64 * GIB])('rise towards its size (%d bytes)', (maxBytes) => {
    const { trimTo, trimFrom, commands } = factsLevels(maxBytes);
    expect([0, trimTo, trimFrom, commands, maxBytes]).toEqual(
      [0, trimTo, trimFrom, commands, maxBytes].toSorted((a, b) => a - b),
    );
    expect(maxBytes - commands).toBeLessThanOrEqual(maxBytes / 4);
  });

  it('leave 4 GiB of 64 GiB to the owners, which holds a record of every partition and two polls at 50 MB/s', () => {
    const reserveBytes = 64 * GIB - factsLevels(64 * GIB).commands;
    expect(reserveBytes).toBe(4 * GIB);
    const inFlightBytes = 32 * OWNER_LIMITS.commitBytes + 2 * (FACTS_LIMITS.factsPollMs / 1000) * 50e6;
    const snapshotsBytes = 90_000 * 20_000;
    expect(inFlightBytes + snapshotsBytes).toBeLessThan(reserveBytes);
  });
});

describe('the room in FACTS', () => {
  const MAX_BYTES = 100_000;
  let clock: FakeClock;
  let broker: MemoryBroker;
  let log: MemoryLog;
  beforeEach(() => {
    clock = createFakeClock();
    broker = createMemoryBroker({ clock, streams: { FACTS: { maxBytes: MAX_BYTES } } });
    log = broker.connect('a');
  });
  const room = () => watchFactsRoom({ log, clock, logger: silentLogger });
  async function append(bytes: number): Promise<void> {
    void log.append('facts.0', new Uint8Array(bytes));
    await clock.flush();
  }

  it('holds commands until the reserve begins, and again after a trim', async () => {
    const watched = room();
    expect(watched.commandsFit()).toBe(true);
    await append(76_000);
    await append(10);
    await clock.advance(FACTS_LIMITS.factsPollMs);
    expect(watched.commandsFit()).toBe(false);
    broker.stream('FACTS').purgeBelow(2);
    await clock.advance(FACTS_LIMITS.factsPollMs);
    expect(watched.commandsFit()).toBe(true);
    watched.stop();
  });

  it('counts what this process appends between two polls', async () => {
    const watched = room();
    await clock.flush();
    for (let i = 0; i < 8; i++) watched.appended(10_000);
    expect(watched.commandsFit()).toBe(false);
    await clock.advance(FACTS_LIMITS.factsPollMs);
    expect(watched.commandsFit()).toBe(true);
    watched.stop();
  });

  it('wants marks to pass the records of the next trim once a trim is near', async () => {
    const watched = room();
    for (let i = 0; i < 50; i++) await append(1_000);
    await clock.advance(FACTS_LIMITS.factsPollMs);
    expect(watched.wantedBelow).toBe(0);
    for (let i = 0; i < 12; i++) await append(1_000);
    await clock.advance(FACTS_LIMITS.factsPollMs);
    const { firstSequence, lastSequence } = broker.stream('FACTS').bounds();
    expect(watched.wantedBelow).toBeGreaterThan(firstSequence + 10);
    expect(watched.wantedBelow).toBeLessThan(lastSequence / 2);
    watched.stop();
  });
});
