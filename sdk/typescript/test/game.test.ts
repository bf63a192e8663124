import { describe, expect, it } from 'vitest';
import { createWorld, storedNames } from './support/world.ts';

describe('a session', () => {
  it('registers, inits, syncs with the interval and ends', async () => {
    const world = createWorld();
    const game = world.start();
    await world.settle();
    expect(game.sessionId).toBe('ses_1');
    expect(game.playerId).toBe('6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11');
    expect(game.segments).toEqual(['regulars']);
    expect(game.track('level_up', { level: 4 })).toBe(true);
    expect(game.setState({ level: 4 })).toBe(true);
    await world.pass(29_000);
    expect(world.service.paths()).toEqual(['players', 'init']);
    await world.pass(1_000);
    expect(world.service.paths()).toEqual(['players', 'init', 'sync']);
    expect(world.service.events).toMatchObject([
      { event_name: 'level_up', properties: { level: 4 }, session_id: 'ses_1', timestamp: '2026-01-15T10:00:00.000Z' },
    ]);
    expect(world.service.attributes).toEqual({ level: 4 });
    game.track('match_end');
    await game.end();
    expect(world.service.paths().slice(3)).toEqual(['end-session']);
    expect(world.service.received.at(-1)?.body).toMatchObject({
      session_duration_seconds: 30,
      final_events: [{ event_name: 'match_end' }],
    });
    expect(game.sessionId).toBeUndefined();
    expect(world.problems).toEqual([]);
  });

  it('begins again with the next event after its end', async () => {
    const world = createWorld();
    const game = world.start();
    await game.ready;
    await game.end();
    game.track('back');
    await game.flush();
    expect(game.sessionId).toBe('ses_2');
    expect(world.service.events).toMatchObject([{ event_name: 'back', session_id: 'ses_2' }]);
  });

  it('syncs without events too, so that it stays open and flags arrive', async () => {
    const world = createWorld();
    world.start();
    await world.pass(95_000);
    expect(world.service.paths()).toEqual(['players', 'init', 'sync', 'sync', 'sync']);
    const keys = world.service.received.map(({ headers }) => headers['Idempotency-Key']);
    expect(new Set(keys).size).toBe(5);
  });

  it('sends at once when enough has gathered', async () => {
    const world = createWorld();
    const game = world.start({ flushAt: 3 });
    await world.settle();
    game.track('a');
    game.track('b');
    await world.settle();
    expect(storedNames(world)).toEqual([]);
    game.track('c');
    await world.settle();
    expect(storedNames(world)).toEqual(['a', 'b', 'c']);
    game.track('large', { text: 'x'.repeat(31_000) });
    await world.settle();
    expect(storedNames(world)).toEqual(['a', 'b', 'c', 'large']);
  });

  it('sends events of an expired session with their session, and opens another', async () => {
    const world = createWorld();
    const game = world.start();
    await world.settle();
    game.track('before_sleep');
    world.service.sessions.set('ses_1', 'expired');
    await world.pass(30_000);
    expect(world.service.events).toMatchObject([{ event_name: 'before_sleep', session_id: 'ses_1' }]);
    expect(game.sessionId).toBe('ses_2');
    expect(world.service.paths()).toEqual(['players', 'init', 'sync', 'init', 'events/batch']);
  });

  it('registers again when the service lost the player', async () => {
    const world = createWorld();
    const game = world.start();
    await world.settle();
    world.service.players.clear();
    game.track('a');
    await world.pass(60_000);
    expect(storedNames(world)).toEqual(['a']);
    expect(world.service.players.size).toBe(1);
  });
});

describe('createGame', () => {
  it.each([
    [{ baseUrl: '' }, 'baseUrl is missing'],
    [{ baseUrl: 'localhost:8080' }, 'baseUrl is no address'],
    [{ key: '' }, 'key is missing'],
    [{ key: 'sk_live_1' }, 'key is a server key'],
    [{ key: 'pk_live_…' }, 'key is no client key'],
    [{ player: '' }, 'player is missing'],
    [{ player: '[object Object]' }, 'player is "[object Object]"'],
  ])('refuses %j, which a game cannot mean, and says why', (options, message) => {
    expect(() => createWorld().start(options)).toThrow(`createGame: ${message}`);
  });

  it('takes a path of the own host', async () => {
    await createWorld().start({ baseUrl: '/analytics' }).ready;
  });
});

describe('flags', () => {
  it('answers the fallback until they are known, and never throws', async () => {
    const world = createWorld();
    const game = world.start();
    expect(game.flag('new_shop', 'old')).toBe('old');
    await game.ready;
    expect(game.flag('new_shop', 'old')).toBe('blue');
    expect(game.flag('double_xp', true)).toBe(false);
    expect(game.flag('constructor', 'none')).toBe('none');
  });

  it('answers the served value, and the fallback if it is of another type', async () => {
    const world = createWorld();
    const rows = { rows: 3 };
    // The control of an experiment is on, with a value that is not.
    world.service.flags = {
      bonus: { enabled: true, variant: 'control', value: 0 },
      layout: { enabled: true, variant: 'a', value: rows },
      list: { enabled: true, variant: 'a', value: [1] },
      off: { enabled: false, value: null, reason: 'flag_disabled' },
      large: { enabled: true, variant: 'a' },
    };
    const game = world.start();
    await game.ready;
    expect(game.flag('bonus', 100)).toBe(0);
    expect(game.flag('bonus', false)).toBe(false);
    expect(game.flag('bonus', '')).toBe('');
    expect(game.flag('layout', {})).toEqual(rows);
    expect(game.flag('layout', [])).toEqual([]);
    expect(game.flag('list', [])).toEqual([1]);
    expect(game.flag('list', {})).toEqual({});
    expect(game.flag('list', null)).toEqual([1]);
    expect(game.flag('off', 5)).toBe(5);
    expect(game.flag('off', null)).toBeNull();
    expect(game.flag('large', 'x')).toBe('x');
    expect(game.flags['bonus']).toEqual({ enabled: true, variant: 'control', value: 0 });
  });

  it('reports changes, also when a listener throws', async () => {
    const world = createWorld();
    const game = world.start();
    const changes: unknown[] = [];
    await game.ready;
    game.onFlagChange(() => {
      throw new Error('listener');
    });
    const remove = game.onFlagChange((key, flag) => void changes.push([key, flag]));
    const red = { enabled: true, variant: 'b', value: 'red', reason: 'percentage_rollout' };
    world.service.flags['new_shop'] = red;
    await world.pass(30_000);
    expect(changes).toEqual([['new_shop', red]]);
    expect(game.flag('new_shop', 'old')).toBe('red');
    expect(world.problems).toMatchObject([{ kind: 'listener' }]);
    remove();
    world.service.flags['double_xp'] = { enabled: true, value: true };
    await world.pass(30_000);
    expect(changes).toHaveLength(1);
  });

  it('has those of the last session after a cold start without network', async () => {
    const world = createWorld();
    await world.start().ready;
    await world.settle();
    world.kill();
    world.service.onRequest = () => 'cut';
    const game = world.start();
    await game.ready;
    expect(game.flag('new_shop', 'old')).toBe('blue');
    expect(game.segments).toEqual(['regulars']);
  });

  it('tracks exposures', async () => {
    const world = createWorld();
    const game = world.start();
    await game.ready;
    game.expose('new_shop');
    await game.flush();
    expect(world.service.events).toMatchObject([{ properties: { flag_key: 'new_shop', variant_key: 'b' } }]);
  });
});

describe('interventions', () => {
  const intervention = {
    intervention_id: 'int_1',
    type: 'in_app_message',
    content: { title: 'Hi' },
    display_rules: {},
  };

  it('are delivered once, also to a listener that comes later', async () => {
    const world = createWorld();
    const game = world.start();
    world.service.interventions = [intervention, { broken: true }];
    await world.pass(30_000);
    const shown: unknown[] = [];
    game.onIntervention(({ intervention_id: id }) => void shown.push(id));
    expect(shown).toEqual(['int_1']);
    await world.pass(60_000);
    expect(shown).toEqual(['int_1']);
  });

  it('are delivered when the first answer was lost', async () => {
    const world = createWorld();
    const game = world.start();
    const shown: unknown[] = [];
    game.onIntervention(({ intervention_id: id }) => void shown.push(id));
    await world.settle();
    world.service.interventions = [intervention];
    world.service.faults = ['lost'];
    await world.pass(40_000);
    expect(shown).toEqual(['int_1']);
  });
});

describe('the clock', () => {
  it('stamps events with the time of the service, also those tracked before it was known', async () => {
    const world = createWorld();
    world.skewMs = -86_400_000 * 365;
    const game = world.start();
    game.track('early');
    await world.settle();
    game.track('later');
    await game.flush();
    expect(world.service.events.map(({ timestamp }) => timestamp)).toEqual([
      '2026-01-15T10:00:00.000Z',
      '2026-01-15T10:00:00.000Z',
    ]);
    expect(game.nowMs()).toBe(Date.parse('2026-01-15T10:00:00Z'));
  });

  it('does not follow the device back', async () => {
    const world = createWorld();
    const game = world.start();
    await world.settle();
    game.track('a');
    world.skewMs = -3_600_000;
    await world.pass(1000);
    game.track('b');
    await game.flush();
    expect(world.service.events.map(({ timestamp }) => timestamp)).toEqual([
      '2026-01-15T10:00:00.000Z',
      '2026-01-15T10:00:01.000Z',
    ]);
  });

  it('keeps the order of events when the device jumps forward and the service corrects it', async () => {
    const world = createWorld();
    const game = world.start();
    await world.settle();
    world.skewMs = 3_600_000 * 24 * 365;
    game.track('a');
    world.service.sessions.set('ses_1', 'expired');
    await game.flush();
    game.track('b');
    await game.flush();
    expect(storedNames(world)).toEqual(['a', 'b']);
    expect(world.service.events.at(-1)?.timestamp).toBe('2026-01-15T10:00:00.000Z');
  });

  it('takes the time of the first attempt when the answer of init is repeated', async () => {
    const world = createWorld();
    world.service.faults = ['ok', 'lost'];
    const game = world.start({ timeoutMs: 1000 });
    await world.pass(20_000);
    expect(game.sessionId).toBe('ses_1');
    expect(game.nowMs() - world.service.serverMs()).toBe(0);
  });
});
