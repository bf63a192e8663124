import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBackbone, snapshotsOf, type Backbone } from '../../../test/support/servers/backbone.ts';
import { FACTS_LIMITS } from '../../../streams/facts/limits.ts';
import { OWNER_LIMITS } from '../limits.ts';
import { SHARED_LIMITS } from '../../../core/kernel/limits.ts';
import type { MemoryFaults } from '../../../streams/log/memory/log-memory.ts';

const P1 = 'player-1';
const DAY_MS = 86_400_000;

describe('the owner of a partition', () => {
  let world: Backbone;
  const faults: MemoryFaults = {};
  beforeEach(() => {
    delete faults.onAppend;
    world = createBackbone({ faults });
  });

  it('answers a write once its facts are in FACTS, and a read from its state', async () => {
    const node = await world.lead('a');
    expect(await world.register(node, P1, { attributes: '{"level":3}' })).toMatchObject({
      kind: 'player',
      created: true,
    });
    expect(world.facts('PlayerRegistered')).toHaveLength(1);
    expect(await world.track(node, P1, 'level_up')).toMatchObject({ results: [{ status: 'accepted' }] });
    expect(world.facts('EventTracked')).toMatchObject([{ eventName: 'level_up', entityId: P1 }]);
    expect(await world.read(node, P1)).toMatchObject({ kind: 'player', player: { attributes: '{"level":3}' } });
  });

  it('gathers the commands of messages that follow each other closely into one record', async () => {
    const node = await world.lead('a');
    const gateways = [node, ...['b', 'c', 'd'].map((name) => world.start(name))];
    await world.clock.advance(1_000);
    const before = world.records().length;
    const factCounts = (): number[] =>
      world
        .records()
        .slice(before)
        .map(({ record }) => record.facts.length);
    for (const [i, { commandClient }] of gateways.entries()) {
      const body = { kind: 'RegisterPlayer', playerId: `p${i}`, externalId: `e${i}`, createOnly: false } as const;
      const origin = { game: 'demo', environment: 'live', receivedAt: world.clock.wallMs() } as const;
      void commandClient.send(origin, `p${i}`, { ...body, byClientKey: false });
      await world.clock.advance(OWNER_LIMITS.commitSpacingMs / 4);
      expect(factCounts()).toEqual(i < 3 ? [1] : [1, 3]);
    }
  });

  it('reports how many players are in memory and how many wait for a snapshot', async () => {
    const node = await world.lead('a');
    await world.register(node, P1);
    await world.clock.advance(OWNER_LIMITS.storeFlushMs);
    expect(await node.metrics.text()).toMatch(
      /owner_hot_players\{partition="0"\} 1\n[^]*owner_snapshots_waiting\{.*\} 1\n/,
    );
    await world.clock.advance(OWNER_LIMITS.firstSnapshotMs + OWNER_LIMITS.storeFlushMs);
    expect(await node.metrics.text()).toContain('owner_snapshots_waiting{partition="0"} 0\n');
    await world.complete(node.actors.stop());
    expect(await node.metrics.text()).not.toContain('owner_hot_players{');
  });

  it('begins a term with a barrier whose sequence is the epoch', async () => {
    const node = await world.lead('a');
    await world.register(node, P1);
    const [barrier, first] = world.records();
    expect(barrier?.record).toMatchObject({ epoch: 0, facts: [] });
    expect(first?.record.epoch).toBe(barrier?.sequence);
  });

  it('answers a repeat of an Idempotency-Key as the first time and changes nothing', async () => {
    const node = await world.lead('a');
    const send = (bodyHash: string) =>
      world.complete(
        node.commandClient.send({ game: 'demo', environment: 'live', receivedAt: world.clock.wallMs() }, P1, {
          kind: 'RegisterPlayer',
          playerId: P1,
          externalId: 'e',
          createOnly: false,
          byClientKey: false,
          idempotency: { key: 'k', bodyHash },
        }),
      );
    const first = await send('h1');
    const again = await send('h1');
    expect(again).toEqual({ ...first, replayed: true });
    expect(world.facts('PlayerRegistered')).toHaveLength(1);
    expect(await send('h2')).toMatchObject({ kind: 'failure', code: 'CONFLICT' });
  });

  it('is replaced after kill -9 by a node with an empty disk, which folds FACTS', async () => {
    const first = await world.lead('a');
    await world.register(first, P1);
    await world.track(first, P1, 'e1', 'id-1');
    first.kill();
    const second = await world.lead('b');
    expect(await world.read(second, P1)).toMatchObject({ player: { externalId: `ext-${P1}` } });
    expect(await world.track(second, P1, 'e1', 'id-1')).toMatchObject({ results: [{ status: 'duplicate' }] });
    expect(world.facts('EventTracked')).toHaveLength(1);
  });

  it('restarts at once on its own disk without waiting for its old lease', async () => {
    const first = await world.lead('a');
    await world.register(first, P1);
    await world.clock.advance(1_000);
    first.kill();
    const beganMs = world.clock.monotonicMs();
    const second = await world.lead('a', { stores: first.stores, incarnation: '2' });
    expect(world.clock.monotonicMs() - beganMs).toBeLessThan(SHARED_LIMITS.leaseMs);
    expect(await world.read(second, P1)).toMatchObject({ kind: 'player' });
  });

  it('decides each command once, also after a restart in the middle of a message', async () => {
    const first = await world.lead('a');
    await world.register(first, P1);
    for (let i = 0; i < 5; i++) await world.track(first, P1, `e${i}`);
    first.kill();
    const second = await world.lead('a', { stores: first.stores, incarnation: '2' });
    await world.track(second, P1, 'e5');
    expect(world.facts('EventTracked').map((fact) => fact.eventName)).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e5']);
  });

  it.each(['new', 'same'] as const)('continues when REQUESTS is created anew (%s creation)', async (creation) => {
    const node = await world.lead('a');
    await world.register(node, P1);
    await world.track(node, P1, 'before');
    world.broker.wipe('REQUESTS', creation);
    await world.clock.advance(2_000);
    expect(await world.track(node, P1, 'after')).toMatchObject({ results: [{ status: 'accepted' }] });
    node.kill();
    const next = await world.lead('a', { stores: node.stores, incarnation: '2' });
    expect(await world.track(next, P1, 'later')).toMatchObject({ results: [{ status: 'accepted' }] });
    expect(world.facts('EventTracked').map((fact) => fact.eventName)).toEqual(['before', 'after', 'later']);
  });

  it('recognises its own append after a lost acknowledgement, and answers', async () => {
    const node = await world.lead('a');
    await world.register(node, P1);
    let lost = 0;
    faults.onAppend = ({ stream }) => (stream === 'FACTS' && lost++ === 0 ? 'lose_ack' : 'deliver');
    expect(await world.track(node, P1, 'once')).toMatchObject({ results: [{ status: 'accepted' }] });
    expect(lost).toBeGreaterThan(1);
    expect(world.facts('EventTracked')).toHaveLength(1);
    expect(world.facts('EventTracked')[0]?.eventName).toBe('once');
  });

  it('neither writes nor answers after another owner has taken over during a pause', async () => {
    const old = await world.lead('a');
    await world.register(old, P1);
    old.clock.pause();
    const next = await world.lead('b');
    await world.track(next, P1, 'by-b');
    old.clock.resume();
    await world.clock.advance(5_000);
    const epochs = world.records().map(({ sequence, record }) => record.epoch || sequence);
    expect(epochs).toEqual([...epochs].sort((a, b) => a - b));
    expect(await world.track(next, P1, 'by-b-again')).toMatchObject({ results: [{ status: 'accepted' }] });
    expect(await world.track(old, P1, 'through-a')).toMatchObject({ results: [{ status: 'accepted' }] });
    expect(world.facts('EventTracked').map((fact) => fact.eventName)).toEqual(['by-b', 'by-b-again', 'through-a']);
  });

  it('answers 503 while FACTS is full, and writes again after a trim', async () => {
    world = createBackbone({ faults, streams: { FACTS: { maxBytes: 3_000 } } });
    const node = await world.lead('a');
    await world.register(node, P1);
    let refused = 0;
    for (let i = 0; i < 20 && refused === 0; i++) {
      const reply = await world.track(node, P1, `e${i}`, `id-${i}`);
      if (reply.kind === 'failure') refused += reply.code === 'SERVICE_UNAVAILABLE' ? 1 : 0;
    }
    expect(refused).toBe(1);
    expect(await world.read(node, P1)).toMatchObject({ kind: 'player' });
    const { lastSequence } = world.broker.stream('FACTS').bounds();
    world.broker.stream('FACTS').purgeBelow(lastSequence);
    await world.clock.advance(FACTS_LIMITS.factsPollMs);
    expect(await world.track(node, P1, 'room')).toMatchObject({ results: [{ status: 'accepted' }] });
  });

  it('commits a record before replies without facts after a refused write, so no owner contradicts it', async () => {
    const first = await world.lead('a', { publishes: true });
    const facts = world.broker.stream('FACTS');
    Object.assign(facts.definition, { maxBytes: facts.bounds().sizeBytes });
    expect(await world.register(first, P1)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    // The owner has passed the registration over; its successor, with room in FACTS again, may well decide it.
    const reply = await world.track(first, P1, 'e1');
    first.kill();
    Object.assign(facts.definition, { maxBytes: 1_000_000 });
    const second = await world.lead('a', { stores: first.stores, incarnation: '2' });
    expect(await world.read(second, P1)).toMatchObject({ kind: 'player' });
    expect(reply).toMatchObject({ kind: 'failure', code: 'SERVICE_UNAVAILABLE' });
  });

  it('skips a command past its deadline', async () => {
    const first = await world.lead('a');
    await world.register(first, P1);
    first.actors.stop().catch(() => {});
    await world.clock.advance(100);
    const late = world.track(first, P1, 'late');
    expect(await late).toMatchObject({ kind: 'failure', code: 'SERVICE_UNAVAILABLE' });
    const next = await world.lead('b');
    await world.track(next, P1, 'in time');
    expect(world.facts('EventTracked').map((fact) => fact.eventName)).toEqual(['in time']);
  });

  it('makes a new player active at the end of its first day, once and on time, also after a downtime', async () => {
    const first = await world.lead('a');
    await world.register(first, P1);
    const bornAt = world.facts('PlayerRegistered')[0]?.at ?? 0;
    await world.clock.advance(1_000);
    first.kill();
    await world.clock.advance(2 * DAY_MS);
    const second = await world.lead('a', { stores: first.stores, incarnation: '2' });
    await world.clock.advance(2_000);
    expect(world.facts('LifecycleChanged')).toMatchObject([
      { from: 'new', to: 'active', changedAt: bornAt + DAY_MS, at: bornAt + DAY_MS },
    ]);
    expect(await world.read(second, P1)).toMatchObject({ player: { lifecycleStage: 'active' } });
  });

  it('snapshots a new player soon, a changed one within a minute, and marks the covered sequence', async () => {
    const node = await world.lead('a');
    await world.register(node, P1);
    await world.clock.advance(OWNER_LIMITS.firstSnapshotMs + 1_000);
    expect(world.facts('EntitySnapshot')).toHaveLength(1);
    await world.track(node, P1, 'e');
    await world.track(node, P1, 'e');
    await world.clock.advance(OWNER_LIMITS.snapshotIntervalMs / 2);
    expect(world.facts('EntitySnapshot')).toHaveLength(1);
    await world.clock.advance(OWNER_LIMITS.snapshotIntervalMs / 2 + 1_000);
    const snapshots = world.facts('EntitySnapshot');
    expect(snapshots).toHaveLength(2);
    const lastEvent = world
      .records()
      .findLast(({ record }) => record.facts.some((fact) => fact.kind === 'EventTracked'));
    expect(snapshots[1]?.state.lastSeq).toBe(lastEvent?.sequence);
    const mark = world.facts('SnapshotMark').at(-1);
    expect(mark?.coveredTo).toBeGreaterThanOrEqual(lastEvent?.sequence ?? 0);
    const { lastSequence } = world.broker.stream('FACTS').bounds();
    await world.clock.advance(10 * OWNER_LIMITS.snapshotIntervalMs);
    expect(world.broker.stream('FACTS').bounds().lastSequence).toBe(lastSequence);
  });

  it('is rebuilt on an empty node from snapshots and the suffix of FACTS', async () => {
    const first = await world.lead('a');
    await world.register(first, P1, { attributes: '{"a":1}' });
    await world.clock.advance(OWNER_LIMITS.firstSnapshotMs + 1_000);
    await world.track(first, P1, 'after the snapshot', 'id-9');
    const states = world.facts('EntitySnapshot').map((fact) => fact.state);
    const mark = world.facts('SnapshotMark').at(-1);
    const { created } = world.broker.stream('FACTS').bounds();
    const covered = { stream: created, coveredTo: mark?.coveredTo, confirmedTo: 0, players: 0 };
    const value = new TextEncoder().encode(JSON.stringify(covered));
    await first.log.bucket('POSITIONS').put('rebuild.0', value);
    world.broker.stream('FACTS').purgeBelow((mark?.coveredTo ?? 0) + 1);
    first.kill();
    const second = await world.lead('b', { source: snapshotsOf(states) });
    expect(await world.read(second, P1)).toMatchObject({ player: { attributes: '{"a":1}' } });
    expect(await world.track(second, P1, 'x', 'id-9')).toMatchObject({ results: [{ status: 'duplicate' }] });
  });

  it('appends a record with a mark after an idle hour, so that FACTS can be trimmed', async () => {
    const node = await world.lead('a');
    await world.register(node, P1);
    await world.clock.advance(OWNER_LIMITS.firstSnapshotMs + 5_000);
    const before = world.records().length;
    await world.clock.advance(OWNER_LIMITS.idleRecordMs + 1_000);
    const added = world.records().slice(before);
    const coveredTo = world.records().at(before - 1)?.sequence;
    expect(added.map(({ record }) => record.facts)).toEqual([
      [{ kind: 'SnapshotMark', partition: 0, coveredTo, players: 1 }],
    ]);
  });
});

describe('two processes', () => {
  let world: Backbone;
  beforeEach(() => {
    world = createBackbone({ partitions: 8 });
  });
  afterEach(() => {
    expect(new Set(world.records().map(({ record }) => record.partition)).size).toBe(8);
  });

  it('share the partitions, and the remaining one takes them all', async () => {
    const a = await world.lead('a');
    expect(a.actors.led).toBe(8);
    const b = world.start('b');
    await world.clock.advance(30_000);
    expect(a.actors.led).toBeGreaterThan(0);
    expect(b.actors.led).toBeGreaterThan(0);
    expect(a.actors.led + b.actors.led).toBe(8);
    a.kill();
    await world.clock.advance(30_000);
    expect(b.actors.led).toBe(8);
  });
});

describe('replies', () => {
  it('reach the gateway of the same process without a message, and another one by message', async () => {
    const world = createBackbone();
    const owner = await world.lead('a');
    const other = world.start('b');
    expect(await world.register(owner, P1)).toMatchObject({ kind: 'player' });
    expect(await world.read(other, P1)).toMatchObject({ kind: 'player' });
    expect(await world.track(other, P1, 'through b')).toMatchObject({ results: [{ status: 'accepted' }] });
  });
});
