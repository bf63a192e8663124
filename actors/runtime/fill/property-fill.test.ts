import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../core/kernel/days.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { createBackbone, type Backbone, type BackboneNode } from '../../../test/support/servers/backbone.ts';
import {
  createMemoryConfigStore,
  type MemoryConfigStore,
} from '../../../test/support/in-memory/memory-config-store.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { aCampaign } from '../../campaigns/testing-campaign.ts';
import type { CommandBody } from '../../../core/vocabulary/commands/commands.ts';
import type { EventTracked } from '../../../core/vocabulary/facts/event-tracked.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { createLiveDefinitions } from '../definitions/live-definitions.ts';
import type { EventHistory, PastEvent } from '../../../core/vocabulary/event-history.ts';

const PLAYERS = ['p0', 'p1', 'p2', 'p3'];

describe('the past of a computed property', () => {
  let config: MemoryConfigStore;
  let world: Backbone;
  let events = 0;

  beforeEach(() => {
    config = createMemoryConfigStore();
    world = createBackbone({ partitions: 2, definitions: createLiveDefinitions(config, silentLogger) });
  });

  /** ClickHouse, which holds FACTS up to a moment ago, and rows of erased lives until they are deleted. */
  function history(options: { lag?: () => number; reads?: () => void } = {}): EventHistory {
    const { lag = () => 0, reads = () => {} } = options;
    const rows = (): PastEvent[] =>
      world.records().flatMap(({ sequence, record }) =>
        record.facts
          .filter((fact): fact is EventTracked => fact.kind === 'EventTracked')
          .map(({ entityId, eventName, at, properties }) => {
            return { playerId: entityId, eventName, atMs: at, sequence, properties };
          }),
      );
    return {
      async confirmedTo() {
        const { created, lastSequence } = world.broker.stream('FACTS').bounds();
        return { createdMs: Date.parse(created), sequence: lastSequence - lag() };
      },
      count: async () => rows().length,
      async *load({ eventNames, sinceMs, beforeSequence }) {
        reads();
        const found = rows()
          .filter(({ eventName, atMs }) => eventNames.includes(eventName) && atMs >= sinceMs)
          .filter(({ sequence }) => sequence < beforeSequence)
          .toSorted((one, other) => (one.playerId < other.playerId ? -1 : one.playerId > other.playerId ? 1 : 0));
        // In the middle of a player.
        for (let from = 0; from < found.length; from += 3) yield found.slice(from, from + 3);
      },
    };
  }

  const send = (node: BackboneNode, id: string, body: CommandBody): Promise<Reply> =>
    world.complete(
      node.commandClient.send({ game: 'demo', environment: 'live', receivedAt: world.clock.wallMs() }, id, body),
    );

  function track(node: BackboneNode, playerId: string, properties: JsonObject, eventName = 'lost'): Promise<Reply> {
    events += 1;
    const item = { index: 0, playerId, eventId: `e-${events}`, remember: false, eventName, sessionId: null };
    const text = JSON.stringify(properties);
    const items = [{ ...item, properties: text, timestamp: world.clock.wallMs() }];
    return send(node, playerId, { kind: 'TrackEvents', items });
  }

  const address = (key: string, game = 'demo') => ({ game, environment: 'live', kind: 'property', key }) as const;
  const define = (key: string, withinDays: number | null = null, game = 'demo') =>
    config.put(address(key, game), {
      key,
      name: key,
      description: '',
      event: 'lost',
      where: { 'properties.level': 3 },
      aggregate: 'count',
      value: null,
      withinDays,
      createdAt: 0,
      updatedAt: 0,
      version: 1,
    });

  const filled = () => world.facts('PropertiesChanged').flatMap((fact) => fact.filled).length;
  const isFilled = (count: number) => world.clock.advanceUntil(() => filled() >= count);

  async function valueOf(node: BackboneNode, id: string, key: string): Promise<unknown> {
    const reply = await world.read(node, id);
    return reply.kind === 'player' ? JSON.parse(reply.computed ?? '{}')[key] : undefined;
  }

  /** Events of level 3 of the player's present life. */
  function naive(id: string): number {
    let count = 0;
    for (const { record } of world.records()) {
      for (const fact of record.facts) {
        if (fact.kind === 'SnapshotMark' || fact.entityId !== id) continue;
        if (fact.kind === 'PlayerErased') count = 0;
        if (fact.kind === 'EventTracked' && JSON.parse(fact.properties).level === 3) count += 1;
      }
    }
    return count;
  }

  it('counts, once, whatever came before and after its beginning', async () => {
    const node = await world.lead('a', { history: history() });
    for (const id of PLAYERS) await world.register(node, id);
    for (let n = 0; n < 12; n++) await track(node, PLAYERS[n % 3] ?? '', { level: n % 2 === 0 ? 3 : 4 });
    await define('losses');
    await track(node, 'p0', { level: 3 });
    await isFilled(2);
    await track(node, 'p1', { level: 3 });
    for (const id of PLAYERS) expect(await valueOf(node, id, 'losses'), id).toBe(naive(id));
    expect(naive('p0')).toBe(3);
    // A second one: the first is not filled again.
    await define('again', 7);
    await isFilled(4);
    for (const id of PLAYERS) expect(await valueOf(node, id, 'again'), id).toBe(naive(id));
    expect(world.facts('PropertyFilled').map(({ id }) => id.split('@')[0])).toEqual(
      ['losses', 'again'].flatMap((key) => [key, key, key]),
    );
  });

  it('makes a player a member with the record that fills it', async () => {
    const node = await world.lead('a', { history: history() });
    await world.register(node, 'p0');
    for (let n = 0; n < 2; n++) await track(node, 'p0', { level: 3 });
    const conditions = { events: { name: 'lost', where: { 'properties.level': 3 }, count: { $gte: 2 } } };
    const texts = { id: 'stuck', key: 'stuck', name: 'stuck', description: '' };
    const segment = { ...texts, conditions, createdAt: 0, updatedAt: 0, version: 1 };
    await config.put({ game: 'demo', environment: 'live', kind: 'segment', key: 'stuck' }, segment);
    await isFilled(2);
    const record = world.records().find(({ record: { facts } }) => facts.some(({ kind }) => kind === 'PropertyFilled'));
    expect(record?.record.facts.map(({ kind }) => kind)).toEqual([
      'PropertyFilled',
      'SegmentEntered',
      'PropertiesChanged',
    ]);
  });

  it('triggers the campaigns of a segment that a player enters by its past', async () => {
    const node = await world.lead('a', { history: history() });
    await world.register(node, 'p0');
    await track(node, 'p0', { level: 3 });
    const where = { 'properties.level': 3 };
    const conditions = { events: { name: 'lost', where, count: { $gte: 1 } } };
    const texts = { id: 'stuck', key: 'stuck', name: 'stuck', description: '' };
    const segment = { ...texts, conditions, createdAt: 0, updatedAt: 0, version: 1 };
    const campaign = aCampaign({ trigger: { kind: 'segment_entered', segmentId: 'stuck' } });
    await config.put({ game: 'demo', environment: 'live', kind: 'campaign', key: campaign.id }, campaign);
    await config.put({ game: 'demo', environment: 'live', kind: 'segment', key: 'stuck' }, segment);
    await isFilled(2);
    expect(world.facts('InterventionTriggered').map(({ entityId }) => entityId)).toEqual(['p0']);
  });

  it('waits until ClickHouse holds every record before the beginning', async () => {
    let lag = 1_000;
    let reads = 0;
    const late = history({ lag: () => lag, reads: () => (reads += 1) });
    const node = await world.lead('a', { history: late });
    await world.register(node, 'p0');
    await track(node, 'p0', { level: 3 });
    await define('losses');
    await track(node, 'p0', { level: 3 });
    await world.clock.advance(20_000);
    expect([reads, filled()]).toEqual([0, 0]);
    lag = 0;
    await isFilled(2);
    expect(await valueOf(node, 'p0', 'losses')).toBe(2);
  });

  it('leaves out what was before an erasure, also if the player comes back during the fill', async () => {
    let lag = 100;
    const node = await world.lead('a', { history: history({ lag: () => lag }) });
    for (const id of PLAYERS) await world.register(node, id);
    const erase = (id: string) => send(node, id, { kind: 'ErasePlayer', playerId: id });
    for (const id of PLAYERS) await track(node, id, { level: 3 });
    await erase('p0');
    await world.register(node, 'p0');
    await track(node, 'p0', { level: 3 });
    await define('losses');
    await track(node, 'p1', { level: 3 });
    await erase('p1');
    await world.register(node, 'p1');
    await erase('p2');
    lag = 0;
    await isFilled(2);
    for (const id of PLAYERS) expect(await valueOf(node, id, 'losses'), id).toBe(id === 'p2' ? undefined : naive(id));
    expect(
      world
        .facts('PropertyFilled')
        .map(({ entityId }) => entityId)
        .toSorted(),
    ).toEqual(['p0', 'p3']);
  });

  it('leaves out what was before an erasure that waits beside the next registration', async () => {
    const node = await world.lead('a', { history: history() });
    await world.register(node, 'p0');
    const registration = { kind: 'RegisterPlayer', playerId: 'p0', externalId: 'p0', createOnly: false } as const;
    await Promise.all([
      track(node, 'p0', { level: 3 }),
      send(node, 'p0', { kind: 'ErasePlayer', playerId: 'p0' }),
      send(node, 'p0', { ...registration, byClientKey: false }),
      track(node, 'p0', { level: 3 }),
    ]);
    await define('losses');
    await isFilled(2);
    expect(naive('p0')).toBe(1);
    expect(await valueOf(node, 'p0', 'losses')).toBe(1);
  });

  it('is filled once, although an owner dies and ClickHouse fails meanwhile', async () => {
    let failures = 2;
    const flaky = history({
      reads() {
        failures -= 1;
        if (failures >= 0) throw new Error('ClickHouse is away');
      },
    });
    const first = await world.lead('a', { history: flaky });
    for (const id of PLAYERS) await world.register(first, id);
    for (let n = 0; n < 9; n++) await track(first, PLAYERS[n % 3] ?? '', { level: 3 });
    await define('losses');
    await track(first, 'p0', { level: 3 });
    await world.clock.advanceUntil(() => world.facts('PropertyFilled').length > 0);
    first.kill();
    const next = await world.lead('b', { history: flaky });
    await isFilled(2);
    for (const id of PLAYERS) expect(await valueOf(next, id, 'losses'), id).toBe(naive(id));
  });

  it('is filled for one game while the rows of another cannot be read', async () => {
    const node = await world.lead('a', {
      history: {
        ...history(),
        count: async ({ game }) => {
          if (game === 'broken') throw new Error('the rows of this game cannot be sorted');
          return 1;
        },
      },
    });
    await world.register(node, 'p0');
    await track(node, 'p0', { level: 3 });
    await define('losses', null, 'broken');
    // The ledger of the other game comes first.
    await track(node, 'p0', { level: 4 });
    await define('losses');
    await isFilled(2);
    expect(await valueOf(node, 'p0', 'losses')).toBe(1);
  });

  it('leaves the owner its turns when segments of the filled players are costly', async () => {
    const past = history();
    const node = await world.lead('a', {
      history: {
        ...past,
        // All at once, so that all players wait for the next record.
        async *load(...parameters) {
          const all: PastEvent[] = [];
          for await (const rows of past.load(...parameters)) all.push(...rows);
          yield all;
        },
      },
    });
    const attributes = JSON.stringify({ a: Array.from({ length: 15 }, () => 'ab'.repeat(512)) });
    const ids = Array.from({ length: 12 }, (_, n) => `q${n}`);
    for (const id of ids) {
      await world.register(node, id, { attributes });
      await track(node, id, { level: 3 });
    }
    const $regex = '(?:(?:[a-z]|.)*(?:a|b|.)?){8}(?:[a-z]?){10}[!?]';
    const costly = Array.from({ length: 40 }, () => ({ 'attributes.a': { $elemMatch: { $regex } } }));
    const texts = { id: 'costly', key: 'costly', name: 'costly', description: '' };
    const segment = { ...texts, conditions: { $or: costly }, createdAt: 0, updatedAt: 0, version: 1 };
    await config.put({ game: 'demo', environment: 'live', kind: 'segment', key: 'costly' }, segment);
    await define('losses');
    await isFilled(2);
    const inRecords = world
      .records()
      .map(({ record }) => record.facts.filter(({ kind }) => kind === 'PropertyFilled').length);
    expect(inRecords.reduce((sum, count) => sum + count, 0)).toBe(ids.length);
    expect(Math.max(...inRecords)).toBeLessThanOrEqual(2);
  });

  it('begins anew with a definition that ends and begins again during the fill', async () => {
    let lag = 100;
    const node = await world.lead('a', { history: history({ lag: () => lag }) });
    await world.register(node, 'p0');
    await track(node, 'p0', { level: 3 });
    await define('losses', 90);
    await track(node, 'p0', { level: 3 });
    await config.delete(address('losses'));
    await track(node, 'p0', { level: 3 });
    world.clock.jumpWall(2 * DAY_MS);
    await define('losses', 90);
    await track(node, 'p0', { level: 3 });
    lag = 0;
    await isFilled(2);
    expect(await valueOf(node, 'p0', 'losses')).toBe(4);
  });
});
