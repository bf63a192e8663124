import { beforeEach, describe, expect, it } from 'vitest';
import { createBackbone, type Backbone } from '../../test/support/servers/backbone.ts';
import { createMemoryConfigStore, type MemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import type { CampaignDocument } from '../../core/vocabulary/documents/documents.ts';
import type { MemoryFaults } from '../../streams/log/memory/log-memory.ts';
import { aCampaign, campaignId } from '../campaigns/testing-campaign.ts';
import { createLiveDefinitions } from './definitions/live-definitions.ts';

const HOUR_MS = 3_600_000;

describe('a campaign’s scheduled time', () => {
  let config: MemoryConfigStore;
  let world: Backbone;
  const faults: MemoryFaults = {};
  beforeEach(() => {
    delete faults.onAppend;
    config = createMemoryConfigStore();
    world = createBackbone({ partitions: 2, faults, definitions: createLiveDefinitions(config, silentLogger) });
  });

  const schedule = (n: number, at: number, some: Partial<CampaignDocument> = {}) => {
    const address = { game: 'demo', environment: 'live', kind: 'campaign', key: campaignId(n) } as const;
    return config.put(address, aCampaign({ id: campaignId(n), trigger: { kind: 'schedule', at }, ...some }));
  };
  const inLevel = (id: string, level: number) => {
    const texts = { id, key: id, name: id, description: '' };
    const address = { game: 'demo', environment: 'live', kind: 'segment', key: id } as const;
    const conditions = { 'attributes.level': level };
    return config.put(address, { ...texts, conditions, createdAt: 0, updatedAt: 0, version: 1 });
  };
  const given = () => world.facts('InterventionTriggered').map(({ entityId }) => entityId);
  const names = (count: number) => Array.from({ length: count }, (_, n) => `p${String(n).padStart(3, '0')}`);

  it('triggers once for every player within seconds, and not for players who come later', async () => {
    const node = await world.lead('a');
    const ids = names(60);
    for (const id of ids) await world.register(node, id);
    const at = world.clock.wallMs() + 60_000;
    await schedule(1, at);
    await world.clock.advance(50_000);
    expect(given()).toEqual([]);
    await world.clock.advance(20_000);
    await world.register(node, 'late');
    await world.clock.advance(20_000);
    expect(given().toSorted()).toEqual(ids);
    for (const fact of world.facts('InterventionTriggered')) {
      expect(fact.at - at).toBeLessThan(10_000);
      expect([fact.at >= at, fact.cause]).toEqual([true, 'schedule']);
    }
    await inLevel('s', 1);
    await world.clock.advance(60_000);
    expect(given()).toHaveLength(60);
  });

  it('applies to the audience at that time, and records the holdout', async () => {
    await inLevel('s', 7);
    const node = await world.lead('a');
    for (const id of names(10)) await world.register(node, id, { attributes: `{"level":${id.endsWith('1') ? 7 : 1}}` });
    const at = world.clock.wallMs() + 60_000;
    await schedule(1, at, { audience: 's' });
    await schedule(2, at, { audience: 's', holdoutPercentage: 100 });
    await world.clock.advance(90_000);
    expect(given()).toEqual(['p001']);
    const suppressed = () => world.facts('InterventionSuppressed').map(({ entityId, reason }) => [entityId, reason]);
    expect(suppressed()).toEqual([['p001', 'holdout']]);
    // Players who join the audience later get nothing, also when a sweep evaluates every player again.
    await world.register(node, 'p002', { attributes: '{"level":7}' });
    await inLevel('t', 1);
    await world.clock.advance(60_000);
    expect([given(), suppressed()]).toEqual([['p001'], [['p001', 'holdout']]]);
  });

  it('triggers again after it is moved', async () => {
    const node = await world.lead('a');
    await world.register(node, 'p');
    await schedule(1, world.clock.wallMs() + 60_000);
    await world.clock.advance(90_000);
    await schedule(1, world.clock.wallMs() + 60_000);
    await world.clock.advance(90_000);
    expect(given()).toEqual(['p', 'p']);
  });

  it('is made up for once if the partition had no owner then, within a day', async () => {
    const first = await world.lead('a');
    for (const id of names(20)) await world.register(first, id);
    await world.clock.advance(3_000);
    await schedule(1, world.clock.wallMs() + HOUR_MS);
    first.kill();
    await world.clock.advance(20 * HOUR_MS);
    const next = await world.lead('b');
    await world.clock.advance(30_000);
    expect(given().toSorted()).toEqual(names(20));
    next.kill();
    await world.clock.advance(HOUR_MS);
    await world.lead('c');
    await world.clock.advance(30_000);
    expect(given()).toHaveLength(20);
  });

  it('is missed if the partition had no owner for more than a day', async () => {
    const first = await world.lead('a');
    await world.register(first, 'p');
    await world.clock.advance(3_000);
    await schedule(1, world.clock.wallMs() + HOUR_MS);
    first.kill();
    await world.clock.advance(26 * HOUR_MS);
    await world.lead('b');
    await world.clock.advance(30_000);
    expect(given()).toEqual([]);
  });

  it('reaches every player once although an owner dies in between and records are lost', async () => {
    const first = await world.lead('a');
    const ids = names(150);
    for (const id of ids) await world.register(first, id);
    await world.clock.advance(3_000);
    let lost = 0;
    faults.onAppend = ({ stream }) => (stream === 'FACTS' && lost++ % 3 === 0 ? 'lose_request' : 'deliver');
    await schedule(1, world.clock.wallMs() + 10_000);
    for (let waitedMs = 0; given().length < 50 && waitedMs < 60_000; waitedMs += 20) await world.clock.advance(20);
    expect(given().length).toBeLessThan(150);
    first.kill();
    await world.lead('b');
    await world.clock.advance(60_000);
    expect(given().toSorted()).toEqual(ids);
  });
});
