import { describe, expect, it } from 'vitest';
import { createBackbone, type BackboneNode } from '../../test/support/backbone.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { Environment, Query } from '../commands.ts';
import { flagsOf } from '../flags/testing.ts';
import type { FlagsReply } from '../replies.ts';
import { aPlayer } from '../testing.ts';
import { createExposures } from './exposures.ts';

const P1 = 'player-1';
const DEFINITIONS = flagsOf({
  shop: { value: '"b"', variantKey: 'b', reason: 'percentage_rollout', version: 2 },
  xp: { value: 'true', reason: 'segment_match', segmentId: 'seg_1' },
  mine: { value: '"x"', reason: 'player_override' },
});

function createWorld() {
  const world = createBackbone({ definitions: DEFINITIONS });
  const evaluate = (
    node: BackboneNode,
    flagKeys: string[] | 'all',
    { exposes = true, environment = 'live' }: { exposes?: boolean; environment?: Environment } = {},
  ) =>
    world.settle(
      node.commit.ask({ game: 'demo', environment, receivedAt: world.clock.wallMs() }, P1, {
        kind: 'EvaluateFlags',
        playerId: P1,
        flagKeys,
        context: '{}',
        exposes,
      }),
    );
  const exposed = () => world.facts('FlagExposed').map(({ flagKey }) => flagKey);
  return { world, evaluate, exposed };
}

describe('an evaluation', () => {
  it('is answered at once and becomes an exposure with the next commit, without any other request', async () => {
    const { world, evaluate, exposed } = createWorld();
    const node = await world.lead('a');
    await world.register(node, P1);
    expect(await evaluate(node, ['shop'])).toMatchObject({ kind: 'flags', evaluations: [{ value: '"b"' }] });
    await world.clock.advanceUntil(() => exposed().length > 0);
    expect(world.facts('FlagExposed')).toMatchObject([
      { entityId: P1, externalId: `ext-${P1}`, flagKey: 'shop', flagVersion: 2, variantKey: 'b', value: '"b"' },
    ]);
  });

  it('counts once, however often it is asked for, and after a restart too', async () => {
    const { world, evaluate, exposed } = createWorld();
    const node = await world.lead('a');
    await world.register(node, P1);
    await Promise.all(Array.from({ length: 20 }, () => evaluate(node, ['shop'])));
    await world.clock.advanceUntil(() => exposed().length > 0);
    node.kill();
    const second = await world.lead('b');
    await evaluate(second, ['shop']);
    await evaluate(second, ['xp']);
    await world.clock.advanceUntil(() => exposed().includes('xp'));
    expect(exposed()).toEqual(['shop', 'xp']);
  });

  it('that does not expose leaves no trace; nor does an overridden or a test player', async () => {
    const { world, evaluate, exposed } = createWorld();
    const node = await world.lead('a');
    await world.register(node, P1);
    await evaluate(node, 'all', { exposes: false });
    await evaluate(node, ['mine']);
    expect(await evaluate(node, ['shop'], { environment: 'test' })).toMatchObject({ code: 'PLAYER_NOT_FOUND' });
    const records = world.records().length;
    await world.track(node, P1, 'later');
    expect(world.records().length).toBe(records + 1);
    expect(exposed()).toEqual([]);
  });

  it('whose record the log refuses is counted by a later one', async () => {
    const { world, evaluate, exposed } = createWorld();
    const node = await world.lead('a');
    await world.register(node, P1);
    const facts = world.broker.stream('FACTS');
    Object.assign(facts.definition, { maxBytes: facts.bounds().sizeBytes });
    expect(await evaluate(node, ['shop'])).toMatchObject({ kind: 'flags' });
    await world.clock.advance(1_000);
    Object.assign(facts.definition, { maxBytes: 1_000_000 });
    await world.clock.advance(5_000);
    expect(exposed()).toEqual([]);
    await evaluate(node, ['shop']);
    await world.clock.advanceUntil(() => exposed().length > 0);
    expect(exposed()).toEqual(['shop']);
  });
});

describe('exposures that wait', () => {
  const query: Query = {
    requestId: '1',
    replyTo: 'g',
    game: 'demo',
    environment: 'live',
    deadlineAt: 9_000,
    configRevision: 4,
    body: { kind: 'EvaluateFlags', playerId: P1, flagKeys: ['shop'], context: '{}', exposes: true },
  };
  const shop: FlagsReply = {
    kind: 'flags',
    evaluations: [{ flagKey: 'shop', value: '"b"', variantKey: 'b', reason: 'percentage_rollout' }],
    unknownFlags: [],
    durationUs: 1,
  };
  const targeting = DEFINITIONS.of('demo', 'live');

  it('carry the revision they were evaluated under and the time of the evaluation', () => {
    const exposures = createExposures({ nowMs: () => 5_000, onWork: () => {} });
    exposures.note(query, shop, aPlayer({ id: P1 }), targeting);
    expect(exposures.take()).toMatchObject({ receivedAt: 5_000, configRevision: 4, body: { flagVersion: 2 } });
    expect(exposures.take()).toBeUndefined();
  });

  it('are bounded, and there is room again for each one taken', () => {
    let calls = 0;
    const exposures = createExposures({ nowMs: () => 5_000, onWork: () => void (calls += 1) });
    const note = () => exposures.note(query, shop, aPlayer({ id: P1 }), targeting);
    const drain = () => {
      let taken = 0;
      while (exposures.take() !== undefined) taken += 1;
      return taken;
    };
    for (let i = 0; i < LIMITS.waitingExposures + 5; i++) note();
    expect(calls).toBe(LIMITS.waitingExposures);
    expect(exposures.take()).toBeDefined();
    note();
    note();
    expect(drain()).toBe(LIMITS.waitingExposures);
    note();
    expect(drain()).toBe(1);
  });
});
