import { beforeEach, describe, expect, it } from 'vitest';
import { type Backbone, createBackbone } from '../../test/support/servers/backbone.ts';
import { createMemoryConfigStore, type MemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { createGame, gameAddress } from '../../streams/config/games.ts';
import { createLiveDefinitions } from './definitions/live-definitions.ts';
import type { LifecycleThresholds } from '../../core/vocabulary/documents/game.ts';

const DAY_MS = 86_400_000;
const P1 = 'p1';

describe('stages of the players of a partition', () => {
  let config: MemoryConfigStore;
  let world: Backbone;
  beforeEach(() => {
    config = createMemoryConfigStore();
    world = createBackbone({ partitions: 2, definitions: createLiveDefinitions(config, silentLogger) });
  });

  const configure = (lifecycle: Partial<LifecycleThresholds>) =>
    config.put(gameAddress('demo'), { ...createGame('demo', 'demo', world.clock, systemIds), lifecycle });
  /** Days go by at once: the wall clock jumps, and owners look at it a few times. */
  async function pass(durationMs: number): Promise<void> {
    world.clock.jumpWall(durationMs);
    await world.clock.advance(3_000);
  }
  const bornAt = (): number => world.facts('PlayerRegistered')[0]?.at ?? 0;
  const stages = () =>
    world.facts('LifecycleChanged').map(({ to, changedAt }) => [to, (changedAt - bornAt()) / DAY_MS]);

  it('change on time with no request, and the risk of leaving with them', async () => {
    const node = await world.lead('a');
    await world.register(node, P1);
    for (const days of [1, 6, 1, 23]) await pass(days * DAY_MS);
    expect(stages()).toEqual([
      ['active', 1],
      ['at_risk', 7],
      ['churned', 30],
    ]);
    expect(world.facts('ChurnRiskChanged')).toMatchObject([{ high: true, risk: { level: 'high' } }]);
  });

  it('happen once and at their due times after the service was down for 45 days', async () => {
    const first = await world.lead('a');
    await world.register(first, P1);
    await world.clock.advance(1_500);
    first.kill();
    await pass(45 * DAY_MS);
    const second = await world.lead('a', { stores: first.stores, incarnation: '2' });
    await world.clock.advance(3_000);
    expect(stages()).toEqual([
      ['active', 1],
      ['at_risk', 7],
      ['churned', 30],
    ]);
    await world.track(second, P1, 'back');
    expect(stages().at(-1)?.[0]).toBe('reactivated');
    expect(world.facts('ChurnRiskChanged').map(({ high }) => high)).toEqual([true, false]);
  });

  it('of silent players follow shorter thresholds at once, but never from before the edit', async () => {
    const node = await world.lead('a');
    await world.register(node, P1);
    await pass(5 * DAY_MS);
    const editedAt = world.clock.wallMs();
    await configure({ atRiskDays: 3, churnedDays: 6 });
    await world.clock.advance(10_000);
    const [, atRisk] = world.facts('LifecycleChanged');
    expect(atRisk?.to).toBe('at_risk');
    expect(atRisk?.changedAt).toBeGreaterThanOrEqual(editedAt);
    expect(atRisk?.changedAt).toBeLessThan(editedAt + 10_000);
    await pass(2 * DAY_MS);
    expect(stages().slice(2)).toEqual([['churned', 6]]);
  });

  it('follow thresholds that changed while no process ran', async () => {
    const first = await world.lead('a');
    await world.register(first, P1);
    await pass(2 * DAY_MS);
    first.kill();
    await configure({ atRiskDays: 3, churnedDays: 6 });
    await world.clock.advance(10_000);
    await world.lead('a', { stores: first.stores, incarnation: '2' });
    await world.clock.advance(5_000);
    await pass(5 * DAY_MS);
    expect(stages().slice(1)).toEqual([
      ['at_risk', 3],
      ['churned', 6],
    ]);
  });
});
