import { beforeEach, describe, expect, it } from 'vitest';
import { createBackbone, type Backbone, type BackboneNode } from '../../../test/support/servers/backbone.ts';
import {
  createMemoryConfigStore,
  type MemoryConfigStore,
} from '../../../test/support/in-memory/memory-config-store.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { PLAYER_LIMITS } from '../../decision/limits.ts';
import type { MemoryFaults } from '../../../streams/log/memory/log-memory.ts';
import { encodeCommands } from '../../../core/codec/codec.ts';
import { aCommand } from '../../testing-players.ts';
import { HUNGRY } from '../../conditions/testing-worst-commands.ts';
import { createLiveDefinitions } from '../definitions/live-definitions.ts';
import { readSegmentProgress } from './segment-progress.ts';

const DAY_MS = 86_400_000;
const LIVE = { game: 'demo', environment: 'live', segmentId: 's' } as const;

describe('segments of the players of a partition', () => {
  let config: MemoryConfigStore;
  let world: Backbone;
  const faults: MemoryFaults = {};
  beforeEach(() => {
    delete faults.onAppend;
    delete faults.leaderInMs;
    config = createMemoryConfigStore();
    world = createBackbone({ partitions: 2, faults, definitions: createLiveDefinitions(config, silentLogger) });
  });

  const address = (key: string) => ({ game: 'demo', environment: 'live', kind: 'segment', key }) as const;
  async function define(id: string, conditions: JsonObject): Promise<number> {
    const texts = { id, key: `key-${id}`, name: id, description: '' };
    const written = await config.put(address(id), { ...texts, conditions, createdAt: 0, updatedAt: 0, version: 1 });
    return written.kind === 'written' ? written.entry.revision : 0;
  }
  /** The fake clock ends the wait if it never comes. */
  async function swept(node: BackboneNode, revision: number) {
    const progress = () => world.complete(readSegmentProgress(node.log, world.partitions, { ...LIVE, revision }));
    for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 100) {
      const found = await progress();
      if (found.done) return found;
      await world.clock.advance(100);
    }
    throw new Error('the sweep does not end');
  }
  /** The owner of a player ends, and an edit makes the player a member. */
  async function editWithoutOwner(): Promise<number> {
    await define('s', { 'attributes.level': 1 });
    const first = await world.lead('a');
    await world.register(first, 'p', { attributes: '{"level":2}' });
    await world.clock.advance(3_000);
    first.kill();
    return define('s', { 'attributes.level': 2 });
  }
  const members = (kind: 'SegmentEntered' | 'SegmentExited') =>
    world.facts(kind).map(({ entityId, segmentId }) => `${segmentId} ${entityId}`);

  it('change once, in the record of the causing command', async () => {
    await define('s', { 'events.win.count_1d': { $gte: 2 } });
    const node = await world.lead('a');
    await world.register(node, 'p');
    for (let i = 0; i < 4; i++) await world.track(node, 'p', 'win');
    const kinds = world.records().map(({ record }) => record.facts.map(({ kind }) => kind));
    const changing = kinds.filter((facts) => facts.includes('SegmentEntered'));
    expect(changing).toEqual([['EventTracked', 'SegmentEntered']]);
    expect(members('SegmentEntered')).toEqual(['s p']);
  });

  it('change on time with no request: a window ends, minutes after midnight', async () => {
    // A minute before midnight: a day of the owner's timers takes seconds.
    const sinceMidnightMs = world.clock.wallMs() % DAY_MS;
    world.clock.jumpWall(DAY_MS - sinceMidnightMs - 60_000);
    await define('s', { 'events.win.count_1d': { $gte: 1 } });
    const node = await world.lead('a');
    await world.register(node, 'p');
    await world.track(node, 'p', 'win');
    expect(members('SegmentEntered')).toEqual(['s p']);
    const midnight = (Math.floor(world.clock.wallMs() / DAY_MS) + 1) * DAY_MS;
    await world.clock.advance(midnight + PLAYER_LIMITS.segmentJitterMs + 5_000 - world.clock.wallMs());
    const [exit] = world.facts('SegmentExited');
    expect(exit?.at).toBeGreaterThanOrEqual(midnight);
    expect(exit?.at).toBeLessThan(midnight + PLAYER_LIMITS.segmentJitterMs);
    expect(world.facts('SegmentsScheduled').at(-1)?.dueAt).toBe(0);
  });

  it('are all evaluated after an edit, also players only in memory, and counted', async () => {
    const node = await world.lead('a');
    const ids = Array.from({ length: 40 }, (_, index) => `p${index}`);
    for (const id of ids) await world.register(node, id, { attributes: `{"level":${id.slice(1)}}` });
    await world.clock.advance(3_000);
    await world.register(node, 'late', { attributes: '{"level":39}' });
    const revision = await define('s', { 'attributes.level': { $gte: 30 } });
    expect(await swept(node, revision)).toMatchObject({ evaluated: 41, total: 41, done: true, overBudget: 0 });
    expect(members('SegmentEntered').toSorted()).toEqual([...ids.slice(30), 'late'].map((id) => `s ${id}`).toSorted());
    const edited = await define('s', { 'attributes.level': { $gte: 35 } });
    await swept(node, edited);
    expect(members('SegmentExited').toSorted()).toEqual(ids.slice(30, 35).map((id) => `s ${id}`));
    await config.delete(address('s'));
    await swept(node, config.revision);
    expect(members('SegmentExited')).toHaveLength(11);
    expect(world.facts('SegmentExited').at(-1)).toMatchObject({ segmentKey: 'key-s' });
    expect(world.facts('SegmentEntered')).toHaveLength(11);
  });

  it('are counted only for the requested game and environment', async () => {
    const node = await world.lead('a');
    for (const id of ['a', 'b', 'c']) await world.register(node, id);
    for (const id of ['d', 'e']) await world.register(node, id, { environment: 'test' });
    await world.clock.advance(3_000);
    const revision = await define('s', { 'attributes.level': { $gte: 30 } });
    expect(await swept(node, revision)).toMatchObject({ evaluated: 3, total: 3, done: true, overBudget: 0 });
    const of = (game: string, environment: 'live' | 'test') =>
      world.complete(readSegmentProgress(node.log, 2, { game, environment, segmentId: 's', revision }));
    expect(await of('demo', 'test')).toMatchObject({ evaluated: 2, total: 2, done: true });
    expect(await of('another', 'live')).toMatchObject({ evaluated: 0, total: 0, done: true });
  });

  it('for whom the condition exceeded its budget are counted', async () => {
    const node = await world.lead('a');
    const long = JSON.stringify({ a: Array.from({ length: 15 }, () => 'ab'.repeat(512)) });
    await world.register(node, 'a', { attributes: long });
    await world.register(node, 'b', { attributes: long });
    await world.register(node, 'c', { attributes: '{"a":["ab!"]}' });
    await world.clock.advance(3_000);
    const revision = await define('s', { 'attributes.a': { $elemMatch: { $regex: HUNGRY } } });
    expect(await swept(node, revision)).toMatchObject({ evaluated: 3, total: 3, done: true, overBudget: 2 });
    expect(members('SegmentEntered')).toEqual(['s c']);
  });

  it('are evaluated again after a take-over: an edit may have come without an owner', async () => {
    const revision = await editWithoutOwner();
    const next = await world.lead('b');
    await swept(next, revision);
    expect(members('SegmentEntered')).toEqual(['s p']);
  });

  it('are evaluated after a take-over although only expired commands waited, and no request comes', async () => {
    const revision = await editWithoutOwner();
    const expired = aCommand({ kind: 'PatchPlayer', playerId: 'p' }, { deadlineAt: world.clock.wallMs() });
    for (const subject of ['requests.0', 'requests.1'])
      await world.complete(world.broker.connect().append(subject, encodeCommands([expired])));
    // The sweep is ready before the owner reads them.
    const readableMs = world.clock.monotonicMs() + 15_000;
    faults.leaderInMs = (source, _client, use) =>
      source === 'REQUESTS' && use === 'consume' ? Math.max(0, readableMs - world.clock.monotonicMs()) : 0;
    const next = world.start('b');
    await swept(next, revision);
    expect(members('SegmentEntered')).toEqual(['s p']);
  });

  it('are evaluated although records of the sweep are lost at first', async () => {
    const node = await world.lead('a');
    const ids = Array.from({ length: 20 }, (_, index) => `p${index}`);
    for (const id of ids) await world.register(node, id);
    await world.clock.advance(3_000);
    let lost = 0;
    faults.onAppend = ({ stream }) => (stream === 'FACTS' && lost++ < 3 ? 'lose_request' : 'deliver');
    const revision = await define('s', { is_payer: false });
    await swept(node, revision);
    expect(lost).toBeGreaterThan(3);
    expect(members('SegmentEntered').toSorted()).toEqual(ids.map((id) => `s ${id}`).toSorted());
  });

  it('of a service without any cost no sweep', async () => {
    const node = await world.lead('a');
    await world.register(node, 'p');
    await world.clock.advance(10_000);
    expect(await world.complete(readSegmentProgress(node.log, 2, { ...LIVE, revision: 0 }))).toMatchObject({
      evaluated: 0,
      total: 0,
      done: false,
      overBudget: 0,
    });
    expect(world.broker.bucket('POSITIONS').get('segments.0')).toBeUndefined();
  });
});
