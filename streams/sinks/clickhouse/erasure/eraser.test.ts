import { describe, expect, it } from 'vitest';
import type { PendingErasure } from '../../../../clickhouse-schema/rows/erased-rows.ts';
import { SINK_LIMITS } from '../limits.ts';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../../test/support/in-memory/silent-logger.ts';
import { encodeJson } from '../../../../core/codec/codec.ts';
import { createMemoryBroker } from '../../../log/memory/log-memory.ts';
import { createEraser } from './eraser.ts';
import type { ErasureTarget } from './erasure-target.ts';

const STREAM = '2026-01-01T00:00:00Z';

/** A ClickHouse with rows by player, and erasures as its table holds them. */
function setUp() {
  const clock = createFakeClock();
  const broker = createMemoryBroker({ clock });
  const log = broker.connect('sink');
  const rows = new Map<string, number>();
  const erasures = new Map<string, PendingErasure & { step: 'known' | 'counted' | 'done' | 'settled' }>();
  const steps: string[] = [];
  let leads = true;
  /** What the next call of a kind does instead. */
  const faults = new Map<'remove' | 'note', () => 'later' | 'fail after' | 'fail'>();

  const target: ErasureTarget = {
    async pending({ sequence }) {
      const open = [...erasures.values()].filter(
        (one) => ['known', 'counted'].includes(one.step) && one.sequence <= sequence,
      );
      return open.map((one) => ({ ...one, rows: one.step === 'known' ? undefined : one.rows }));
    },
    unfinished: async ({ sequence }) =>
      [...erasures.values()].filter((one) => one.step === 'done' && one.sequence <= sequence),
    count: async (requested) => new Map(requested.map(({ playerId }) => [playerId, rows.get(playerId) ?? 0])),
    async note(step, noted) {
      steps.push(step);
      for (const one of noted) erasures.set(one.playerId, { ...one, step });
    },
    async remove(requested) {
      const fault = faults.get('remove')?.();
      faults.delete('remove');
      if (fault === 'later') return 'later';
      if (fault === 'fail') throw new Error('connection refused');
      steps.push('removed');
      for (const { playerId } of requested) rows.delete(playerId);
      if (fault === 'fail after') throw new Error('connection reset');
      return 'removed';
    },
    forgetDevices: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const eraser = createEraser({ log, clock, target, leads: () => leads, logger: silentLogger });
  return {
    clock,
    eraser,
    rows,
    erasures,
    steps,
    faults,
    lead: (value: boolean) => {
      leads = value;
    },
    erase: (playerId: string, sequence: number): void => {
      const place = { createdMs: Date.parse(STREAM), sequence, index: 0 };
      const who = { game: 'demo', environment: 'live', playerId };
      erasures.set(playerId, { ...who, ...place, erasedAt: 1_000, rows: undefined, deviceId: '', step: 'known' });
    },
    moveTo: (sequence: number, sink = 'clickhouse', stream = STREAM) =>
      log.bucket('POSITIONS').put(sink, encodeJson({ stream, sequence })),
    log,
    broker,
  };
}

describe('the eraser', () => {
  it('counts, stores the count, and only then deletes', async () => {
    const { clock, eraser, rows, erasures, steps, erase, moveTo } = setUp();
    rows.set('p', 7);
    erase('p', 5);
    await moveTo(5);
    eraser.start();
    await clock.advance(2_000);
    expect(steps).toEqual(['counted', 'removed', 'done']);
    expect(erasures.get('p')).toMatchObject({ step: 'done', rows: 7 });
    expect(rows.has('p')).toBe(false);
    await eraser.stop();
  });

  it('does not begin an erasure before the sink’s stored position has passed it', async () => {
    const { clock, eraser, rows, steps, erase, moveTo } = setUp();
    rows.set('p', 7);
    erase('p', 5);
    await moveTo(4);
    eraser.start();
    await clock.advance(2 * SINK_LIMITS.eraseCheckMs);
    expect(steps).toEqual([]);
    await moveTo(5);
    eraser.wake();
    await clock.advance(100);
    expect(steps).toEqual(['counted', 'removed', 'done']);
    await eraser.stop();
  });

  it.each(['fail', 'fail after', 'later'] as const)(
    'tries on after a deletion that ends as "%s", with the first count',
    async (fault) => {
      const { clock, eraser, rows, erasures, faults, erase, moveTo } = setUp();
      rows.set('p', 7);
      erase('p', 5);
      await moveTo(9);
      faults.set('remove', () => fault);
      eraser.start();
      await clock.advance(100);
      expect(erasures.get('p')).toMatchObject({ step: 'counted', rows: 7 });
      await clock.advance(2 * SINK_LIMITS.eraseAgainMs);
      expect(erasures.get('p')).toMatchObject({ step: 'done', rows: 7 });
      expect(rows.size).toBe(0);
      await eraser.stop();
    },
  );

  it('deletes late rows from RECORDS once webhooks have passed the erasure and RECORDS is inserted', async () => {
    const { clock, eraser, log, broker, rows, erasures, steps, erase, moveTo } = setUp();
    erase('p', 5);
    await moveTo(9);
    await moveTo(4, 'webhooks');
    eraser.start();
    await clock.advance(5_000);
    expect(erasures.get('p')?.step).toBe('done');
    // Webhooks have not met it: they still tell of it, and that is logged.
    rows.set('p', 1);
    await clock.advance(4 * SINK_LIMITS.eraseCheckMs);
    expect(rows.size).toBe(1);
    for (let i = 0; i < 3; i++) await log.append('records.deliveries.n-1', Buffer.from('x'));
    const { created } = broker.stream('RECORDS').bounds();
    await moveTo(2, 'clickhouse-records', created);
    await moveTo(9, 'webhooks');
    await clock.advance(6 * SINK_LIMITS.eraseCheckMs);
    expect(rows.size).toBe(1);
    await moveTo(3, 'clickhouse-records', created);
    await clock.advance(6 * SINK_LIMITS.eraseCheckMs);
    expect(erasures.get('p')?.step).toBe('settled');
    expect(rows.size).toBe(0);
    await clock.advance(6 * SINK_LIMITS.eraseCheckMs);
    expect(steps.filter((step) => step === 'removed')).toHaveLength(2);
    await eraser.stop();
  });

  it('does nothing while another process writes', async () => {
    const { clock, eraser, rows, steps, lead, erase, moveTo } = setUp();
    rows.set('p', 7);
    erase('p', 5);
    await moveTo(9);
    lead(false);
    eraser.start();
    await clock.advance(2 * SINK_LIMITS.eraseCheckMs);
    expect(steps).toEqual([]);
    lead(true);
    await clock.advance(SINK_LIMITS.eraseCheckMs);
    expect(steps).toEqual(['counted', 'removed', 'done']);
    await eraser.stop();
  });
});
