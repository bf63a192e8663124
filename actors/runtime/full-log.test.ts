import { beforeEach, describe, expect, it } from 'vitest';
import { partitionOf } from '../../core/kernel/partition.ts';
import { OWNER_LIMITS } from './limits.ts';
import { SERVICE_LIMITS } from '../../src/parts/limits.ts';
import { decodeCommit, encodeJson } from '../../core/codec/codec.ts';
import { startFactsTrimmer } from '../../streams/facts/facts-trimmer.ts';
import { sinksOf } from '../../streams/positions/sink-registry.ts';
import { createBackbone, snapshotsOf, type Backbone, type BackboneNode } from '../../test/support/servers/backbone.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';

const MAX_BYTES = 400_000;
const PARTITIONS = 2;
const FILL_EVENTS = 2_100;
const idIn = (partition: number): string => {
  for (let i = 0; ; i++) if (partitionOf(`player-${i}`, PARTITIONS) === partition) return `player-${i}`;
};
const P0 = idIn(0);
const P1 = idIn(1);
/** The subject of another writer. */
const JUNK = 'facts.9';
const LONG_NAME = 'e'.repeat(1_000);

describe('a FACTS that is full for commands', () => {
  let world: Backbone;
  /** Partitions whose marks reach POSITIONS. */
  let marked: Set<number>;
  let handledEvents: number;
  beforeEach(() => {
    world = createBackbone({ partitions: PARTITIONS, streams: { FACTS: { maxBytes: MAX_BYTES } } });
    marked = new Set([0, 1]);
    handledEvents = 0;
  });

  const bounds = () => world.broker.stream('FACTS').bounds();

  /** Stands in for the sinks: everything is handled and every mark stored half a second after its record. */
  function handle(node: BackboneNode): void {
    let handledTo = 0;
    const marks = new Map<number, number>();
    const positions = node.log.bucket('POSITIONS');
    const step = (): void => {
      const { created, lastSequence } = bounds();
      for (const sink of sinksOf('FACTS'))
        void positions.put(sink, encodeJson({ stream: created, sequence: lastSequence }));
      for (let sequence = handledTo + 1; sequence <= lastSequence; sequence++) {
        const stored = world.broker.stream('FACTS').get(sequence);
        const facts = stored === undefined || stored.subject === JUNK ? [] : decodeCommit(stored.data).facts;
        handledEvents += facts.filter(({ kind }) => kind === 'EventTracked').length;
        for (const fact of facts) if (fact.kind === 'SnapshotMark') marks.set(fact.partition, fact.coveredTo);
      }
      for (const [partition, coveredTo] of marks) {
        if (!marked.has(partition)) continue;
        void positions.put(
          `rebuild.${partition}`,
          encodeJson({ stream: created, coveredTo, confirmedTo: 0, players: 0 }),
        );
      }
      handledTo = lastSequence;
      node.clock.timer(500, step);
    };
    step();
    startFactsTrimmer({
      log: node.log,
      clock: node.clock,
      partitions: PARTITIONS,
      holder: `${node.name}.1`,
      retentionMs: SERVICE_LIMITS.factsRetentionMs,
      room: node.room,
      logger: silentLogger,
    });
  }

  async function lead(name: string, options?: Parameters<Backbone['lead']>[1]): Promise<BackboneNode> {
    const node = await world.lead(name, options);
    handle(node);
    return node;
  }

  /** Sends 20 events a second until FACTS refuses them, at most `FILL_EVENTS`. Returns whether it did. */
  async function fill(node: BackboneNode, player: string, name = LONG_NAME): Promise<boolean> {
    let refused = 0;
    for (let i = 0; i < FILL_EVENTS && refused < 50; i++) {
      const reply = await world.track(node, player, name);
      refused = reply.kind === 'failure' ? refused + 1 : 0;
      await world.clock.advance(50);
    }
    return refused > 0;
  }

  it('never comes about where everything is passed, although traffic fills it ten times over', async () => {
    const node = await lead('a');
    await world.register(node, P0);
    await world.register(node, P1);
    for (let filled = 0; filled < 2; filled++) expect(await fill(node, P0)).toBe(false);
    await world.clock.advance(1_000);
    // Sinks have each event once.
    expect(handledEvents).toBe(2 * FILL_EVENTS);
    expect(handledEvents * LONG_NAME.length).toBeGreaterThan(10 * MAX_BYTES);
    expect(bounds().sizeBytes).toBeLessThan(MAX_BYTES);
    // The partition without traffic wrote marks, too: its record would otherwise have kept all others.
    expect(bounds().firstSequence).toBeGreaterThan(bounds().lastSequence / 2);
  });

  it('refuses commands with facts, answers those without and reads, and keeps its reserve', async () => {
    marked = new Set();
    const node = await lead('a');
    await world.register(node, P0);
    await world.track(node, P0, 'first', 'id-1');
    expect(await fill(node, P0)).toBe(true);
    const { sizeBytes, lastSequence } = bounds();
    expect(await world.read(node, P0)).toMatchObject({ kind: 'player' });
    expect(await world.track(node, P0, 'first', 'id-1')).toMatchObject({ results: [{ status: 'duplicate' }] });
    expect(await world.track(node, 'nobody', 'e')).toMatchObject({ results: [{ status: 'rejected' }] });
    for (let i = 0; i < 200; i++) {
      await world.clock.advance(30);
      expect(await world.track(node, P0, LONG_NAME)).toMatchObject({ kind: 'failure', code: 'SERVICE_UNAVAILABLE' });
      await world.track(node, P0, 'first', 'id-1');
    }
    // Records for positions alone are at most one a second.
    expect(bounds().lastSequence - lastSequence).toBeLessThan(20);
    expect(bounds().sizeBytes - sizeBytes).toBeLessThan(20_000);
    expect(await node.metrics.text()).toMatch(/owner_commands_without_room_total 25\d/);
  });

  it('is taken over, read, and trimmed when a partition that had no owner gets one', async () => {
    // Without an owner, no mark of partition 1 follows.
    marked = new Set([0]);
    const first = await lead('a');
    await world.register(first, P0);
    await world.register(first, P1);
    await world.track(first, P1, 'kept', 'id-1');
    await world.clock.advance(OWNER_LIMITS.firstSnapshotMs + 2_000);
    expect(await fill(first, P0)).toBe(true);
    // Small records take what large ones left: without a reserve not even a barrier would fit.
    expect(await fill(first, P0, 'e')).toBe(true);
    expect(bounds().firstSequence).toBe(1);
    first.kill();
    marked = new Set([0, 1]);
    const states = world.facts('EntitySnapshot').map((fact) => fact.state);
    const second = await lead('b', { source: snapshotsOf(states) });
    expect(await world.read(second, P1)).toMatchObject({ kind: 'player' });
    await world.clock.advance(5_000);
    expect(await world.track(second, P0, 'again')).toMatchObject({ results: [{ status: 'accepted' }] });
    expect(await world.track(second, P1, 'kept', 'id-1')).toMatchObject({ results: [{ status: 'duplicate' }] });
  });

  it('recovers by itself when another writer has used up the reserve and left room for a small record', async () => {
    marked = new Set([1]);
    const node = await lead('a');
    await world.register(node, P0);
    expect(await fill(node, P0)).toBe(true);
    for (;;) {
      const rest = MAX_BYTES - bounds().sizeBytes - 3_000;
      if (rest <= 0) break;
      const outcome = node.log.append(JUNK, new Uint8Array(Math.min(rest, 50_000)));
      await world.complete(outcome);
    }
    marked = new Set([0, 1]);
    await world.clock.advance(30_000);
    expect(await world.track(node, P0, 'again')).toMatchObject({ results: [{ status: 'accepted' }] });
  });
});
