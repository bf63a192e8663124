import { describe, expect, it } from 'vitest';
import { createWorld, storedNames } from './support/world.ts';

const chunks = async (world: ReturnType<typeof createWorld>) => {
  const keys = (await world.storage.getAllKeys()).filter((key) => key.includes('/queue/'));
  return Promise.all(keys.map(async (key): Promise<unknown> => JSON.parse((await world.storage.getItem(key)) ?? '')));
};

describe('the queue', () => {
  it('is stored before it is sent', async () => {
    const world = createWorld();
    const game = world.start({ flushAt: 2 });
    await game.ready;
    const stored: unknown[] = [];
    world.service.onRequest = ({ path }) => {
      void chunks(world).then((found) => stored.push([path, found.flat().length]));
      return undefined;
    };
    game.track('a');
    game.track('b');
    await world.settle();
    expect(stored).toEqual([['/v1/bff/game/sync', 2]]);
    expect(await chunks(world)).toEqual([]);
  });

  it('works in memory while storage refuses, says so once, and stores as soon as it can', async () => {
    const world = createWorld();
    world.breakStorage.fails = (operation) => operation === 'setItem';
    world.service.onRequest = () => 'cut';
    const game = world.start();
    game.track('a');
    game.track('b');
    await world.pass(5_000);
    expect(world.problems.filter(({ kind }) => kind === 'storage')).toHaveLength(1);
    world.breakStorage.fails = () => false;
    await world.pass(60_000);
    expect((await chunks(world)).flat()).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    world.service.onRequest = () => undefined;
    await game.flush();
    expect(storedNames(world)).toEqual(['a', 'b']);
    expect(await chunks(world)).toEqual([]);
  });

  it.each(['getItem', 'setItem', 'removeItem', 'getAllKeys'] as const)('delivers while %s fails', async (broken) => {
    const world = createWorld();
    world.breakStorage.fails = (operation) => operation === broken;
    const game = world.start();
    game.track('a');
    await game.flush();
    game.track('b');
    await game.flush();
    await game.end();
    expect(storedNames(world)).toEqual(['a', 'b']);
    expect(world.problems.length).toBeGreaterThan(0);
  });

  it('delivers while storage hangs or throws', async () => {
    for (const broken of [
      () => new Promise<never>(() => {}),
      () => {
        throw new Error('sync');
      },
    ]) {
      const world = createWorld();
      const storage = { getItem: broken, setItem: broken, removeItem: broken, getAllKeys: broken };
      const game = world.start({}, { storage });
      game.track('a');
      await world.pass(60_000);
      expect(storedNames(world)).toEqual(['a']);
    }
  });

  it('drops the oldest events beyond its bounds, and says which', async () => {
    const world = createWorld();
    world.service.onRequest = () => 'cut';
    const game = world.start({ maxQueued: 100 });
    for (let index = 0; index < 250; index += 1) {
      game.track(`e${index}`);
      if (index % 50 === 0) await world.settle();
    }
    await world.pass(60_000);
    expect(world.dropped).toHaveLength(150);
    expect(world.dropped[0]).toMatchObject({ name: 'e0', reason: 'queue-full' });
    expect((await chunks(world)).flat()).toHaveLength(100);
    world.kill();
    world.service.onRequest = () => undefined;
    await world.start().flush();
    expect(storedNames(world)).toEqual(Array.from({ length: 100 }, (_, index) => `e${index + 150}`));
  });

  it('is bounded in bytes, and in changed attributes, of which the newest win', async () => {
    const world = createWorld();
    world.service.onRequest = () => 'cut';
    const game = world.start({ maxQueued: 10, maxQueuedBytes: 10_000 });
    for (let index = 0; index < 50; index += 1) game.setState({ [`k${index}`]: index, level: index });
    game.track('large', { text: 'x'.repeat(8_000) });
    game.track('other', { text: 'y'.repeat(8_000) });
    await world.pass(60_000);
    world.service.onRequest = () => undefined;
    await game.flush();
    expect(storedNames(world)).toEqual(['other']);
    expect(world.service.attributes).toMatchObject({ level: 49, k0: 0, k49: 49 });
  });
});

describe('what the game passes in', () => {
  it('is taken as it is at the call, and refused if it is no JSON object or too large', async () => {
    const world = createWorld();
    const game = world.start();
    await game.ready;
    const properties = { level: 1 };
    game.track('changed', properties);
    properties.level = 2;
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const thrower = {
      toJSON() {
        throw new Error('no');
      },
    };
    const faulty: unknown[] = [
      circular,
      7,
      'text',
      [1],
      null,
      { big: 1n },
      thrower,
      () => {},
      { text: 'x'.repeat(70_000) },
    ];
    for (const each of faulty) expect([each, game.track('faulty', each)]).toEqual([each, false]);
    for (const name of ['', 'x'.repeat(129), undefined, 7, {}]) expect(game.track(name)).toBe(false);
    expect(game.setState(circular)).toBe(false);
    expect(game.setState(undefined)).toBe(false);
    expect(world.dropped).toHaveLength(faulty.length + 5);
    expect(world.dropped.map(({ reason }) => reason)).toContain('too-large');
    await game.flush();
    expect(world.service.events).toMatchObject([{ event_name: 'changed', properties: { level: 1 } }]);
  });

  it('may be anything that JSON carries', async () => {
    const world = createWorld();
    const game = world.start();
    const properties = JSON.parse(
      '{"__proto__":{"a":1},"ünïcödé":"\\ud83d\\ude00","lone":"\\ud800","n":null,"q":"\\""}',
    );
    game.track('né"ws', properties);
    await game.flush();
    expect(world.service.events[0]).toMatchObject({ event_name: 'né"ws' });
    expect(JSON.stringify(world.service.events[0]?.properties)).toBe(JSON.stringify(properties));
  });
});

describe('consent', () => {
  it('required and not given: nothing is stored or sent', async () => {
    const world = createWorld();
    const game = world.start({ consent: 'required' });
    expect(game.track('a')).toBe(false);
    await game.ready;
    await world.pass(600_000);
    expect(world.service.received).toEqual([]);
    expect(await world.storage.getAllKeys()).toEqual([]);
    await game.setConsent(true);
    expect(game.track('b')).toBe(true);
    await game.flush();
    expect(storedNames(world)).toEqual(['b']);
    world.kill();
    const next = world.start({ consent: 'required' });
    await next.ready;
    expect(next.sessionId).toBe('ses_1');
  });

  it('withdrawn: stops, removes everything stored, and lasts', async () => {
    const world = createWorld();
    await world.storage.setItem('of another library', 'stays');
    const game = world.start();
    await game.ready;
    game.track('a');
    game.setState({ level: 1 });
    world.service.faults = ['hang'];
    void game.flush();
    await world.settle();
    await game.setConsent(false);
    expect(await world.storage.getAllKeys()).toEqual(['of another library', expect.stringContaining('consent')]);
    expect(game.track('b')).toBe(false);
    expect(game.flag('new_shop', 'old')).toBe('old');
    await world.pass(600_000);
    world.kill();
    world.service.received = [];
    const next = world.start();
    expect(next.track('before storage was read')).toBe(true);
    await next.ready;
    await world.pass(600_000);
    expect(next.track('c')).toBe(false);
    expect(world.service.received).toEqual([]);
    expect(await world.storage.getAllKeys()).toHaveLength(2);
  });

  it('changed back and forth ends as it was last set', async () => {
    const world = createWorld();
    const game = world.start();
    await game.ready;
    const changes = [game.setConsent(false), game.setConsent(true), game.setConsent(false), game.setConsent(true)];
    await Promise.all(changes);
    game.track('a');
    await game.flush();
    expect(storedNames(world)).toEqual(['a']);
  });
});
