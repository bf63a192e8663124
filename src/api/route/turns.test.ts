import { expect, it } from 'vitest';
import { ROUTE_LIMITS } from './limits.ts';
import { createTurns } from './turns.ts';

it('pauses at the end of a turn, and starts the next turn after the pause', async () => {
  let nowMs = 1_000;
  const turns = createTurns({
    monotonicMs: () => nowMs,
    wallMs: () => nowMs,
    timer(_ms, fire) {
      fire();
      return () => {};
    },
  });
  expect(turns.pause()).toBeUndefined();
  nowMs += ROUTE_LIMITS.validationTurnMs;
  const pause = turns.pause();
  expect(pause).toBeInstanceOf(Promise);
  await pause;
  expect(turns.pause()).toBeUndefined();
});
