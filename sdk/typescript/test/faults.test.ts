import { describe, expect, it } from 'vitest';
import type { Fault } from './support/model-service.ts';
import { createWorld, storedNames, type World } from './support/world.ts';

/** Names `e0` to `e<count - 1>`. */
const names = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`);

function trackAll(game: ReturnType<World['start']>, count: number): void {
  for (const name of names(count)) game.track(name);
}

describe('requests that fail', () => {
  const faults: [string, Fault][] = [
    ['a cut connection', 'cut'],
    ['an answer that is cut', 'lost'],
    ['no answer', 'hang'],
    ['half an answer', 'garbage'],
    ['the page of a captive portal', 'portal'],
    ['500', { status: 500, code: 'INTERNAL_ERROR' }],
    ['503', { status: 503 }],
    ['429', { status: 429, headers: { 'Retry-After': '2' } }],
    ['409', { status: 409, code: 'CONFLICT' }],
    ['404 of something else', { status: 404, code: 'NOT_FOUND' }],
  ];

  it.each(faults)('%s at any request loses nothing and doubles nothing', async (_, fault) => {
    for (let position = 0; position < 5; position += 1) {
      const world = createWorld();
      world.service.faults = [...Array.from({ length: position }, (): Fault => 'ok'), fault, fault];
      const game = world.start();
      trackAll(game, 120);
      await world.pass(700_000);
      await game.end();
      await world.pass(700_000);
      expect([position, storedNames(world)]).toEqual([position, names(120)]);
      expect([...world.service.sessions.values()]).toEqual(['ended']);
    }
  });

  it('are repeated unchanged under the same Idempotency-Key', async () => {
    const world = createWorld();
    const game = world.start();
    await world.settle();
    game.track('a');
    world.service.faults = ['lost'];
    await game.flush();
    game.track('b');
    await world.pass(5_000);
    const [first, second, third] = world.service.received.slice(2);
    expect(second).toEqual(first);
    expect(third?.headers['Idempotency-Key']).not.toBe(first?.headers['Idempotency-Key']);
    expect(storedNames(world)).toEqual(['a', 'b']);
  });

  it('are repeated after growing waits, with jitter', async () => {
    const world = createWorld();
    world.service.onRequest = () => ({ status: 503 });
    const at: number[] = [];
    const start = world.service.serverMs();
    world.service.onRequest = () => {
      at.push(world.service.serverMs() - start);
      return { status: 503 };
    };
    world.start();
    await world.pass(3_600_000);
    const waits = at.slice(1).map((each, index) => each - (at[index] ?? 0));
    for (const [index, wait] of waits.entries()) {
      const most = Math.min(1000 * 2 ** index, 60_000);
      expect(wait).toBeGreaterThanOrEqual(most / 2);
      expect(wait).toBeLessThanOrEqual(most);
    }
    expect(waits.length).toBeGreaterThan(60);
    expect(waits.length).toBeLessThan(130);
  });
});

describe('timers that fire too early', () => {
  it('do not end the tries', async () => {
    const world = createWorld();
    world.earlyMs = 0.7;
    world.service.onRequest = () => ({ status: 503 });
    const game = world.start();
    game.track('a');
    await world.pass(600_000);
    const tries = world.service.received.length;
    expect(tries).toBeGreaterThan(5);
    world.service.onRequest = () => undefined;
    await world.pass(400_000);
    expect(storedNames(world)).toEqual(['a']);
  });
});

describe('429', () => {
  it('waits for Retry-After, also when a flush is asked for, and is no failed try', async () => {
    const world = createWorld();
    const game = world.start();
    await world.settle();
    game.track('a');
    world.service.faults = Array.from({ length: 6 }, () => ({ status: 429, headers: { 'Retry-After': '20' } }));
    await game.flush();
    await game.flush();
    await world.pass(19_900);
    expect(world.service.paths()).toEqual(['players', 'init', 'sync']);
    await world.pass(2_200);
    expect(world.service.paths()).toEqual(['players', 'init', 'sync', 'sync']);
    await world.pass(5 * 22_000);
    expect(storedNames(world)).toEqual(['a']);
    expect(world.problems.every(({ kind }) => kind === 'rate-limit')).toBe(true);
  });

  it('with a date or nonsense in Retry-After never waits for ever', async () => {
    for (const value of ['Thu, 15 Jan 2026 10:00:30 GMT', '1e99', '-5', 'soon', '']) {
      const world = createWorld();
      world.service.faults = [{ status: 429, headers: { 'Retry-After': value } }];
      const game = world.start();
      game.track('a');
      await world.pass(4_000_000);
      expect([value, storedNames(world)]).toEqual([value, ['a']]);
    }
  });
});

describe('events that the service refuses', () => {
  it('are dropped alone, and reported', async () => {
    const world = createWorld();
    world.service.refuses = new Set(['e3', 'e7']);
    const game = world.start();
    trackAll(game, 10);
    await game.flush();
    expect(storedNames(world)).toEqual(names(10).filter((name) => name !== 'e3' && name !== 'e7'));
    expect(world.dropped).toMatchObject([
      { name: 'e3', reason: 'rejected', message: 'VALIDATION_ERROR: Refused.' },
      { name: 'e7', reason: 'rejected' },
    ]);
    await game.flush();
    expect(world.dropped).toHaveLength(2);
  });

  it('are dropped when they are sent after their session, also if no other event is in the request', async () => {
    const world = createWorld();
    world.service.refuses = new Set(['bad']);
    const game = world.start();
    await world.settle();
    game.track('bad');
    world.service.sessions.set('ses_1', 'expired');
    await game.flush();
    game.track('good');
    await game.flush();
    expect(storedNames(world)).toEqual(['good']);
    expect(world.dropped).toMatchObject([{ name: 'bad' }]);
  });

  it('are found by halves when the service refuses the whole request', async () => {
    const world = createWorld();
    world.service.onRequest = ({ path, body }) => {
      const text = JSON.stringify(body);
      return path.endsWith('/sync') && text.includes('"e33"') ? { status: 400, code: 'VALIDATION_ERROR' } : undefined;
    };
    const game = world.start();
    trackAll(game, 120);
    await game.flush();
    expect(storedNames(world)).toEqual(names(120).filter((name) => name !== 'e33'));
    expect(world.dropped).toMatchObject([{ name: 'e33', reason: 'rejected' }]);
  });

  it('413 halves, and drops what alone is too large', async () => {
    const world = createWorld();
    world.service.mostBytes = 2_000;
    const game = world.start();
    trackAll(game, 40);
    game.track('large', { text: 'x'.repeat(3_000) });
    game.track('last');
    await game.flush();
    expect(storedNames(world)).toEqual([...names(40), 'last']);
    expect(world.dropped).toMatchObject([{ name: 'large', reason: 'too-large', properties: { text: /x+/ } }]);
  });

  it('attributes that the service refuses are dropped, and the events stay', async () => {
    const world = createWorld();
    const fields = [{ path: '/state_updates', message: 'is too large' }];
    world.service.onRequest = ({ body }) =>
      'state_updates' in body ? { status: 400, code: 'VALIDATION_ERROR', details: { fields } } : undefined;
    const game = world.start();
    game.track('a');
    game.setState({ level: 4 });
    await game.flush();
    expect(storedNames(world)).toEqual(['a']);
    expect(world.problems).toMatchObject([{ kind: 'refused' }]);
  });
});

describe('answers to another request', () => {
  it('with other ids are not taken', async () => {
    const world = createWorld();
    const others: Record<string, Record<string, unknown>> = {
      '/v1/players/players': { id: 'other', external_id: 'other' },
      '/v1/bff/game/init': { player: { player_id: 'other' }, session_id: 'ses_9', server_time: '2026-01-01T00:00:00Z' },
      '/v1/bff/game/end-session': { session_summary: { session_id: 'ses_9' }, rejected: [] },
    };
    const swapped = new Set<string>();
    world.service.onAnswer = (path, data) => {
      if (swapped.has(path)) return data;
      swapped.add(path);
      return others[path] ?? data;
    };
    const game = world.start();
    game.track('a');
    await world.pass(60_000);
    await game.end();
    await world.pass(60_000);
    expect(storedNames(world)).toEqual(['a']);
    expect([...world.service.sessions.entries()]).toEqual([['ses_1', 'ended']]);
    expect(world.problems.filter(({ kind }) => kind === 'bad-answer')).toHaveLength(3);
  });

  it('with other counts are asked for again', async () => {
    const world = createWorld();
    const game = world.start();
    await world.settle();
    trackAll(game, 4);
    let answers = 0;
    world.service.onAnswer = (path, data) => {
      if (!path.endsWith('/sync')) return data;
      answers += 1;
      const wrong = [{ ...data, events_accepted: 9 }, { ...data, events_accepted: 1 }, { interventions: [] }];
      return wrong[answers - 1] ?? data;
    };
    await world.pass(60_000);
    expect(storedNames(world)).toEqual(names(4));
    expect(answers).toBeGreaterThan(3);
    expect(world.dropped).toEqual([]);
  });
});

describe('a refused key or player', () => {
  it('keeps the events and tries rarely', async () => {
    const world = createWorld();
    world.service.onRequest = () => ({ status: 401, code: 'UNAUTHORIZED' });
    const game = world.start();
    game.track('a');
    await world.pass(3_600_000);
    expect(world.service.received.length).toBeLessThan(30);
    expect(world.problems[0]).toMatchObject({ kind: 'unauthorized' });
    world.service.onRequest = () => undefined;
    await world.pass(600_000);
    expect(storedNames(world)).toEqual(['a']);
  });

  it('gets a new player token and repeats', async () => {
    const world = createWorld();
    const tokens = ['t1', 't2'];
    world.service.onRequest = ({ headers }) =>
      headers['X-Player-Token'] === 't2' ? undefined : { status: 403, code: 'FORBIDDEN' };
    const game = world.start({ playerToken: () => tokens.shift() ?? 't2' });
    game.track('a');
    await game.flush();
    expect(storedNames(world)).toEqual(['a']);
    expect(world.problems).toEqual([]);
  });

  it('survives a token callback that fails', async () => {
    const world = createWorld();
    let calls = 0;
    const playerToken = () => {
      calls += 1;
      if (calls < 3) throw new Error('offline');
      return 't';
    };
    const game = world.start({ playerToken });
    game.track('a');
    await world.pass(60_000);
    expect(storedNames(world)).toEqual(['a']);
  });
});
