import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../core/kernel/days.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { COMPUTED_LIMITS } from '../properties/limits.ts';
import { OWNER_LIMITS } from './limits.ts';
import { PLAYER_LIMITS } from '../decision/limits.ts';
import { createBackbone, type Backbone, type BackboneNode } from '../../test/support/servers/backbone.ts';
import { createMemoryConfigStore, type MemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { encodeCommit } from '../../core/codec/codec.ts';
import type { PropertyDocument } from '../../core/vocabulary/documents/documents.ts';
import { createLiveDefinitions } from './definitions/live-definitions.ts';

const STUCK = {
  events: { name: 'level_failed', where: { 'properties.level': 3 }, within_days: 7, count: { $gte: 2 } },
};

describe('conditions on properties of events', () => {
  let config: MemoryConfigStore;
  let world: Backbone;
  let node: BackboneNode;
  let events = 0;

  beforeEach(async () => {
    config = createMemoryConfigStore();
    world = createBackbone({ definitions: createLiveDefinitions(config, silentLogger) });
    // A minute before midnight: a day of the owner's timers takes seconds.
    world.clock.jumpWall(DAY_MS - (world.clock.wallMs() % DAY_MS) - 60_000);
    node = await world.lead('a');
    await world.register(node, 'p');
  });

  async function define(id: string, conditions: JsonObject): Promise<void> {
    const texts = { id, key: id, name: id, description: '' };
    const address = { game: 'demo', environment: 'live', kind: 'segment', key: id } as const;
    await config.put(address, { ...texts, conditions, createdAt: 0, updatedAt: 0, version: 1 });
  }

  async function name(key: string, content: Partial<PropertyDocument>): Promise<void> {
    const address = { game: 'demo', environment: 'live', kind: 'property', key } as const;
    const base = { key, name: key, description: '', event: 'bought', where: null, withinDays: null, value: null };
    await config.put(address, { ...base, aggregate: 'count', createdAt: 0, updatedAt: 0, version: 1, ...content });
  }

  async function track(eventName: string, properties: JsonObject, on = node): Promise<void> {
    events += 1;
    const item = {
      index: 0,
      playerId: 'p',
      eventId: `e-${events}`,
      remember: false,
      eventName,
      properties: JSON.stringify(properties),
      sessionId: null,
      timestamp: world.clock.wallMs(),
    };
    const origin = { game: 'demo', environment: 'live', receivedAt: world.clock.wallMs() } as const;
    await world.complete(on.commandClient.send(origin, 'p', { kind: 'TrackEvents', items: [item] }));
  }

  const kinds = () => world.records().map(({ record }) => record.facts.map(({ kind }) => kind));
  const entries = () => world.facts('SegmentEntered').map(({ segmentId }) => segmentId);
  const exits = () => world.facts('SegmentExited').map(({ segmentId }) => segmentId);

  it('hold with the event that makes them true, and end when its day leaves the window, without a request', async () => {
    await define('stuck', STUCK);
    await track('level_failed', { level: 3 });
    await track('level_failed', { level: 4 });
    await track('level_failed', { text: 3 });
    await track('won', { level: 3 });
    expect(entries()).toEqual([]);
    await track('level_failed', { level: 3 });
    expect(kinds().at(-1)).toEqual(['EventTracked', 'SegmentEntered']);
    const midnight = (Math.floor(world.clock.wallMs() / DAY_MS) + 1) * DAY_MS;
    world.clock.jumpWall(6 * DAY_MS);
    await world.clock.advance(midnight + 6 * DAY_MS - world.clock.wallMs() - 1_000);
    expect(exits()).toEqual([]);
    await world.clock.advance(PLAYER_LIMITS.segmentJitterMs + 10_000);
    expect(exits()).toEqual(['stuck']);
    expect(world.facts('SegmentsScheduled').at(-1)?.dueAt).toBe(0);
  });

  it('begin in the record before the first event, and concern no other event', async () => {
    await define('stuck', STUCK);
    await track('level_failed', { level: 3 });
    await track('won', {});
    const [began, placed] = world.facts('PropertiesChanged');
    expect(began?.began).toHaveLength(1);
    const record = world
      .records()
      .find(({ record: { facts } }) => facts.some(({ kind }) => kind === 'PropertiesChanged'));
    expect(placed).toMatchObject({ began: [], ended: [], from: record?.sequence });
    expect(world.facts('EventTracked').map(({ computed }) => computed?.length ?? 0)).toEqual([1, 0]);
    expect(world.facts('PropertiesChanged')).toHaveLength(2);
  });

  it('share a property if they say the same, which ends when nothing says it any more', async () => {
    const { name: event, ...others } = STUCK.events;
    await define('one', STUCK);
    await define('other', { $or: [{ events: { ...others, count: { $gte: 1 }, name: event } }, { is_payer: true }] });
    await track('level_failed', { level: 3 });
    expect(world.facts('PropertiesChanged').flatMap(({ began }) => began)).toHaveLength(1);
    expect(entries()).toEqual(['other']);
    await config.delete({ game: 'demo', environment: 'live', kind: 'segment', key: 'one' });
    await world.clock.advance(1_000);
    expect(world.facts('PropertiesChanged').flatMap(({ ended }) => ended)).toEqual([]);
    await config.delete({ game: 'demo', environment: 'live', kind: 'segment', key: 'other' });
    await world.clock.advance(30_000);
    expect(world.facts('PropertiesChanged').flatMap(({ ended }) => ended)).toHaveLength(1);
    expect(world.facts('PropertiesDropped')).toHaveLength(1);
    await track('level_failed', { level: 3 });
    expect(world.facts('EventTracked').at(-1)).not.toHaveProperty('computed');
  });

  it('count anew when a property begins again', async () => {
    const address = { game: 'demo', environment: 'live', kind: 'segment', key: 'stuck' } as const;
    await define('stuck', STUCK);
    await track('level_failed', { level: 3 });
    await config.delete(address);
    await track('level_failed', { level: 3 });
    await define('stuck', STUCK);
    await track('level_failed', { level: 3 });
    expect(entries()).toEqual([]);
    await track('level_failed', { level: 3 });
    expect(entries()).toEqual(['stuck']);
    expect(world.facts('EventTracked').map(({ computed }) => computed?.[0]?.generation)).toEqual([1, undefined, 2, 2]);
  });

  it('do not hold because of what a property counted before it ended', async () => {
    await define('stuck', STUCK);
    await track('level_failed', { level: 3 });
    await track('level_failed', { level: 3 });
    expect(entries()).toEqual(['stuck']);
    await config.delete({ game: 'demo', environment: 'live', kind: 'segment', key: 'stuck' });
    await track('won', {});
    await define('again', STUCK);
    await world.clock.advance(30_000);
    expect(world.facts('PropertiesChanged').flatMap(({ began }) => began)).toHaveLength(2);
    expect(world.facts('PropertiesDropped')).toHaveLength(1);
    expect(entries()).toEqual(['stuck']);
  });

  it('go on counting under a successor', async () => {
    await define('stuck', STUCK);
    await track('level_failed', { level: 3 });
    await world.clock.advance(3_000);
    node.kill();
    const next = await world.lead('b');
    await track('level_failed', { level: 3 }, next);
    expect(entries()).toEqual(['stuck']);
    expect(world.facts('PropertiesChanged')).toHaveLength(2);
  });

  it('begin in as many records as they need, of many games with long filters at once', async () => {
    const long = (n: number): JsonObject => ({
      events: {
        name: `level_failed_${n % 4}`,
        where: {
          'properties.level': { $in: Array.from({ length: 40 }, (_, place) => `${'\u6f22'.repeat(80)}${n}${place}`) },
        },
        count: { $gte: 1 },
      },
    });
    node.kill();
    const games = ['demo', ...Array.from({ length: 30 }, (_, n) => `game-${n}`)];
    for (const game of games) {
      for (let n = 0; n < COMPUTED_LIMITS.computedProperties; n++) {
        const address = { game, environment: 'live', kind: 'segment', key: `${n}` } as const;
        const texts = { id: `${game}-${n}`, key: `${n}`, name: '', description: '' };
        await config.put(address, { ...texts, conditions: long(n), createdAt: 0, updatedAt: 0, version: 1 });
      }
    }
    const next = await world.lead('b');
    const began = () => world.facts('PropertiesChanged').reduce((sum, fact) => sum + fact.began.length, 0);
    await world.clock.advanceUntil(() => began() === games.length * COMPUTED_LIMITS.computedProperties);
    await track('level_failed_0', { level: `${'\u6f22'.repeat(80)}00` }, next);
    expect(entries()).toEqual(['demo-0']);
    const sizes = world.records().map(({ record }) => encodeCommit(record).length);
    expect(Math.max(...sizes)).toBeLessThan(OWNER_LIMITS.commitBytes);
  });

  it('read named properties, which change apart from them', async () => {
    await name('spent', { aggregate: 'sum', value: 'properties.price.amount', withinDays: 30 });
    await define('rich', { 'computed.spent': { $gte: 10 } });
    await track('bought', { price: { amount: 4.5 } });
    expect(entries()).toEqual([]);
    await track('bought', { price: { amount: 5.5 } });
    expect(entries()).toEqual(['rich']);
    await name('spent', { aggregate: 'max', value: 'properties.price.amount' });
    await world.clock.advance(30_000);
    expect(exits()).toEqual(['rich']);
    await track('bought', { price: { amount: 12 } });
    expect(entries()).toEqual(['rich', 'rich']);
  });
});
