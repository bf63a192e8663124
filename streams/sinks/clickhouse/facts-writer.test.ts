import { describe, expect, it } from 'vitest';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import { SINK_LIMITS } from './limits.ts';
import { decodeJson, encodeJson } from '../../../core/codec/codec.ts';
import { aTrackedEvent, commit } from '../testing-commits.ts';
import { handledByAllSinks } from '../../positions/positions.ts';
import { createWorld, startProcess, type FakeClickhouse } from './testing-writers.ts';

describe('the facts writer', () => {
  it('inserts what comes before a record of a newer version, waits there, and leaves its lease to others', async () => {
    const world = createWorld();
    startProcess(world, 'a');
    await world.clock.advance(100);
    await world.commitEvents(2);
    await world.producer.append('facts.0', Buffer.from([9, 0x90]));
    await world.commitEvents(1);
    world.expected.pop();
    await world.clock.advanceUntil(world.allIn, 1_000);
    await world.clock.advance(1_000);
    expect(world.position()).toMatchObject({ sequence: 1 });
    expect(world.clickhouse.eventIds()).toEqual(world.expected);
    const lease = world.broker.bucket('OWNERS').get('sink.clickhouse');
    expect(decodeJson(lease?.value ?? encodeJson({}))).toMatchObject({ holder: null });
  });

  it('does not begin again at the first record because a newer version wrote its position', async () => {
    const world = createWorld();
    await world.commitEvents(2);
    void world.producer.bucket('POSITIONS').put('clickhouse', encodeJson({ newer: 'form' }));
    await world.clock.advance(100);
    startProcess(world, 'a');
    await world.clock.advance(10_000);
    expect(world.clickhouse.eventIds()).toEqual([]);
    expect(world.position()).toEqual({ newer: 'form' });
  });

  it('inserts what is committed, as one block within the linger, and moves its position', async () => {
    const world = createWorld();
    startProcess(world, 'a');
    await world.clock.advance(100);
    for (let i = 0; i < 3; i++) await world.commitEvents(2);
    await world.clock.advanceUntil(world.allIn, 1_000);
    expect(world.clickhouse.eventIds()).toEqual(world.expected);
    expect(world.clickhouse.blocks).toHaveLength(1);
    await world.clock.advance(50);
    expect(world.position()).toMatchObject({ sequence: 3 });
    expect(world.position()).not.toHaveProperty('intent');
  });

  it('inserts what comes after a quiet time at once, and what follows together after the interval', async () => {
    const world = createWorld();
    startProcess(world, 'a');
    await world.clock.advance(1_000);
    await world.commitEvents(1);
    await world.clock.advance(2 * SINK_LIMITS.sinkLingerMs);
    expect(world.clickhouse.blocks).toHaveLength(1);
    for (let i = 0; i < 4; i++) {
      await world.clock.advance(SINK_LIMITS.sinkIntervalMs / 8);
      await world.commitEvents(1);
    }
    expect(world.clickhouse.blocks).toHaveLength(1);
    await world.clock.advance(SINK_LIMITS.sinkIntervalMs / 2);
    expect(world.clickhouse.eventIds()).toEqual(world.expected);
    expect(world.clickhouse.blocks).toHaveLength(2);
  });

  it('pauses after a slow insert, and then inserts what came meanwhile', async () => {
    const world = createWorld();
    let slow: () => Promise<void> = () => Promise.resolve();
    const process = startProcess(world, 'a', { onInsert: () => slow() });
    await world.clock.advance(1_000);
    slow = () => new Promise((resolve) => void process.clock.timer(2 * SINK_LIMITS.sinkIntervalMs, resolve));
    await world.commitEvents(1);
    await world.clock.advance(2 * SINK_LIMITS.sinkLingerMs);
    await world.commitEvents(1);
    slow = () => Promise.resolve();
    await world.clock.advance(2 * SINK_LIMITS.sinkIntervalMs);
    expect(world.clickhouse.blocks).toHaveLength(1);
    await world.clock.advance(SINK_LIMITS.sinkPauseMs);
    expect(world.clickhouse.eventIds()).toEqual(world.expected);
  });

  it('reports erasures again when it takes the lease, because an earlier writer may have left some', async () => {
    const world = createWorld();
    const first = startProcess(world, 'a');
    await world.clock.advance(100);
    await world.commitEvents(1);
    await world.clock.advanceUntil(world.allIn, 2_000);
    first.kill();
    let reports = 0;
    startProcess(world, 'b', { onErasures: () => (reports += 1) });
    await world.clock.advance(100);
    expect(reports).toBe(0);
    await world.clock.advance(2 * SHARED_LIMITS.leaseMs);
    expect(reports).toBe(1);
  });

  it('continues after its wall clock was wrong for a moment without losing the lease', async () => {
    const world = createWorld();
    const process = startProcess(world, 'a');
    await world.clock.advance(100);
    await world.commitEvents(1);
    await world.clock.advanceUntil(world.allIn, 2_000);
    // Right after a renewal: the clock is right again long before the next one.
    process.clock.jumpWall(-60_000);
    await world.clock.advance(100);
    await world.commitEvents(1);
    await world.clock.advance(SINK_LIMITS.sinkIntervalMs);
    process.clock.jumpWall(60_000);
    await world.commitEvents(1);
    await world.clock.advanceUntil(world.allIn, 5_000);
    expect(world.clickhouse.eventIds()).toEqual(world.expected);
  });

  // Every write to the position and every insert is a step; the process dies before or after each of them, or its write
  // reaches the broker as it dies. More is committed before the next process starts, and none of it may join the old
  // block.
  const STEPS = 14;
  describe.each(['before', 'after', 'lose_ack', 'lose_request'] as const)('killed with a step %s', (moment) => {
    it.each(Array.from({ length: STEPS }, (_, step) => step))(
      'step %i: every fact is inserted once',
      async (killAt) => {
        let step = 0;
        let killNow: () => void = () => {};
        const strike = (now: boolean) => {
          if (step++ === killAt && now) killNow();
        };
        const world = createWorld({
          onBucketWrite({ client, bucket }) {
            if (client !== 'a' || bucket !== 'POSITIONS') return 'deliver';
            if (step++ !== killAt) return 'deliver';
            if (moment === 'before') {
              killNow();
              return 'lose_request';
            }
            if (moment === 'after') return 'lose_ack';
            return moment;
          },
        });
        const first = startProcess(world, 'a', {
          ...(moment === 'before' ? { before: () => strike(true) } : {}),
          ...(moment === 'before' ? {} : { after: () => strike(moment === 'after') }),
        });
        killNow = first.kill;
        await world.clock.advance(100);
        for (let i = 0; i < 4; i++) {
          await world.commitEvents(3);
          await world.clock.advance(SINK_LIMITS.sinkIntervalMs);
        }
        expect(step).toBeGreaterThan(killAt);
        first.kill();
        await world.commitEvents(5);
        startProcess(world, 'b');
        await world.clock.advanceUntil(world.allIn, 30_000);
        await world.clock.advance(1_000);
        expect(world.clickhouse.eventIds().toSorted()).toEqual(world.expected.toSorted());
        expect(world.position()).toMatchObject({ sequence: 5 });
      },
    );
  });

  it('repeats a stored intent exactly although more records wait', async () => {
    const world = createWorld();
    let killNow = () => {};
    const first = startProcess(world, 'a', { after: () => killNow() });
    killNow = first.kill;
    await world.clock.advance(100);
    await world.commitEvents(1);
    await world.commitEvents(1);
    await world.clock.advance(1_000);
    for (let i = 0; i < 3; i++) await world.commitEvents(1);
    startProcess(world, 'b');
    await world.clock.advanceUntil(world.allIn, 30_000);
    const [once, again, rest] = world.clickhouse.blocks;
    expect(again).toEqual(once);
    expect(once?.token).toMatch(/^events\/.+\/1-2$/);
    expect(rest?.token).toMatch(/^events\/.+\/3-5$/);
  });

  it('marks repeated inserts: after a failure, and of a stored intent', async () => {
    const world = createWorld();
    let killNow = () => {};
    const first = startProcess(world, 'a', { after: () => killNow() });
    killNow = first.kill;
    await world.clock.advance(100);
    let inserts = 0;
    world.clickhouse.fate = () => (inserts++ === 0 ? 'fail' : 'insert');
    await world.commitEvents(2);
    await world.clock.advanceUntil(world.allIn, 30_000);
    await world.commitEvents(1);
    startProcess(world, 'b');
    await world.clock.advanceUntil(world.allIn, 30_000);
    const place = { rows: 2, from: 1, to: 1 };
    expect(world.clickhouse.places).toMatchObject([
      { ...place, repeated: false },
      { ...place, repeated: true },
      { ...place, repeated: true },
      { rows: 1, from: 2, to: 2, repeated: false },
    ]);
  });

  it('keeps trying while ClickHouse is down, holding one batch, and then catches up in order', async () => {
    const world = createWorld();
    startProcess(world, 'a');
    await world.clock.advance(100);
    world.clickhouse.fate = () => 'fail';
    for (let i = 0; i < 50; i++) await world.commitEvents(1);
    await world.clock.advance(120_000);
    expect(world.clickhouse.rows).toHaveLength(0);
    world.clickhouse.fate = () => 'insert';
    await world.clock.advanceUntil(world.allIn, 20_000);
    expect(world.clickhouse.eventIds()).toEqual(world.expected);
  });

  it('never skips a block that ClickHouse refuses', async () => {
    const world = createWorld();
    startProcess(world, 'a');
    await world.clock.advance(100);
    world.clickhouse.fate = () => 'refuse';
    await world.commitEvents(1);
    await world.clock.advance(600_000);
    expect(world.position()).toMatchObject({ sequence: 0, intent: { from: 1, to: 1 } });
    world.clickhouse.fate = () => 'insert';
    await world.clock.advanceUntil(world.allIn, 20_000);
  });

  it('lets a second process wait, and hands over within seconds when the first one dies', async () => {
    const world = createWorld();
    const first = startProcess(world, 'a');
    await world.clock.advance(100);
    startProcess(world, 'b');
    await world.commitEvents(2);
    await world.clock.advanceUntil(world.allIn, 2_000);
    first.kill();
    await world.commitEvents(2);
    await world.clock.advanceUntil(world.allIn, 6_000);
    expect(world.clickhouse.eventIds()).toEqual(world.expected);
  });

  it('inserts nothing once its lease has run out', async () => {
    const world = createWorld();
    world.clickhouse.fate = () => 'fail';
    const cutOff = startProcess(world, 'a');
    await world.clock.advance(100);
    await world.commitEvents(1);
    await world.clock.advance(1_000);
    cutOff.log.disconnect();
    await world.clock.advance(10_000);
    world.clickhouse.fate = () => 'insert';
    await world.clock.advance(10_000);
    expect(world.clickhouse.blocks).toHaveLength(0);
    cutOff.log.reconnect();
    await world.clock.advanceUntil(world.allIn, 10_000);
  });

  describe('over a ClickHouse that has lost rows', () => {
    /** A world whose ClickHouse was restored to the first of two events, unless `lose` says otherwise. */
    async function restored(lose?: (clickhouse: FakeClickhouse) => void) {
      const world = createWorld();
      const first = startProcess(world, 'a');
      await world.clock.advance(100);
      await world.commitEvents(1);
      await world.clock.advanceUntil(world.allIn, 2_000);
      await world.clock.advance(100);
      const backup = world.clickhouse.confirmed;
      await world.commitEvents(1);
      await world.clock.advanceUntil(world.allIn, 2_000);
      await world.clock.advance(100);
      const whole = world.clickhouse.confirmed;
      (lose ?? ((clickhouse) => (clickhouse.confirmed = backup)))(world.clickhouse);
      return { world, first, whole, created: world.broker.stream('FACTS').bounds().created };
    }
    const handled = (world: ReturnType<typeof createWorld>) =>
      handledByAllSinks(world.producer, 'FACTS', world.broker.stream('FACTS').bounds().created);

    it('finds that at its start, writes nothing, lets nothing be trimmed, and goes on once it is restored', async () => {
      const { world, first, whole } = await restored();
      await first.writer.stop();
      world.broker
        .bucket('POSITIONS')
        .write('webhooks', world.broker.bucket('POSITIONS').get('clickhouse')?.value, undefined);
      startProcess(world, 'b');
      await world.commitEvents(1);
      await world.clock.advance(20_000);
      expect(world.clickhouse.eventIds()).toEqual(['e0', 'e1']);
      expect(world.position()).toMatchObject({ sequence: 2, confirmedTo: 2, lost: true });
      expect(await world.settle(handled(world))).toBe(0);
      world.clickhouse.confirmed = whole;
      await world.clock.advanceUntil(world.allIn, 20_000);
      await world.clock.advance(1_000);
      expect(world.clickhouse.eventIds()).toEqual(world.expected);
      expect(world.position()).toMatchObject({ sequence: 3, confirmedTo: 3 });
      expect(world.position()).not.toHaveProperty('lost');
    });

    it.each([
      ['an empty one', () => undefined],
      ['one of another FACTS', () => ({ createdMs: 1, sequence: 99 })],
    ])('takes %s for a loss too', async (_name, confirmed) => {
      const { world } = await restored((clickhouse) => (clickhouse.confirmed = confirmed()));
      await world.commitEvents(1);
      await world.clock.advance(10_000);
      expect(world.position()).toMatchObject({ sequence: 2, lost: true });
    });

    it('notices it when ClickHouse was restored while a block waited for it: no mark and no position moves', async () => {
      const { world } = await restored();
      const mark = { kind: 'SnapshotMark', partition: 0, coveredTo: 2, players: 1 } as const;
      void commit(world.producer, [aTrackedEvent({ eventId: 'e2' }), mark]);
      await world.clock.advance(10_000);
      expect(world.clickhouse.eventIds()).toEqual(['e0', 'e1', 'e2']);
      expect(world.position()).toMatchObject({ sequence: 2, intent: { from: 3, to: 3 }, lost: true });
      expect(world.broker.bucket('POSITIONS').get('rebuild.0')).toBeUndefined();
    });

    it('goes on from the position that an operator has set', async () => {
      const { world, created } = await restored((clickhouse) => {
        clickhouse.rows.splice(1);
        clickhouse.confirmed = { createdMs: clickhouse.confirmed?.createdMs ?? 0, sequence: 1 };
        clickhouse.forget();
      });
      await world.commitEvents(1);
      await world.clock.advance(10_000);
      expect(world.position()).toMatchObject({ lost: true });
      world.clickhouse.rows.splice(1);
      const position = { stream: created, sequence: 1, confirmedTo: 1 };
      world.broker.bucket('POSITIONS').write('clickhouse', encodeJson(position), undefined);
      await world.clock.advanceUntil(() => world.clickhouse.eventIds().length === 3, 20_000);
      await world.clock.advance(1_000);
      expect(world.clickhouse.eventIds()).toEqual(world.expected);
      expect(world.position()).toEqual({ stream: created, sequence: 3, confirmedTo: 3 });
    });

    it('checks nothing with a position that ClickHouse never confirmed, and notes what it holds from then on', async () => {
      const { world, first, created } = await restored((clickhouse) => (clickhouse.confirmed = undefined));
      await first.writer.stop();
      world.broker.bucket('POSITIONS').write('clickhouse', encodeJson({ stream: created, sequence: 2 }), undefined);
      startProcess(world, 'b');
      await world.commitEvents(1);
      await world.clock.advanceUntil(world.allIn, 10_000);
      await world.clock.advance(1_000);
      expect(world.position()).toEqual({ stream: created, sequence: 3, confirmedTo: 3 });
      expect(world.clickhouse.confirmed).toEqual({ createdMs: Date.parse(created), sequence: 3 });
    });
  });

  it('drops its batch when another writer has moved the position, and continues from there', async () => {
    const world = createWorld();
    startProcess(world, 'a');
    await world.clock.advance(100);
    await world.commitEvents(1);
    await world.clock.advanceUntil(world.allIn, 2_000);
    await world.clock.advance(100);
    const { created } = world.broker.stream('FACTS').bounds();
    await world.commitEvents(1);
    world.broker.bucket('POSITIONS').write('clickhouse', encodeJson({ stream: created, sequence: 2 }), undefined);
    await world.commitEvents(1);
    await world.clock.advance(3_000);
    expect(world.clickhouse.eventIds()).toEqual(['e0', 'e2']);
  });

  it('stores a rebuild mark after its snapshots are inserted, and never moves it back', async () => {
    const world = createWorld();
    world.clickhouse.fate = () => 'fail';
    startProcess(world, 'a');
    await world.clock.advance(100);
    const mark = (coveredTo: number) => ({ kind: 'SnapshotMark', partition: 0, coveredTo, players: 1 }) as const;
    const noted = () => {
      const entry = world.broker.bucket('POSITIONS').get('rebuild.0');
      return entry?.value === undefined ? undefined : decodeJson(entry.value);
    };
    void commit(world.producer, [aTrackedEvent(), mark(40)]);
    await world.clock.advance(10_000);
    expect(noted()).toBeUndefined();
    world.clickhouse.fate = () => 'insert';
    await world.clock.advance(10_000);
    expect(noted()).toMatchObject({ coveredTo: 40 });
    void commit(world.producer, [mark(30)]);
    await world.clock.advance(2_000);
    expect(noted()).toMatchObject({ coveredTo: 40 });
    expect(world.position()).toMatchObject({ sequence: 2 });
  });

  it('starts from the first record of a FACTS that was created anew', async () => {
    const world = createWorld();
    startProcess(world, 'a');
    await world.clock.advance(100);
    await world.commitEvents(1);
    await world.commitEvents(1);
    await world.clock.advanceUntil(world.allIn, 2_000);
    await world.clock.advance(1_000);
    world.broker.wipe('FACTS', 'new');
    await world.clock.advance(1_000);
    await world.commitEvents(1);
    await world.clock.advanceUntil(world.allIn, 10_000);
    expect(world.clickhouse.eventIds()).toEqual(world.expected);
  });

  it('continues from the first record of a FACTS that was trimmed beyond its position', async () => {
    const world = createWorld();
    for (let i = 0; i < 4; i++) await world.commitEvents(1);
    void world.producer.purgeBelow('FACTS', 3);
    await world.clock.advance(100);
    world.broker
      .bucket('POSITIONS')
      .write(
        'clickhouse',
        encodeJson({ stream: world.broker.stream('FACTS').bounds().created, sequence: 1 }),
        undefined,
      );
    startProcess(world, 'a');
    await world.clock.advance(3_000);
    expect(world.clickhouse.eventIds()).toEqual(['e2', 'e3']);
  });

  it('writes gathered records when it stops, and releases the lease', async () => {
    const world = createWorld();
    const first = startProcess(world, 'a');
    await world.clock.advance(1_000);
    await world.commitEvents(2);
    let stopped = false;
    void first.writer.stop().then(() => (stopped = true));
    await world.clock.advanceUntil(() => stopped, 1_000);
    expect(world.clickhouse.eventIds()).toEqual(world.expected);
    startProcess(world, 'b');
    await world.commitEvents(1);
    await world.clock.advanceUntil(world.allIn, 2_500);
  });

  it('stops within its bound although ClickHouse hangs', async () => {
    const world = createWorld();
    world.clickhouse.fate = () => 'fail';
    const first = startProcess(world, 'a');
    await world.clock.advance(1_000);
    await world.commitEvents(2);
    await world.clock.advance(1_000);
    let stopped = false;
    void first.writer.stop().then(() => (stopped = true));
    await world.clock.advanceUntil(() => stopped, 5_000);
    expect(world.position()).toMatchObject({ sequence: 0, intent: { from: 1, to: 1 } });
  });
});
