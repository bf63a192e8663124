import { describe, expect, it } from 'vitest';
import { createWorld, storedNames } from './support/world.ts';

describe('a page that hides', () => {
  it('sends in the same turn, with keepalive and below 64 KiB', async () => {
    const world = createWorld();
    const game = world.start({ flushAt: 1000, flushAtBytes: 1_000_000 });
    await game.ready;
    for (let index = 0; index < 40; index += 1) game.track(`e${index}`, { text: 'x'.repeat(3_000) });
    world.setHidden(true);
    const first = world.service.received.at(-1);
    expect(first).toMatchObject({ path: '/v1/bff/game/sync', keepalive: true });
    expect(JSON.stringify(first?.body).length).toBeLessThan(60_000);
    await world.settle();
    expect(storedNames(world)).toHaveLength(40);
    expect(world.service.received.slice(2).every(({ keepalive }) => keepalive)).toBe(true);
  });

  it('and is killed sends the rest at the next start, and nothing twice', async () => {
    const world = createWorld();
    const game = world.start({ flushAt: 1000, flushAtBytes: 1_000_000 });
    await game.ready;
    const tracked = Array.from({ length: 40 }, (_, index) => `e${index}`);
    for (const name of tracked) game.track(name, { text: 'x'.repeat(3_000) });
    await world.settle();
    world.setHidden(true);
    world.kill();
    await world.start().flush();
    expect(storedNames(world)).toEqual(tracked);
  });

  it('asks for nothing while it is hidden, and syncs when it shows', async () => {
    const world = createWorld();
    const game = world.start();
    await game.ready;
    world.setHidden(true);
    await world.pass(600_000);
    expect(world.service.paths()).toEqual(['players', 'init']);
    game.track('in_background');
    await world.pass(30_000);
    expect(storedNames(world)).toEqual(['in_background']);
    world.setHidden(false);
    await world.pass(30_000);
    expect(world.service.paths()).toEqual(['players', 'init', 'sync', 'sync']);
  });

  it('during init loses nothing', async () => {
    const world = createWorld();
    world.service.faults = ['ok', 'hang'];
    const game = world.start({ timeoutMs: 5_000 });
    game.track('a');
    await world.settle();
    expect(world.service.paths()).toEqual(['players', 'init']);
    world.setHidden(true);
    game.track('b');
    await world.pass(60_000);
    expect(storedNames(world)).toEqual(['a', 'b']);
    expect(world.service.sessions.size).toBe(1);
  });

  it('before the first answer, and killed, loses nothing', async () => {
    const world = createWorld();
    world.service.onRequest = () => 'hang';
    const game = world.start();
    game.track('a');
    await world.settle();
    world.setHidden(true);
    game.track('b');
    await world.settle();
    world.kill();
    world.service.onRequest = () => undefined;
    await world.start().flush();
    expect(storedNames(world)).toEqual(['a', 'b']);
  });

  it('while a request and a storage operation are under way, and is killed, loses nothing', async () => {
    const world = createWorld();
    const slow = { ...world.storage };
    const game = world.start({ flushAt: 1 }, { storage: slow });
    await game.ready;
    world.service.onRequest = () => 'hang';
    game.track('a');
    await world.settle();
    slow.setItem = async (key, value) => {
      await world.storage.setItem(key, value);
      return new Promise(() => {});
    };
    game.track('b');
    await world.settle();
    game.track('c');
    world.setHidden(true);
    world.kill();
    world.service.onRequest = () => undefined;
    await world.start().flush();
    expect(storedNames(world)).toEqual(['a', 'b', 'c']);
  });

  it('before consent is known, stores nothing', async () => {
    const world = createWorld();
    const written: string[] = [];
    const storage = {
      ...world.storage,
      getItem: () => new Promise<never>(() => {}),
      setItem: async (key: string) => void written.push(key),
    };
    const game = world.start({}, { storage });
    game.track('a');
    world.setHidden(true);
    await world.settle();
    expect(written).toEqual([]);
  });

  it('sends at once when the network is back', async () => {
    const world = createWorld();
    world.service.onRequest = () => 'cut';
    const game = world.start();
    game.track('a');
    await world.pass(3_600_000);
    world.service.onRequest = () => undefined;
    world.setOnline();
    await world.settle();
    expect(storedNames(world)).toEqual(['a']);
  });
});

describe('shutdown', () => {
  it('ends the session, sends everything and answers that nothing is left', async () => {
    const world = createWorld();
    const game = world.start();
    await game.ready;
    for (let index = 0; index < 130; index += 1) game.track(`e${index}`);
    expect(await game.shutdown()).toEqual({ unsent: [] });
    expect(storedNames(world)).toHaveLength(130);
    expect([...world.service.sessions.values()]).toEqual(['ended']);
    expect(game.track('late')).toBe(false);
    await world.pass(600_000);
    expect(world.service.paths().filter((path) => path === 'sync')).toHaveLength(2);
  });

  it('says what could not be sent, and the next start sends it', async () => {
    const world = createWorld();
    const game = world.start();
    await game.ready;
    world.service.onRequest = () => 'cut';
    game.track('a');
    const report = await game.shutdown();
    expect(report.unsent).toMatchObject([{ name: 'a', timestamp: '2026-01-15T10:00:00.000Z' }]);
    expect(await game.shutdown()).toEqual(report);
    world.service.onRequest = () => undefined;
    await world.start().flush();
    expect(world.service.events).toMatchObject([{ event_id: report.unsent[0]?.id }]);
  });

  it('during a sync waits for its answer, but not longer than asked', async () => {
    const world = createWorld();
    const game = world.start({ timeoutMs: 60_000 });
    await game.ready;
    game.track('a');
    world.service.faults = ['hang'];
    void game.flush();
    await world.settle();
    game.track('b');
    const report = game.shutdown(3_000);
    await world.pass(10_000);
    expect((await report).unsent.map(({ name }) => name)).toEqual(['a', 'b']);
    world.kill();
    await world.start().flush();
    expect(storedNames(world)).toEqual(['a', 'b']);
  });

  it('before the start is over, or with storage that hangs, still ends', async () => {
    const world = createWorld();
    const hangs = { ...world.storage, getItem: () => new Promise<never>(() => {}) };
    const game = world.start({}, { storage: hangs });
    game.track('a');
    const report = game.shutdown(1_000);
    await world.pass(5_000);
    expect((await report).unsent).toHaveLength(1);
  });
});
