import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { createMemoryConfigStore } from '../../../test/support/in-memory/memory-config-store.ts';
import { createComputingNeeds } from './computing-definitions.ts';

const lost = (level: number): JsonObject => ({
  events: { name: 'lost', where: { 'properties.level': level }, count: { $gte: 2 } },
});

function setUp() {
  const config = createMemoryConfigStore();
  let lists = 0;
  const needs = createComputingNeeds(
    {
      list(...parameters) {
        lists += 1;
        return config.list(...parameters);
      },
    },
    () => {},
  );
  config.onChange(({ address }) => needs.changed(address));
  const address = (game: string, id: string) => ({ game, environment: 'live', kind: 'segment', key: id }) as const;
  const texts = (id: string) => ({ id, key: id, name: id, description: '', createdAt: 0, updatedAt: 0, version: 1 });
  return {
    config,
    needs,
    address,
    put: (game: string, id: string, conditions: JsonObject) =>
      config.put(address(game, id), { ...texts(id), conditions }),
    levels: (game: string) => [...needs.of(game, 'live').values()].map(({ where }) => where?.['properties.level']),
    games: () => [...needs.scopes()].map(({ game }) => game).toSorted(),
    takeLists: () => {
      const taken = lists;
      lists = 0;
      return taken;
    },
  };
}

describe('the properties that definitions need', () => {
  it('follow changes, by reading the definitions of all games once and then those of the changed game', async () => {
    const world = setUp();
    for (let n = 0; n < 30; n++) await world.put(`game-${n}`, 'stuck', n < 3 ? lost(n) : { is_payer: true });
    expect(world.games()).toEqual(['game-0', 'game-1', 'game-2']);
    expect(world.takeLists()).toBe(5);
    await world.put('game-7', 'stuck', { $or: [{ is_payer: true }, { $not: lost(7) }, lost(8)] });
    await world.config.delete(world.address('game-1', 'stuck'));
    expect(world.games()).toEqual(['game-0', 'game-2', 'game-7']);
    expect(world.levels('game-7')).toEqual([7, 8]);
    expect(world.levels('game-1')).toEqual([]);
    expect(world.takeLists()).toBe(10);
    for (let n = 0; n < 30; n++) await world.put(`game-${n}`, 'stuck', lost(n));
    expect(world.games()).toHaveLength(30);
    expect(world.takeLists()).toBe(5);
  });

  it('are none of values that look like conditions', async () => {
    const world = setUp();
    await world.put('demo', 'literal', { 'attributes.saved': { $eq: lost(1) }, 'attributes.other': lost(2) });
    expect(world.games()).toEqual([]);
  });
});
