import { describe, expect, it } from 'vitest';
import { createBackbone } from '../../test/support/servers/backbone.ts';
import { createMemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { createMetrics } from '../../src/parts/metrics.ts';
import { CONDITION_LIMITS } from '../conditions/limits.ts';
import { stepsSpent } from '../conditions/steps.ts';
import { createLiveDefinitions } from './definitions/live-definitions.ts';

describe('an owner under segments at the limits', () => {
  /** 40 patterns in 2.5 KB, asked about each of 15 texts of 1,024 characters. */
  const PATTERN = '(?:(?:[a-z]|.)*(?:a|b|.)?){8}(?:[a-z]?){10}[!?]';
  const conditions = {
    days_since_last_seen: { $gte: 0 },
    $or: Array.from({ length: 40 }, () => ({ 'attributes.a': { $elemMatch: { $regex: PATTERN } } })),
  };
  const attributes = JSON.stringify({ a: Array.from({ length: 15 }, () => 'ab'.repeat(512)) });

  it('answers another tenant soon while 20 events of the attacker wait', async () => {
    const config = createMemoryConfigStore();
    const metrics = createMetrics();
    const definitions = createLiveDefinitions(config, silentLogger, metrics);
    const world = createBackbone({ definitions });
    const node = await world.lead('a');
    await world.register(node, 'attacker', { attributes });
    await world.register(node, 'other', { environment: 'test' });
    const address = { game: 'demo', environment: 'live', kind: 'segment', key: 's' } as const;
    const texts = { id: 's', key: 's', name: 's', description: '' };
    await config.put(address, { ...texts, conditions, createdAt: 0, updatedAt: 0, version: 1 });

    const before = stepsSpent();
    const attacks = Array.from({ length: 20 }, () => world.track(node, 'attacker', 'win'));
    const reply = await world.register(node, 'other', { environment: 'test', attributes: '{"b":1}' });
    await Promise.all(attacks);

    expect(reply.kind).toBe('player');
    expect(world.facts('SegmentEntered')).toEqual([]);
    expect(world.facts('EventTracked')).toHaveLength(20);
    const [over] = (await metrics.conditionsOverBudget.get()).values;
    expect(over?.labels).toEqual({ definition: 'segment' });
    expect(over?.value).toBeGreaterThanOrEqual(20);
    // Without the budget each evaluation takes seconds.
    const evaluations = 20 + 2;
    expect(stepsSpent() - before).toBeLessThanOrEqual(evaluations * (CONDITION_LIMITS.conditionSteps + 1));
  });
});
