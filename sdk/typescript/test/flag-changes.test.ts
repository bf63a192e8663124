import { describe, expect, it } from 'vitest';
import { modelStream, type ModelStream } from './support/model-stream.ts';
import { createTabs } from './support/tabs.ts';
import { createWorld, storedNames, type World } from './support/world.ts';

const RED = { enabled: true, variant: 'b', value: 'red', reason: 'percentage_rollout' };

/** A game whose stream is open and whose session has begun. */
async function playing(world: World, flags: ModelStream) {
  const game = world.start({}, { stream: flags.stream });
  await world.settle();
  flags.last().connected(7);
  await world.settle();
  expect(world.service.paths()).toEqual(['players', 'init']);
  return game;
}

describe('the stream of changed flags', () => {
  it('brings a change at once, after a part of the time that the service asks for', async () => {
    const world = createWorld();
    const flags = modelStream();
    const game = await playing(world, flags);
    expect(flags.last().url.href).toBe('http://service.test/v1/flags/changes?last_event_id=');
    expect(flags.last().headers).toEqual({ 'X-API-Key': 'pk_test_1' });
    const changes: string[] = [];
    game.onFlagChange((key) => void changes.push(key));
    world.service.flags['new_shop'] = RED;
    flags.last().changed(8, 1_000);
    await world.settle();
    expect(changes).toEqual([]);
    await world.pass(1_000);
    expect(changes).toEqual(['new_shop']);
    expect(game.flag('new_shop', 'old')).toBe('red');
    expect(world.service.paths()).toEqual(['players', 'init', 'sync']);
  });

  it('is open before the session begins, so that no change comes between', async () => {
    const world = createWorld();
    const flags = modelStream();
    world.service.players.add('6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11');
    const game = world.start({}, { stream: flags.stream });
    await world.settle();
    expect(world.service.paths()).toEqual([]);
    flags.last().connected(7);
    await game.ready;
    expect(world.service.paths()).toEqual(['players', 'init']);
    await world.pass(20_000);
    expect(world.service.paths()).toEqual(['players', 'init']);
  });

  it('that opens late costs half a second of the start, and one sync', async () => {
    const world = createWorld();
    const flags = modelStream();
    const game = world.start({}, { stream: flags.stream });
    await world.pass(500);
    await game.ready;
    expect(world.service.paths()).toEqual(['players', 'init']);
    world.service.flags['new_shop'] = RED;
    flags.last().connected(8);
    await world.pass(1_000);
    expect(game.flag('new_shop', 'old')).toBe('red');
  });

  it('asks again if the change is told while a sync is under way', async () => {
    const world = createWorld();
    const flags = modelStream();
    const game = await playing(world, flags);
    world.service.faults = ['lost'];
    const before = { ...world.service.flags };
    game.track('a');
    void game.flush();
    await world.settle();
    world.service.flags = { ...before, new_shop: RED };
    flags.last().changed(8, 0);
    // The repeat of the lost sync is answered as the first time, from before the change.
    await world.pass(5_000);
    expect(game.flag('new_shop', 'old')).toBe('red');
    expect(world.service.paths().filter((path) => path === 'sync')).toHaveLength(3);
  });

  it('connects again after a failure, later each time, and says what it knows', async () => {
    const world = createWorld();
    const flags = modelStream();
    await playing(world, flags);
    flags.last().changed(8, 0);
    flags.last().fail();
    await world.pass(1_999);
    expect(flags.connections).toHaveLength(1);
    await world.pass(1);
    expect(flags.connections).toHaveLength(2);
    expect(flags.last().url.search).toBe('?last_event_id=8');
    for (let turn = 0; turn < 20; turn += 1) {
      flags.last().fail();
      await world.pass(300_000);
    }
    // Half a minute to a minute between them, once it has failed often.
    expect(flags.connections.length).toBeGreaterThan(15);
    const before = flags.connections.length;
    flags.last().fail();
    await world.pass(29_000);
    expect(flags.connections).toHaveLength(before);
  });

  it('says that an outage is over, so that what waits is sent', async () => {
    const world = createWorld();
    const flags = modelStream();
    const game = await playing(world, flags);
    world.service.onRequest = () => 'cut';
    game.track('a');
    flags.last().fail();
    await world.pass(600_000);
    while (!flags.last().isOpen) await world.pass(1_000);
    delete world.service.onRequest;
    await world.settle();
    expect(storedNames(world)).toEqual([]);
    flags.last().connected(7);
    await world.settle();
    expect(storedNames(world)).toEqual(['a']);
  });

  it('that is silent is given up', async () => {
    const world = createWorld();
    const flags = modelStream();
    await playing(world, flags);
    for (let turn = 0; turn < 5; turn += 1) {
      await world.pass(60_000);
      flags.last().send('event: heartbeat\ndata: {"timestamp":"2026-01-15T10:00:00.000+00:00"}\n\n');
    }
    expect(flags.connections).toHaveLength(1);
    await world.pass(100_000);
    expect(flags.connections).toHaveLength(2);
    expect(flags.connections[0]?.isOpen).toBe(false);
  });

  it('closes while the page is hidden, and what was told meanwhile is asked for when it shows', async () => {
    const world = createWorld();
    const flags = modelStream();
    const game = await playing(world, flags);
    world.service.flags['new_shop'] = RED;
    flags.last().changed(8, 1_000);
    world.setHidden(true);
    expect(flags.last().isOpen).toBe(false);
    await world.pass(600_000);
    expect(world.service.paths()).toEqual(['players', 'init']);
    expect(flags.connections).toHaveLength(1);
    world.setHidden(false);
    await world.settle();
    expect(flags.connections).toHaveLength(2);
    expect(flags.last().url.search).toBe('?last_event_id=8');
    expect(game.flag('new_shop', 'old')).toBe('red');
  });

  it('is one for all tabs, of the tab that sends', async () => {
    const world = createWorld();
    const tabs = createTabs();
    const flags = modelStream();
    const tab = tabs.open();
    const first = world.start({}, { ...tab, stream: flags.stream });
    await world.settle();
    flags.last().connected(7);
    const second = world.start({}, { ...tabs.open(), stream: flags.stream });
    await Promise.all([first.ready, second.ready]);
    expect(flags.connections).toHaveLength(1);
    await first.shutdown();
    expect(flags.connections[0]?.isOpen).toBe(false);
    await world.settle();
    expect(flags.connections).toHaveLength(2);
  });

  it.each([
    ['chunks of one character', (text: string) => text.split('')],
    ['one chunk', (text: string) => [text]],
  ])('is understood in %s', async (_, split) => {
    const world = createWorld();
    const flags = modelStream();
    const game = await playing(world, flags);
    world.service.flags['new_shop'] = RED;
    const noise = ': comment\n\nevent: unknown\n__proto__: x\ndata: not JSON\n\n\n';
    const message = 'data:{"revision":8,"spread_ms":1}\nid:8\nevent:flags_changed\n\n';
    for (const chunk of split(noise + message)) flags.last().send(chunk);
    await world.pass(10);
    expect(game.flag('new_shop', 'old')).toBe('red');
    expect(flags.connections).toHaveLength(1);
  });

  it('that sends a line without end is a failure like others', async () => {
    const world = createWorld();
    const flags = modelStream();
    const game = await playing(world, flags);
    flags.last().send('x'.repeat(5_000));
    await world.pass(2_000);
    expect(flags.connections).toHaveLength(2);
    expect(flags.connections[0]?.isOpen).toBe(false);
    game.track('a');
    await game.flush();
    expect(world.service.events).toHaveLength(1);
  });

  it('may ask for any time: the change comes with the next sync at the latest', async () => {
    const world = createWorld();
    const flags = modelStream();
    const game = await playing(world, flags);
    world.service.flags['new_shop'] = RED;
    for (const data of ['{"spread_ms":1e300}', '{"spread_ms":-5}', '{"spread', '{"spread_ms":9999999999999}', '']) {
      flags.last().send(`event: flags_changed\ndata: ${data}\n\n`);
    }
    await world.pass(30_000);
    expect(game.flag('new_shop', 'old')).toBe('red');
  });

  it('can be turned off, and closes without consent and at the shutdown', async () => {
    const world = createWorld();
    const flags = modelStream();
    await world.start({ flagStream: false }, { stream: flags.stream }).ready;
    expect(flags.connections).toHaveLength(0);
    world.kill();
    const game = world.start({}, { stream: flags.stream });
    await world.settle();
    flags.last().connected(7);
    await game.setConsent(false);
    expect(flags.last().isOpen).toBe(false);
    await world.pass(600_000);
    expect(flags.connections).toHaveLength(1);
    await game.setConsent(true);
    expect(flags.connections).toHaveLength(2);
    await game.shutdown(1_000);
    expect(flags.last().isOpen).toBe(false);
    await world.pass(600_000);
    expect(flags.connections).toHaveLength(2);
  });
});

describe('fresh flags', () => {
  it('ends with a failed request, and comes back with an answer', async () => {
    const world = createWorld();
    const game = world.start();
    const told: boolean[] = [];
    game.onFresh((isFresh) => void told.push(isFresh));
    expect(game.isFresh).toBe(false);
    await game.ready;
    expect(told).toEqual([true]);
    world.service.onRequest = () => 'cut';
    await world.pass(120_000);
    expect([game.isFresh, told]).toEqual([false, [true, false]]);
    delete world.service.onRequest;
    await world.pass(300_000);
    expect([game.isFresh, told]).toEqual([true, [true, false, true]]);
  });

  it('of the tab that does not send follows the tab that does', async () => {
    const world = createWorld();
    const tabs = createTabs();
    const first = world.start({}, tabs.open());
    await first.ready;
    const second = world.start({}, tabs.open());
    await second.ready;
    expect(second.isFresh).toBe(true);
  });
});
