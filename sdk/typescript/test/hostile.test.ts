import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../core/kernel/text/json.ts';
import { createWorld, storedNames } from './support/world.ts';

/* What other code of the game, the service, or something in between may do wrong: nothing of it ends the client. */

/** A value that cannot become a text, as JSON or as what code may throw. */
const TEXTLESS: Json = { toString: 1, valueOf: 1 };
function thrown(): never {
  throw TEXTLESS;
}

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => void process.on('unhandledRejection', note));
afterEach(() => {
  process.off('unhandledRejection', note);
  expect(unhandled.splice(0)).toEqual([]);
});

describe('answers of the wrong shape', () => {
  const values: Json[] = [null, true, -1, 1e308, 'x', '', [], {}, TEXTLESS, [TEXTLESS], { index: TEXTLESS }];
  const places: [path: string, field: string][] = [
    ['/v1/players/players', 'id'],
    ['/v1/players/players', 'external_id'],
    ['/v1/bff/game/init', 'player'],
    ['/v1/bff/game/init', 'session_id'],
    ['/v1/bff/game/init', 'server_time'],
    ['/v1/bff/game/sync', 'events_accepted'],
    ['/v1/bff/game/sync', 'rejected'],
    ['/v1/bff/game/sync', 'warnings'],
    ['/v1/bff/game/end-session', 'session_summary'],
    ['/v1/bff/game/end-session', 'rejected'],
  ];

  it.each(places)('%s with a faulty %s neither lose nor stop anything', async (path, field) => {
    for (const value of values) {
      const world = createWorld();
      let faults = 1;
      world.service.onAnswer = (at, data) => (at === path && faults-- > 0 ? { ...data, [field]: value } : data);
      const game = world.start();
      for (const name of ['a', 'b']) game.track(name);
      await world.pass(700_000);
      await game.end();
      await world.pass(700_000);
      expect([value, storedNames(world)]).toEqual([value, ['a', 'b']]);
      expect([value, await game.shutdown()]).toEqual([value, { unsent: [] }]);
    }
  });

  it.each([
    ['rejected', [{ index: 0, error: { code: 'VALIDATION_ERROR', message: TEXTLESS } }]],
    ['warnings', [{ index: 0, quarantined: TEXTLESS }]],
    ['updated_flags', { a: TEXTLESS, b: { enabled: true, variant: TEXTLESS }, c: null }],
    ['interventions', [TEXTLESS, { intervention_id: TEXTLESS }, { intervention_id: 'i', content: TEXTLESS }]],
  ])('may have anything in %s', async (field, value) => {
    const world = createWorld();
    let faults = 1;
    world.service.onAnswer = (at, data) => (at.endsWith('sync') && faults-- > 0 ? { ...data, [field]: value } : data);
    const game = world.start();
    game.onIntervention(() => {});
    game.track('a');
    await world.pass(10_000);
    game.track('b');
    await world.pass(700_000);
    expect(storedNames(world)).toEqual(['a', 'b']);
    expect(await game.shutdown()).toEqual({ unsent: [] });
  });

  it('of a batch may name no event', async () => {
    const world = createWorld();
    let faults = 3;
    const wrong = ['length', 'constructor', TEXTLESS];
    world.service.onAnswer = (at, data) => {
      if (!at.endsWith('batch') || faults === 0) return data;
      faults -= 1;
      return { ...data, results: [{ index: wrong[faults], event_id: null, status: 'rejected' }] };
    };
    world.service.faults = ['cut', 'cut', 'cut'];
    world.start().track('a');
    await world.settle();
    world.kill();
    // Beyond the time in which a start goes on with the session.
    await world.pass(1_860_000);
    world.start();
    await world.pass(700_000);
    expect(faults).toBe(0);
    expect(world.dropped).toEqual([]);
    expect(world.problems.some(({ kind }) => kind === 'bad-answer')).toBe(true);
  });

  it('may be refusals with faulty details', async () => {
    const world = createWorld();
    const game = world.start();
    await world.settle();
    world.service.faults = [
      { status: 400, code: 'VALIDATION_ERROR', details: { fields: [{ path: TEXTLESS, message: TEXTLESS }, null, 1] } },
    ];
    game.track('a');
    game.track('b');
    game.setState({ level: 1 });
    await world.pass(700_000);
    expect(storedNames(world)).toEqual(['a', 'b']);
    expect(world.service.attributes).toEqual({ level: 1 });
  });
});

describe('code of the game', () => {
  it('may throw what has no text, and reject', async () => {
    const world = createWorld();
    const throwing = () => thrown();
    const rejecting = (): unknown => Promise.resolve().then(thrown);
    world.service.interventions = [{ intervention_id: 'i', content: {} }];
    const game = world.start({
      onProblem: rejecting,
      onDropped: rejecting,
      playerToken: () => Promise.reject(TEXTLESS),
    });
    for (const listener of [throwing, rejecting]) {
      game.onFlagChange(listener);
      game.onIntervention(listener);
    }
    game.track('', {});
    game.track('a');
    await world.pass(10_000);
    const working = world.start({ player: 'bob', onProblem: rejecting, onDropped: throwing });
    working.onFlagChange(throwing);
    working.onFlagChange(rejecting);
    working.onIntervention(rejecting);
    working.onIntervention(throwing);
    working.track('', {});
    working.track('b');
    await world.pass(100_000);
    expect(storedNames(world)).toEqual(['b']);
  });

  it('hears of a listener that rejects', async () => {
    const world = createWorld();
    const game = world.start();
    const listener = (): unknown => Promise.reject(new Error('no such screen'));
    game.onFlagChange(listener);
    await world.pass(10_000);
    expect(world.problems.map(({ kind, message }) => [kind, message])).toContainEqual([
      'listener',
      'A callback threw: Error: no such screen',
    ]);
  });

  it('may track in onDropped without losing more', async () => {
    const world = createWorld();
    world.service.onRequest = () => 'cut';
    const dropped: string[] = [];
    const game = world.start({
      maxQueued: 20,
      onDropped(event) {
        dropped.push(event.name);
        game.track('dropped', { name: event.name });
      },
    });
    await world.settle();
    for (let index = 0; index < 25; index += 1) game.track(`e${index}`);
    game.track('', {});
    expect(dropped).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', '', 'e5']);
    const { unsent } = await game.shutdown();
    expect(unsent.map(({ name }) => name).slice(-2)).toEqual(['e24', 'dropped']);
  });

  it('may close what tabs use to talk', async () => {
    const world = createWorld();
    const channel = () => ({
      post() {
        throw new Error('InvalidStateError');
      },
      close() {
        throw new Error('InvalidStateError');
      },
    });
    const game = world.start({}, { channel });
    game.track('a');
    await world.pass(10_000);
    expect(storedNames(world)).toEqual(['a']);
    await game.setConsent(false);
    await game.setConsent(true);
    game.track('b');
    await game.end();
    await world.pass(10_000);
    expect(await game.shutdown()).toEqual({ unsent: [] });
    expect(storedNames(world)).toEqual(['a', 'b']);
  });
});
