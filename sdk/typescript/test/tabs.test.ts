import { describe, expect, it } from 'vitest';
import { createTabs } from './support/tabs.ts';
import { createWorld, storedNames } from './support/world.ts';

describe('two tabs', () => {
  it('have one sender and one session, and events of both arrive once, in order', async () => {
    const world = createWorld();
    const tabs = createTabs();
    const first = world.start({}, tabs.open());
    await first.ready;
    const second = world.start({}, tabs.open());
    await second.ready;
    expect(second.flag('new_shop', 'old')).toBe('blue');
    const tracked: string[] = [];
    for (let index = 0; index < 20; index += 1) {
      await world.pass(5);
      (index % 2 === 0 ? first : second).track(`e${index}`);
      tracked.push(`e${index}`);
    }
    await world.pass(30_000);
    expect(world.service.paths()).toEqual(['players', 'init', 'sync']);
    expect(storedNames(world)).toEqual(tracked);
    expect(new Set(world.service.events.map(({ session_id: session }) => session))).toEqual(new Set(['ses_1']));
  });

  it('are fresh once the session is open, not when the other only has answered', async () => {
    const world = createWorld();
    const tabs = createTabs();
    let isReachable = false;
    world.service.onRequest = () => (isReachable ? undefined : 'cut');
    world.start({}, tabs.open());
    await world.settle();
    const second = world.start({}, tabs.open());
    const sessions: unknown[] = [];
    second.onFresh(() => void sessions.push(second.sessionId));
    await world.settle();
    expect(second.isFresh).toBe(false);
    isReachable = true;
    await world.pass(60_000);
    expect(sessions).toEqual(['ses_1']);
  });

  it('tell each other of changed flags, and of events that are enough to send', async () => {
    const world = createWorld();
    const tabs = createTabs();
    const first = world.start({}, tabs.open());
    const second = world.start({ flushAt: 3 }, tabs.open());
    await Promise.all([first.ready, second.ready]);
    const changes: unknown[] = [];
    second.onFlagChange((key) => void changes.push(key));
    world.service.flags['double_xp'] = { enabled: true, value: true };
    for (const name of ['a', 'b', 'c']) second.track(name);
    await world.settle();
    expect(storedNames(world)).toEqual(['a', 'b', 'c']);
    expect(second.flag('double_xp', false)).toBe(true);
    expect(changes).toEqual(['double_xp']);
  });

  it('the other takes over, with the session, when the sender goes', async () => {
    const world = createWorld();
    const tabs = createTabs();
    const tab = tabs.open();
    const first = world.start({}, tab);
    const second = world.start({}, tabs.open());
    await Promise.all([first.ready, second.ready]);
    first.track('a');
    second.track('b');
    await world.settle();
    world.service.faults = ['lost'];
    const sent = first.flush();
    await world.settle();
    tab.close();
    await sent;
    second.track('c');
    await world.pass(60_000);
    expect(storedNames(world)).toEqual(['a', 'b', 'c']);
    expect(world.service.sessions.size).toBe(1);
  });

  it('a shutdown of one leaves the other working', async () => {
    const world = createWorld();
    const tabs = createTabs();
    const first = world.start({}, tabs.open());
    const second = world.start({}, tabs.open());
    await Promise.all([first.ready, second.ready]);
    first.track('a');
    expect(await first.shutdown()).toEqual({ unsent: [] });
    second.track('b');
    await second.flush();
    expect(storedNames(world)).toEqual(['a', 'b']);
    expect(world.service.sessions.get('ses_2')).toBe('open');
    second.track('c');
    expect(await second.shutdown()).toEqual({ unsent: [] });
    expect(storedNames(world)).toEqual(['a', 'b', 'c']);
  });

  it('a withdrawn consent stops and clears both', async () => {
    const world = createWorld();
    const tabs = createTabs();
    const first = world.start({}, tabs.open());
    const second = world.start({}, tabs.open());
    await Promise.all([first.ready, second.ready]);
    await second.setConsent(false);
    await world.settle();
    expect([first.track('a'), second.track('b')]).toEqual([false, false]);
    await world.pass(600_000);
    expect(world.service.paths()).toEqual(['players', 'init']);
    expect(await world.storage.getAllKeys()).toEqual([expect.stringContaining('consent')]);
    await first.setConsent(true);
    await world.settle();
    second.track('c');
    await world.pass(30_000);
    expect(storedNames(world)).toEqual(['c']);
  });

  it('both sending at once, as with a lease, double nothing', async () => {
    const world = createWorld();
    const first = world.start();
    const second = world.start();
    await Promise.all([first.ready, second.ready]);
    first.track('a');
    second.track('b');
    await world.settle();
    await Promise.all([first.flush(), second.flush()]);
    await world.pass(90_000);
    expect(storedNames(world).toSorted()).toEqual(['a', 'b']);
    expect((await world.storage.getAllKeys()).filter((key) => key.includes('/queue/'))).toEqual([]);
  });
});
