import { describe, expect, it } from 'vitest';
import { createWorld, storedNames } from './support/world.ts';

/** As `localStorage`: it is written before the call returns. */
function quickStorage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}

/** A database that does not open before the page goes. */
function neverOpen() {
  const never = () => new Promise<never>(() => {});
  return { getItem: never, setItem: never, removeItem: never, getAllKeys: never };
}

describe('events tracked before the database is open', () => {
  it('are sent by the next start when the page goes at once, in order and in its session', async () => {
    const world = createWorld();
    const quick = quickStorage();
    for (const name of ['a', 'b']) {
      world.start({}, { storage: neverOpen(), quick }).track(name);
      world.setHidden(true);
      world.kill();
      await world.pass(1_000);
    }
    const game = world.start({}, { quick });
    game.track('c');
    await game.flush();
    expect(storedNames(world)).toEqual(['a', 'b', 'c']);
    expect(new Set(world.service.events.map(({ session_id: session }) => session))).toEqual(new Set(['ses_1']));
    expect(quick.items.size).toBe(0);
    world.kill();
    await world.start({}, { quick }).flush();
    expect(storedNames(world)).toHaveLength(3);
  });

  it('are not kept against the decision of the player', async () => {
    const world = createWorld();
    const quick = quickStorage();
    await world.start({}, { quick }).setConsent(false);
    world.kill();
    world.start({}, { storage: neverOpen(), quick }).track('a');
    world.setHidden(true);
    expect([...quick.items.values()]).toEqual(['denied']);
  });

  it('are not kept before a decision where one is required', () => {
    const world = createWorld();
    const quick = quickStorage();
    world.start({ consent: 'required' }, { storage: neverOpen(), quick }).track('a');
    world.setHidden(true);
    expect(quick.items.size).toBe(0);
  });

  it('do no harm where storage throws', async () => {
    const world = createWorld();
    const throws = (): never => {
      throw new Error('SecurityError');
    };
    const game = world.start({}, { quick: { getItem: throws, setItem: throws, removeItem: throws } });
    game.track('a');
    world.setHidden(true);
    world.setHidden(false);
    await game.flush();
    expect(storedNames(world)).toEqual(['a']);
  });
});
