import { beforeEach, describe, expect, it } from 'vitest';
import { decodeJson, encodeJson } from '../../../core/codec/codec.ts';
import { createMemoryBroker, type MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { createFakeClock, type FakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { decodeBeat, encodeBeat } from './member-beat.ts';
import { joinMembers, type Membership } from './membership.ts';

describe('a beat', () => {
  it('keeps the partitions that a member is ready for and refuses', () => {
    const beat = { beat: 7, ready: new Set([0, 255]), refuses: new Set([3]), reason: 'the store is full' };
    expect(decodeBeat(encodeBeat(beat))).toEqual(beat);
    expect(decodeBeat(encodeBeat({ ...beat, ready: 'all', refuses: 'all' }))).toMatchObject({
      ready: 'all',
      refuses: 'all',
    });
  });

  it.each(['{', 'null', '[]', '12', '{"ready":[1,"2",null],"refuses":5}'])(
    'that cannot be read, %s, claims nothing',
    (text) => {
      const { refuses, ready } = decodeBeat(new TextEncoder().encode(text));
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
    joinMembers({
      bucket: broker.connect(node).bucket('OWNERS'),
      node,
      holder: `${node}.1`,
      clock,
      onChange: () => {},
    });
  const write = (node: string, value: unknown) =>
    broker.connect('older').bucket('OWNERS').put(`member.${node}`, encodeJson(value));

  it('rank only those that accept a partition, and forget a silent one', async () => {
    const a = join('a');
    expect(a.rank(0)).toBe(Infinity);
    await clock.advance(100);
    expect(a.rank(0)).toBe(0);
    void write('b', { beat: 1, ready: [], refuses: [] });
    await clock.advance(100);
    // `b` ranks before `a` for partition 0.
    expect([a.rank(0), a.hasReadySuccessor(0), a.hasOther(0)]).toEqual([1, false, true]);
    void write('b', { beat: 2, ready: [0], refuses: [] });
    await clock.advance(100);
    expect(a.hasReadySuccessor(0)).toBe(true);
    void write('b', { beat: 3, ready: [], refuses: [0] });
    await clock.advance(100);
    expect([a.rank(0), a.hasReadySuccessor(0), a.hasOther(0)]).toEqual([0, false, false]);
    void write('b', { beat: 4, ready: [0], refuses: [] });
    await clock.advance(SHARED_LIMITS.leaseMs + SHARED_LIMITS.leaseMarginMs + 100);
    expect([a.rank(0), a.hasReadySuccessor(0), a.hasOther(0)]).toEqual([0, false, false]);
  });

  it('with a wrong clock have no rank, unless the clocks of all are wrong', async () => {
    const a = join('a');
    void write('b', { beat: 1, ready: [], refuses: [] });
    a.setClockWrong('the clock is 6000 ms ahead');
    await clock.advance(100);
    expect(a.rank(0)).toBe(Infinity);
    void write('b', { beat: 2, ready: [], refuses: 'all' });
    await clock.advance(100);
    expect(a.rank(0)).toBe(1);
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
    await clock.advance(2 * SHARED_LIMITS.leaseRenewMs + 100);
    expect(beats).toMatchObject([{ beat: 1 }, { beat: 2 }, { beat: 3 }]);
  });
});
