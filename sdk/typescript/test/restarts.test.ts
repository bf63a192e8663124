import { describe, expect, it } from 'vitest';
import type { Fault } from './support/model-service.ts';
import { createWorld, storedNames } from './support/world.ts';

describe('a restart', () => {
  it('sends what an earlier run tracked, with its session, and then its own', async () => {
    const world = createWorld();
    const first = world.start();
    await first.ready;
    world.service.onRequest = () => 'cut';
    first.track('a');
    first.track('b');
    await first.flush();
    world.kill();
    world.service.onRequest = () => undefined;
    const second = world.start();
    second.track('c');
    await second.flush();
    expect(world.service.events).toMatchObject([
      { event_name: 'a', session_id: 'ses_1' },
      { event_name: 'b', session_id: 'ses_1' },
      { event_name: 'c', session_id: 'ses_1' },
    ]);
  });

  it('after a lost answer doubles nothing', async () => {
    const world = createWorld();
    const first = world.start();
    await first.ready;
    first.track('a');
    first.setState({ level: 2 });
    world.service.faults = ['lost'];
    await first.flush();
    world.kill();
    const second = world.start();
    await second.flush();
    expect(storedNames(world)).toEqual(['a']);
    expect(world.service.attributes).toEqual({ level: 2 });
    expect(await world.storage.getAllKeys()).not.toContainEqual(expect.stringContaining('/queue/'));
  });

  it('after the session expired sends its events all the same', async () => {
    const world = createWorld();
    const first = world.start();
    await first.ready;
    world.service.onRequest = () => 'cut';
    first.track('a');
    void first.end();
    await world.settle();
    world.kill();
    world.service.sessions.set('ses_1', 'expired');
    world.service.onRequest = () => undefined;
    world.service.received = [];
    const second = world.start();
    await second.flush();
    expect(world.service.events).toMatchObject([{ event_name: 'a', session_id: 'ses_1' }]);
    expect(world.service.recorded).toEqual([]);
    await second.flush();
    expect(world.service.paths().filter((path) => path === 'end-session')).toHaveLength(1);
  });

  it('between the writes of an end and of the state opens one other session', async () => {
    const world = createWorld();
    const first = world.start();
    await first.ready;
    await world.settle();
    const [key = ''] = (await world.storage.getAllKeys()).filter((name) => name.endsWith('/state'));
    const state = (await world.storage.getItem(key)) ?? '';
    world.service.onRequest = () => 'cut';
    void first.end();
    await world.settle();
    world.kill();
    await world.storage.setItem(key, state);
    world.service.onRequest = () => undefined;
    world.service.received = [];
    const second = world.start();
    await second.flush();
    second.track('a');
    await second.flush();
    expect(world.service.paths().filter((path) => path === 'init')).toHaveLength(1);
    expect(world.service.events).toMatchObject([{ event_name: 'a', session_id: 'ses_2' }]);
  });

  it('records a session that was played offline from its start to its end', async () => {
    const world = createWorld();
    world.service.onRequest = () => 'cut';
    const first = world.start();
    await world.settle();
    first.track('a');
    await world.pass(600_000);
    first.track('b');
    void first.end();
    await world.settle();
    world.kill();
    await world.pass(1000);
    world.service.onRequest = () => undefined;
    await world.start().flush();
    expect(world.service.recorded).toMatchObject([
      { duration_seconds: 600, start_time: '2026-01-15T10:00:00.000Z', end_time: '2026-01-15T10:10:00.000Z' },
    ]);
    const session = world.service.recorded[0]?.['session_id'];
    expect(world.service.events).toMatchObject([
      { event_name: 'a', session_id: session, timestamp: '2026-01-15T10:00:00.000Z' },
      { event_name: 'b', session_id: session, timestamp: '2026-01-15T10:10:00.000Z' },
    ]);
  });

  it('with the clock set back keeps the order', async () => {
    const world = createWorld();
    world.service.onRequest = () => 'cut';
    const first = world.start();
    await world.settle();
    first.track('a');
    await world.settle();
    world.kill();
    world.skewMs = -86_400_000;
    const second = world.start();
    await world.settle();
    second.track('b');
    await world.settle();
    world.kill();
    world.service.onRequest = () => undefined;
    const third = world.start();
    third.track('c');
    await third.flush();
    expect(storedNames(world)).toEqual(['a', 'b', 'c']);
  });

  it('with storage that is slow to read sends older events first all the same', async () => {
    const world = createWorld();
    const first = world.start();
    await first.ready;
    world.service.onRequest = () => 'cut';
    first.track('a');
    await world.settle();
    world.kill();
    world.service.onRequest = () => undefined;
    let release = () => {};
    const slow = new Promise<void>((resolve) => (release = resolve));
    const getItem = async (key: string): Promise<string | null> => {
      if (key.includes('/queue/')) await slow;
      return world.storage.getItem(key);
    };
    const storage = { ...world.storage, getItem };
    const second = world.start({}, { storage });
    second.track('b');
    await world.pass(10_000);
    expect(second.sessionId).toBe('ses_1');
    world.setHidden(true);
    expect(storedNames(world)).toEqual([]);
    world.setHidden(false);
    release();
    await second.flush();
    expect(storedNames(world)).toEqual(['a', 'b']);
  });

  it('with many older events in slow storage sends them first, however long it takes', async () => {
    const world = createWorld();
    const first = world.start();
    await first.ready;
    world.service.onRequest = () => 'cut';
    for (const name of ['a', 'b', 'c', 'd']) {
      first.track(name);
      await world.settle();
    }
    world.kill();
    world.service.onRequest = () => undefined;
    const waiting: (() => void)[] = [];
    let isSlow = true;
    const getItem = async (key: string): Promise<string | null> => {
      if (key.includes('/queue/') && isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
      return world.storage.getItem(key);
    };
    const second = world.start({}, { storage: { ...world.storage, getItem } });
    second.track('e');
    for (let reads = 0; reads < 4; reads += 1) {
      await world.pass(20_000);
      waiting.shift()?.();
    }
    isSlow = false;
    for (const read of waiting) read();
    await second.flush();
    expect(storedNames(world)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('reads past chunks that are not readable', async () => {
    const world = createWorld();
    const first = world.start();
    await first.ready;
    world.service.onRequest = () => 'cut';
    first.track('a');
    await world.settle();
    world.kill();
    const [key = ''] = (await world.storage.getAllKeys()).filter((each) => each.includes('/queue/'));
    for (const [index, text] of ['{', '[{"kind":"event"}]', 'null', '[7]'].entries()) {
      await world.storage.setItem(`${key}${index}`, text);
    }
    world.service.onRequest = () => undefined;
    await world.start().flush();
    await world.settle();
    expect(storedNames(world)).toEqual(['a']);
    expect(world.problems.filter(({ kind }) => kind === 'storage')).toHaveLength(4);
    expect((await world.storage.getAllKeys()).filter((each) => each.includes('/queue/'))).toEqual([]);
  });

  it('at any point between faults of any kind delivers every event once and in order', async () => {
    // A generator of its own, so that a failure can be repeated by its seed.
    for (let seed = 1; seed <= 60; seed += 1) {
      let state = seed;
      const draw = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
      const world = createWorld();
      const kinds: Fault[] = ['ok', 'ok', 'cut', 'lost', 'garbage', 'hang', { status: 503 }];
      kinds.push({ status: 429, headers: { 'Retry-After': '1' } }, { status: 502, headers: {} });
      world.service.onRequest = () => kinds[draw(kinds.length)];
      const tracked: string[] = [];
      for (let life = 0; life < 5; life += 1) {
        const game = world.start({ flushAt: 1 + draw(20) });
        for (let turn = 0; turn < 6; turn += 1) {
          for (let count = draw(12); count >= 0; count -= 1) {
            tracked.push(`e${tracked.length}`);
            game.track(`e${tracked.length - 1}`);
            if (draw(4) === 0) await world.settle();
          }
          if (draw(5) === 0) void game.end();
          if (draw(5) === 0) for (const id of world.service.sessions.keys()) world.service.sessions.set(id, 'expired');
          if (draw(3) === 0) void game.flush();
          await world.pass(draw(40_000));
        }
        await world.settle();
        world.kill();
      }
      world.service.onRequest = () => undefined;
      const last = world.start();
      await last.flush();
      await world.pass(60_000);
      expect([seed, storedNames(world)]).toEqual([seed, tracked]);
      expect(world.dropped).toEqual([]);
    }
  });
});
