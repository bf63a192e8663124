import { beforeEach, describe, expect, it } from 'vitest';
import { FORMAT } from '../core/vocabulary/formats.ts';
import { SHARED_LIMITS } from '../core/kernel/limits.ts';
import { silentLogger } from '../test/support/in-memory/silent-logger.ts';
import { createFakeClock, type FakeClock } from '../test/support/in-memory/fake-clock.ts';
import { createFormatGate, type FormatGate } from './format-gate.ts';
import { createMemoryBroker, type MemoryBroker, type MemoryLog } from './log/memory/log-memory.ts';

const GONE_MS = SHARED_LIMITS.leaseMs + SHARED_LIMITS.leaseMarginMs + SHARED_LIMITS.leaseRenewMs;

describe('a kind of a newer format', () => {
  let clock: FakeClock;
  let broker: MemoryBroker;
  let log: MemoryLog;
  beforeEach(() => {
    clock = createFakeClock();
    broker = createMemoryBroker({ clock });
    log = broker.connect('writer');
  });

  function start(node: string, format = FORMAT): FormatGate & { kill: () => void } {
    const [own, nodeClock] = [broker.connect(node), clock.node()];
    const gate = createFormatGate({
      bucket: own.bucket('OWNERS'),
      node,
      roles: ['gateway'],
      clock: nodeClock,
      logger: silentLogger,
      format,
    });
    const kill = (): void => {
      own.kill();
      nodeClock.kill();
    };
    return { ...gate, lowestFormat: () => gate.lowestFormat(), kill };
  }

  it('is usable once every process has stated its format, whatever its roles', async () => {
    const a = start('a', 7);
    expect(a.lowestFormat()).toBe(0);
    await clock.advance(1_000);
    expect(a.lowestFormat()).toBe(7);
    const b = start('b', 6);
    await clock.advance(1_000);
    expect([a.lowestFormat(), b.lowestFormat()]).toEqual([6, 6]);
    expect([a.usable('field', 6), a.usable('field', 7)]).toEqual([true, false]);
  });

  it('stays unusable while a process of an older format lives, and until it is certainly gone', async () => {
    const a = start('a', 7);
    const old = start('old', 6);
    await clock.advance(10 * GONE_MS);
    expect(a.lowestFormat()).toBe(6);
    old.kill();
    await clock.advance(SHARED_LIMITS.leaseMs);
    expect(a.lowestFormat()).toBe(6);
    await clock.advance(GONE_MS);
    expect(a.lowestFormat()).toBe(7);
  });

  it('becomes usable at once when the last older process stops in order', async () => {
    const a = start('a', 7);
    const old = start('old', 6);
    await clock.advance(1_000);
    void old.stop();
    await clock.advance(100);
    expect(a.lowestFormat()).toBe(7);
  });

  it('is unusable beside an owner of a version that states no format', async () => {
    const a = start('a', 7);
    for (let beat = 1; beat < 10; beat++) {
      void log.bucket('OWNERS').put('member.old', Buffer.from(String(beat)));
      await clock.advance(SHARED_LIMITS.leaseRenewMs);
      expect(a.lowestFormat()).toBe(0);
    }
    await clock.advance(GONE_MS);
    expect(a.lowestFormat()).toBe(7);
  });

  it('is unusable beside a process whose beat cannot be read', async () => {
    const a = start('a', 7);
    void log.bucket('OWNERS').put('process.strange', Buffer.from('no JSON'));
    await clock.advance(SHARED_LIMITS.leaseRenewMs);
    expect(a.lowestFormat()).toBe(0);
  });

  it('of today is usable without waiting for any beat', () => {
    const a = start('a');
    expect(a.usable('command', 'RegisterPlayer')).toBe(true);
    expect(a.usable('query', 'GetPlayer')).toBe(true);
    expect(a.usable('fact', 'EventTracked')).toBe(true);
  });
});
