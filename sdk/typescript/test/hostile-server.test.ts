import { describe, expect, it } from 'vitest';
import type { Server } from '../server/server.ts';
import { createServerWorld } from './support/server-world.ts';

const PLAYER = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
/** What no function makes a text or a number of. */
const textless: unknown = Object.create(null);

/** Calls a function as code without types does. */
const untyped = (game: Server, name: 'track' | 'purchase', ...args: unknown[]): unknown =>
  Reflect.apply(game[name], game, args);

describe('code of the game server', () => {
  it('may pass anything to track and purchase', () => {
    const world = createServerWorld();
    const server = world.start();
    const values = [textless, Symbol('s'), 1n, null, undefined, () => {}, new Date(Number.NaN), { toJSON: () => 1n }];
    for (const value of values) {
      expect(untyped(server, 'track', value, 'e')).toBe(false);
      expect(untyped(server, 'track', PLAYER, value)).toBe(false);
      expect(untyped(server, 'purchase', value, 1)).toBe(false);
      expect(untyped(server, 'purchase', PLAYER, value)).toBe(false);
    }
    for (const value of [1n, Symbol('s'), textless]) {
      expect(untyped(server, 'track', PLAYER, 'e', {}, { timestamp: value })).toBe(false);
    }
    expect(untyped(server, 'track', PLAYER, 'e', {}, { event_id: 1n })).toBe(false);
    expect(untyped(server, 'track', PLAYER, 'e', {}, null)).toBe(false);
    expect(untyped(server, 'purchase', PLAYER, 1, { transaction_id: 1n })).toBe(false);
    expect(server.queued).toBe(0);
    expect(world.dropped.every(({ reason }) => reason === 'invalid')).toBe(true);
    expect(world.dropped).toHaveLength(4 * values.length + 6);
  });

  it('may track in onDropped', () => {
    const world = createServerWorld();
    let calls = 0;
    const server = world.start({
      maxQueued: 2,
      onDropped() {
        calls += 1;
        server.track(PLAYER, 'dropped');
      },
    });
    for (const name of ['a', 'b', 'c']) server.track(PLAYER, name);
    expect(calls).toBe(1);
    expect(server.queued).toBe(2);
  });
});

describe('a stream', () => {
  it('cannot make the client wait for ever, or not at all', async () => {
    const world = createServerWorld();
    world.reply = ({ path }) =>
      path.endsWith('changes')
        ? { data: {} }
        : { data: { format: 1, revision: 1, flags: [], segments: [] }, headers: { ETag: '"1"' } };
    const server = world.start({ flags: true });
    await server.ready;
    await world.clock.advance(10);
    world.streams[0]?.write('retry: 99999999999999\n\n');
    await world.clock.advance(10);
    world.streams[0]?.end();
    await world.clock.advance(59_000);
    expect(world.streams).toHaveLength(1);
    await world.clock.advance(10_000);
    expect(world.streams).toHaveLength(2);
    await server.shutdown(0);
  });
});
