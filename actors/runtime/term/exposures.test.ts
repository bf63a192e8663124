import { describe, expect, it } from 'vitest';
import { type BackboneNode, createBackbone } from '../../../test/support/servers/backbone.ts';
import { OWNER_LIMITS } from '../limits.ts';
import type { Query } from '../../../core/vocabulary/commands/commands.ts';
import { aFlag, aRule, targetingOf } from '../../flags/evaluate/testing-flag.ts';
import { flagsOf } from '../../flags/testing-served-flags.ts';
import type { FlagsReply } from '../../../core/vocabulary/commands/replies.ts';
import { aPlayer, definitionsOf } from '../../testing-players.ts';
import { createExposures } from './exposures.ts';
import type { Environment } from '../../../core/vocabulary/documents/scope.ts';
import type { ServedFlag } from '../../../core/vocabulary/state/player.ts';

const P1 = 'player-1';
const DEFINITIONS = flagsOf({
  shop: { value: '"b"', variantKey: 'b', reason: 'percentage_rollout', version: 2 },
  xp: { value: 'true', reason: 'segment_match', segmentId: 'seg_1' },
  mine: { value: '"x"', reason: 'player_override' },
});

function createWorld(definitions = DEFINITIONS, latencyMs = 0) {
  const world = createBackbone({ definitions, faults: { latencyMs: () => latencyMs } });
  const evaluate = (
    node: BackboneNode,
    flagKeys: string[] | 'all',
    {
      exposes = true,
      environment = 'live',
      playerId = P1,
      context = '{}',
    }: { exposes?: boolean; environment?: Environment; playerId?: string; context?: string } = {},
  ) =>
    world.complete(
      node.commandClient.query({ game: 'demo', environment, receivedAt: world.clock.wallMs() }, playerId, {
        kind: 'EvaluateFlags',
        by: 'server',
        playerId,
        flagKeys,
        context,
        exposes,
      }),
    );
  const exposed = () => world.facts('FlagExposed').map(({ flagKey }) => flagKey);
  const see = (node: BackboneNode, playerId: string, properties: unknown) => {
    const item = {
      index: 0,
      playerId,
      eventId: `seen-${playerId}`,
      remember: false,
      eventName: 'seen',
      properties: JSON.stringify(properties),
      sessionId: null,
      timestamp: world.clock.wallMs(),
    };
    const origin = { game: 'demo', environment: 'live', receivedAt: world.clock.wallMs() } as const;
    return world.complete(node.commandClient.send(origin, playerId, { kind: 'TrackEvents', items: [item] }));
  };
  return { world, evaluate, exposed, see };
}

describe('an evaluation', () => {
  it('becomes an exposure with the next commit, without any other request', async () => {
    const { world, evaluate, exposed } = createWorld();
    const node = await world.lead('a');
    await world.register(node, P1);
    expect(await evaluate(node, ['shop'])).toMatchObject({ kind: 'flags', evaluations: [{ value: '"b"' }] });
    await world.clock.advanceUntil(() => exposed().length > 0);
    expect(world.facts('FlagExposed')).toMatchObject([
      { entityId: P1, externalId: `ext-${P1}`, flagKey: 'shop', flagVersion: 2, variantKey: 'b', value: '"b"' },
    ]);
  });

  it('counts once for repeated requests, also after a restart', async () => {
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

  it('that serves a known variant writes no fact; nor does an overridden or a test player', async () => {
    const { world, evaluate, exposed } = createWorld();
    const node = await world.lead('a');
    await world.register(node, P1);
    await evaluate(node, 'all', { exposes: false });
    expect(world.facts('FlagsServed')).toMatchObject([{ flags: [{ flagKey: 'mine' }, {}, {}], mixed: [] }]);
    await evaluate(node, 'all', { exposes: false });
    await evaluate(node, ['mine']);
    expect(await evaluate(node, ['shop'], { environment: 'test' })).toMatchObject({ code: 'PLAYER_NOT_FOUND' });
    const records = world.records().length;
    await world.track(node, P1, 'later');
    expect(world.records().length).toBe(records + 1);
    expect(exposed()).toEqual([]);
  });

  it('whose record the log refuses is answered, and recorded before any later command', async () => {
    const { world, evaluate, exposed, see } = createWorld();
    const node = await world.lead('a');
    await world.register(node, P1);
    const facts = world.broker.stream('FACTS');
    Object.assign(facts.definition, { maxBytes: facts.bounds().sizeBytes });
    expect(await evaluate(node, ['shop'])).toMatchObject({ kind: 'flags' });
    expect(await evaluate(node, ['xp'], { exposes: false })).toMatchObject({ kind: 'flags' });
    await world.clock.advance(1_000);
    Object.assign(facts.definition, { maxBytes: 1_000_000 });
    await world.clock.advance(5_000);
    expect(exposed()).toEqual([]);
    await see(node, P1, { flag_key: 'xp' });
    expect(exposed()).toEqual(['xp']);
    await evaluate(node, ['shop']);
    await world.clock.advanceUntil(() => exposed().length > 1);
    expect(exposed()).toEqual(['xp', 'shop']);
  });

  it('is what a later event exposes, context and all: ten players were served true, and ten false', async () => {
    const rules = [aRule({ conditions: { 'context.platform': 'ios' } })];
    const targeting = targetingOf([aFlag({ key: 'banner', rules })]);
    const { world, evaluate, see } = createWorld(definitionsOf(targeting));
    const node = await world.lead('a');
    const players = Array.from({ length: 20 }, (_, turn) => `player-${turn}`);
    for (const [turn, playerId] of players.entries()) {
      await world.register(node, playerId);
      const context = JSON.stringify({ platform: turn % 2 === 0 ? 'ios' : 'android' });
      const value = String(turn % 2 === 0);
      const bulk = { exposes: false, playerId, context };
      expect(await evaluate(node, 'all', bulk)).toMatchObject({ evaluations: [{ value }] });
    }
    for (const playerId of players) await see(node, playerId, { flag_key: 'banner' });
    const shown = world.facts('FlagExposed').map(({ entityId, value }) => [entityId, value]);
    expect(shown).toEqual(players.map((playerId, turn) => [playerId, String(turn % 2 === 0)]));
  });

  it('is answered after a new variant is stored', async () => {
    const { world, evaluate } = createWorld(DEFINITIONS, 20);
    const node = await world.lead('a');
    await world.register(node, P1);
    const storedThen = await evaluate(node, ['shop'], { exposes: false }).then(() => world.facts('FlagsServed').length);
    expect(storedThen).toBe(1);
    const records = world.records().length;
    expect(await evaluate(node, ['shop'], { exposes: false })).toMatchObject({ kind: 'flags' });
    expect(world.records()).toHaveLength(records);
  });

  it('whose owner dies before storing it is stored and answered by the next owner', async () => {
    const { world, evaluate, see } = createWorld();
    const node = await world.lead('a');
    await world.register(node, P1);
    const lost = evaluate(node, ['shop'], { exposes: false }).catch(() => 'lost');
    node.kill();
    const second = await world.lead('b');
    expect(world.facts('FlagsServed')).toEqual([]);
    await see(second, P1, { flag_key: 'shop' });
    expect(world.facts('FlagExposed')).toEqual([]);
    expect(await second.metrics.text()).toContain('flag_exposures_total{attribution="unattributed"} 1');
    expect(await evaluate(second, ['shop'], { exposes: false })).toMatchObject({ kind: 'flags' });
    await see(second, P1, { flag_key: 'shop' });
    expect(world.facts('FlagExposed')).toMatchObject([{ variantKey: 'b', attribution: 'served' }]);
    void lost;
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
    body: { kind: 'EvaluateFlags', playerId: P1, flagKeys: ['shop'], context: '{}', exposes: true, by: 'server' },
  };
  const shop: FlagsReply = {
    kind: 'flags',
    evaluations: [{ flagKey: 'shop', value: '"b"', variantKey: 'b', reason: 'percentage_rollout', period: 1 }],
    unknownFlags: [],
    durationUs: 1,
  };
  const targeting = DEFINITIONS.of('demo', 'live');

  const player = aPlayer({ id: P1, servedFlags: [kept('shop')] });
  const answer = { requestId: '1', replyTo: 'g', epoch: 1, partition: 0, reply: shop };
  const evaluated = { query, answer, player, targeting };

  it('carry the revision they were evaluated under and the time of the evaluation', () => {
    const exposures = createExposures({ nowMs: () => 5_000, onWork: () => {} });
    expect(exposures.note(evaluated)).toBe(false);
    expect(exposures.take(false)?.command).toMatchObject({
      receivedAt: 5_000,
      configRevision: 4,
      body: { kind: 'ExposeFlag', flagVersion: 2 },
    });
    expect(exposures.take(false)).toBeUndefined();
  });

  it('delay the reply until the variant is stored, and are repeated when FACTS refuses them', () => {
    const exposures = createExposures({ nowMs: () => 5_000, onWork: () => {} });
    expect(exposures.note({ ...evaluated, player: aPlayer({ id: P1 }) })).toBe(true);
    const served = exposures.take(false);
    const exposed = exposures.take(false);
    expect([served?.command.body.kind, served?.answer, exposed?.answer]).toEqual(['ServeFlags', answer, undefined]);
    exposures.refused([served, exposed].filter((one) => one !== undefined));
    expect(exposures.take(false)).toBeUndefined();
    expect(exposures.take(true)).toEqual({ command: served?.command });
    expect(exposures.take(true)).toBeUndefined();
  });

  it('are bounded; each one taken frees space', () => {
    let calls = 0;
    const exposures = createExposures({ nowMs: () => 5_000, onWork: () => void (calls += 1) });
    const note = () => exposures.note(evaluated);
    const drain = () => {
      let taken = 0;
      while (exposures.take(false) !== undefined) taken += 1;
      return taken;
    };
    for (let i = 0; i < OWNER_LIMITS.waitingExposures + 5; i++) note();
    expect(calls).toBe(OWNER_LIMITS.waitingExposures);
    // What cannot be recorded is answered without.
    expect(exposures.note({ ...evaluated, player: aPlayer({ id: P1 }) })).toBe(false);
    expect(exposures.take(false)).toBeDefined();
    note();
    note();
    expect(drain()).toBe(OWNER_LIMITS.waitingExposures);
    note();
    expect(drain()).toBe(1);
  });
});

/** What `shop` of these definitions serves, as a player keeps it. */
function kept(flagKey: string): ServedFlag {
  const what = { variantKey: 'b', value: '"b"', reason: 'percentage_rollout' } as const;
  return { flagKey, flagVersion: 2, period: 1, ...what, changes: 0, mixed: false, earlier: [] };
}
