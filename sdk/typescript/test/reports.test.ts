import { describe, expect, it } from 'vitest';
import type { GameOptions } from '../src/options.ts';
import { createWorld } from './support/world.ts';

/** The console of a game that passes no callbacks. */
function silentGame(options: Partial<GameOptions> = {}) {
  const world = createWorld();
  const lines: string[] = [];
  const log = (level: string, line: string) => void lines.push(`${level} ${line}`);
  // @ts-expect-error what a program in JavaScript leaves out
  const callbacks: Partial<GameOptions> = { onProblem: undefined, onDropped: undefined };
  return { world, lines, start: () => world.start({ ...callbacks, ...options }, { log }) };
}

describe('a game without callbacks', () => {
  it('gets one warning for a key that is refused, and none for a network that is gone', async () => {
    const { world, lines, start } = silentGame();
    world.service.onRequest = () => 'cut';
    start();
    await world.pass(60_000);
    expect(lines).toEqual([]);
    world.service.onRequest = () => ({ status: 401, code: 'UNAUTHORIZED' });
    await world.pass(3_600_000);
    expect(lines).toEqual([expect.stringMatching(/^warn player-analytics: unauthorized: .*401 UNAUTHORIZED/)]);
  });

  it('gets one warning for each mistake', async () => {
    const { world, lines, start } = silentGame();
    const game = start();
    await game.ready;
    for (let turn = 0; turn < 3; turn += 1) {
      game.flag('new_shpo', 'old');
      game.track('purchase', { amount: 5 });
      game.track('x'.repeat(200));
      game.setState({ level: undefined, skin: () => 'red' });
    }
    await world.settle();
    expect(lines.map((line) => /"\w+"|purchase|dropped/.exec(line)?.[0])).toEqual([
      '"new_shpo"',
      'purchase',
      'dropped',
      '"level"',
      '"skin"',
    ]);
  });

  it('gets every step with `debug`', async () => {
    const { world, lines, start } = silentGame({ debug: true });
    const game = start();
    game.track('level_up');
    await game.flush();
    await world.settle();
    for (const part of ['event level_up', '/init: answered', '/sync: answered']) {
      expect(lines).toContainEqual(expect.stringContaining(part));
    }
    expect(lines.join()).not.toContain('pk_test_1');
  });
});
