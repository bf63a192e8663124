import { beforeEach, describe, expect, it } from 'vitest';
import { decodeJson, encodeJson } from '../../streams/codec.ts';
import { createMemoryBroker, type MemoryBroker } from '../../streams/log/log-memory.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { createFakeClock, type FakeClock } from '../../test/support/fake-clock.ts';
import { decodeBeat, encodeBeat, FORMAT } from './member-beat.ts';
import { joinMembers, type Membership } from './membership.ts';

describe('a beat', () => {
  it('keeps the partitions that a member is ready for and refuses', () => {
    const beat = { beat: 7, format: 1, ready: new Set([0, 255]), refuses: new Set([3]), reason: 'the store is full' };
    expect(decodeBeat(encodeBeat(beat))).toEqual(beat);
    expect(decodeBeat(encodeBeat({ ...beat, ready: 'all', refuses: 'all' }))).toMatchObject({
      ready: 'all',
      refuses: 'all',
    });
  });

  it('of an older member, a bare number, stands for format 0, ready for all and refusing none', () => {
    expect(decodeBeat(encodeJson(12))).toEqual({ beat: 12, format: 0, ready: 'all', refuses: new Set() });
  });

  it.each(['{', 'null', '[]', '{"ready":[1,"2",null],"refuses":5,"format":"x"}'])(
    'that cannot be read, %s, claims nothing',
    (text) => {
      const { format, refuses, ready } = decodeBeat(new TextEncoder().encode(text));
      expect(format).toBe(0);
      expect(refuses).toEqual(new Set());
      expect(ready).toEqual(new Set(text.includes('[1') ? [1] : []));
    },
  );
});

describe('members', () => {
  let clock: FakeClock;
  let broker: MemoryBroker;
  beforeEach(() => {
    clock = createFakeClock();
    broker = createMemoryBroker({ clock });
  });

  const join = (node: string): Membership =>
    joinMembers({ bucket: broker.connect(node).bucket('OWNERS'), node, clock, onChange: () => {} });
  const write = (node: string, value: unknown) =>
    broker.connect('older').bucket('OWNERS').put(`member.${node}`, encodeJson(value));

  it('know the lowest format of those alive', async () => {
    const a = join('a');
    expect(a.lowestFormat()).toBe(0);
    await clock.advance(100);
    expect(a.lowestFormat()).toBe(FORMAT);
    join('b');
    await clock.advance(LIMITS.leaseRenewMs);
    expect(a.lowestFormat()).toBe(FORMAT);
    void write('older', 1);
    await clock.advance(LIMITS.leaseRenewMs);
    expect(a.lowestFormat()).toBe(0);
    await clock.advance(LIMITS.leaseMs + LIMITS.leaseMarginMs + LIMITS.leaseRenewMs);
    expect(a.lowestFormat()).toBe(FORMAT);
  });

  it('write beats that change, as JSON that any NATS tool shows', async () => {
    join('a');
    const beats: unknown[] = [];
    const onEntry = ({ value }: { value: Uint8Array | undefined }) => {
      if (value !== undefined) beats.push(decodeJson(value));
    };
    broker
      .connect('reader')
      .bucket('OWNERS')
      .watch({ onEntry, onCurrent: () => {} });
    await clock.advance(2 * LIMITS.leaseRenewMs + 100);
    expect(beats).toMatchObject([
      { beat: 1, format: FORMAT },
      { beat: 2, format: FORMAT },
      { beat: 3, format: FORMAT },
    ]);
  });
});
