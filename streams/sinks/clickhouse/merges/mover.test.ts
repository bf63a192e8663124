import { describe, expect, it } from 'vitest';
import type { PendingMerge } from '../../../../clickhouse-schema/rows/moved-rows.ts';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../../test/support/in-memory/silent-logger.ts';
import { encodeJson } from '../../../../core/codec/codec.ts';
import { createMemoryBroker } from '../../../log/memory/log-memory.ts';
import { SINK_LIMITS } from '../limits.ts';
import type { MergeTarget } from './merge-target.ts';
import { createMover } from './mover.ts';

const STREAM = '2026-01-01T00:00:00Z';

/** A ClickHouse whose moves take a while, and merges as its table holds them. */
function setUp() {
  const clock = createFakeClock();
  const log = createMemoryBroker({ clock }).connect('sink');
  const merges: (PendingMerge & { step: 'known' | 'moved' | 'settled' })[] = [];
  const steps: string[] = [];
  const told: [merges: number, seconds: number][] = [];
  const rebuilt: string[][] = [];
  let leads = true;
  let fault: (() => 'later' | 'fail') | undefined;
  let moveMs = 100;

  const target: MergeTarget = {
    pending: async ({ sequence }) =>
      merges.filter((one) => one.step === 'known' && one.sequence <= sequence).slice(0, 2),
    unsettled: async ({ sequence }) => merges.filter((one) => one.step === 'moved' && one.sequence <= sequence),
    async move(moved) {
      const meant = fault?.();
      fault = undefined;
      if (meant === 'fail') throw new Error('connection refused');
      if (meant === 'later') return 'later';
      await new Promise<void>((resolve) => clock.timer(moveMs, resolve));
      steps.push(`moved ${moved.map(({ playerId }) => playerId).join()}`);
      return 'moved';
    },
    async moveLate(moved) {
      steps.push(`late ${moved.map(({ playerId }) => playerId).join()}`);
      return 'moved';
    },
    async note(step, noted) {
      steps.push(step);
      for (const one of merges) if (noted.some(({ playerId }) => playerId === one.playerId)) one.step = step;
    },
    free: async (erasures) => [...erasures],
    waiting: async () => {
      const open = merges.filter(({ step }) => step === 'known');
      return { merges: open.length, oldestMs: Math.min(...open.map(({ receivedAt }) => receivedAt)) };
    },
    close: () => Promise.resolve(),
  };
  const mover = createMover({
    log,
    clock,
    target,
    async rebuild(players) {
      steps.push('days');
      rebuilt.push(players.flatMap(({ ids }) => ids));
      return 'rebuilt';
    },
    leads: () => leads,
    onWaiting: (...waiting) => void told.push(waiting),
    logger: silentLogger,
  });
  return {
    clock,
    mover,
    steps,
    told,
    rebuilt,
    merges,
    lead: (value: boolean) => (leads = value),
    fail: (how: 'later' | 'fail') => (fault = () => how),
    slow: (ms: number) => (moveMs = ms),
    merge: (guest: string, sequence: number): void => {
      const place = { createdMs: Date.parse(STREAM), sequence, index: 0 };
      const who = { game: 'demo', environment: 'live', playerId: guest, externalId: guest, mergeId: guest };
      const into = { playerId: `${guest}-account`, externalId: 'account' };
      const rest = { at: 0, receivedAt: clock.wallMs(), isUndone: false };
      merges.push({ ...who, into, ...place, ...rest, step: 'known' });
    },
    moveTo: (sequence: number, sink = 'clickhouse') =>
      log.bucket('POSITIONS').put(sink, encodeJson({ stream: STREAM, sequence })),
  };
}

describe('the mover of merged rows', () => {
  it('moves, builds the days of both players anew, and only then notes it', async () => {
    const { clock, mover, steps, rebuilt, merge, moveTo } = setUp();
    merge('g', 5);
    await moveTo(5);
    mover.start();
    await clock.advance(1_000);
    expect(steps).toEqual(['moved g', 'days', 'moved']);
    expect(rebuilt).toEqual([['g', 'g-account']]);
    await mover.stop();
  });

  it('does not begin before the sink’s stored position has passed the merge', async () => {
    const { clock, mover, steps, merge, moveTo } = setUp();
    merge('g', 5);
    await moveTo(4);
    mover.start();
    await clock.advance(3 * SINK_LIMITS.mergeEveryMs);
    expect(steps).toEqual([]);
    await moveTo(5);
    mover.wake();
    await clock.advance(1_000);
    expect(steps).toEqual(['moved g', 'days', 'moved']);
    await mover.stop();
  });

  it.each(['fail', 'later'] as const)('tries again soon after a move that ends as "%s"', async (how) => {
    const { clock, mover, steps, fail, merge, moveTo } = setUp();
    merge('g', 5);
    await moveTo(9);
    fail(how);
    mover.start();
    await clock.advance(SINK_LIMITS.mergeAgainMs / 2);
    expect(steps).toEqual([]);
    await clock.advance(2 * SINK_LIMITS.mergeAgainMs);
    expect(steps).toEqual(['moved g', 'days', 'moved']);
    await mover.stop();
  });

  it('rests for a multiple of the time of a move, unless an erasure waits', async () => {
    const { clock, mover, steps, slow, merge, moveTo } = setUp();
    await moveTo(9);
    slow(5_000);
    merge('g', 1);
    mover.start();
    await clock.advance(6_000);
    merge('h', 2);
    mover.wake();
    await clock.advance(60_000);
    expect(steps.filter((step) => step.startsWith('moved '))).toEqual(['moved g']);
    mover.hurry();
    await clock.advance(6_000);
    expect(steps.filter((step) => step.startsWith('moved '))).toEqual(['moved g', 'moved h']);
    merge('i', 3);
    await clock.advance(SINK_LIMITS.mergeRestMostMs);
    expect(steps.filter((step) => step.startsWith('moved '))).toEqual(['moved g', 'moved h', 'moved i']);
    await mover.stop();
  });

  it('tells how many merges wait and how old the oldest is', async () => {
    const { clock, mover, told, merge, moveTo } = setUp();
    await moveTo(4);
    merge('g', 5);
    mover.start();
    await clock.advance(SINK_LIMITS.mergeEveryMs);
    expect(told.at(-1)?.[0]).toBe(1);
    expect(told.at(-1)?.[1]).toBeCloseTo(SINK_LIMITS.mergeEveryMs / 1_000, 0);
    await moveTo(5);
    await clock.advance(2 * SINK_LIMITS.mergeEveryMs);
    expect(told.at(-1)).toEqual([0, 0]);
    await mover.stop();
  });

  it('moves late rows once webhooks have passed the merge and RECORDS is inserted', async () => {
    const { clock, mover, steps, merges, merge, moveTo } = setUp();
    merge('g', 5);
    await moveTo(9);
    await moveTo(4, 'webhooks');
    mover.start();
    await clock.advance(2 * SINK_LIMITS.lateRowsMs + 60_000);
    expect(merges[0]?.step).toBe('moved');
    await moveTo(9, 'webhooks');
    await clock.advance(3 * SINK_LIMITS.lateRowsMs);
    expect(steps.slice(-2)).toEqual(['late g', 'settled']);
    await mover.stop();
  });

  it('does nothing while another process writes', async () => {
    const { clock, mover, steps, lead, merge, moveTo } = setUp();
    merge('g', 5);
    await moveTo(9);
    lead(false);
    mover.start();
    await clock.advance(3 * SINK_LIMITS.mergeEveryMs);
    expect(steps).toEqual([]);
    lead(true);
    await clock.advance(2 * SINK_LIMITS.mergeEveryMs);
    expect(steps).toEqual(['moved g', 'days', 'moved']);
    await mover.stop();
  });
});
