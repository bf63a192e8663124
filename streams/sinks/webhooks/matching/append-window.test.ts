import { expect, it } from 'vitest';
import { MATCHING_LIMITS } from './limits.ts';
import { createAppendWindow } from './append-window.ts';

it('a fast broker gets many concurrent appends, and a slow one few', () => {
  const window = createAppendWindow();
  for (let i = 0; i < 2_000; i++) window.completed(1);
  expect(window.size).toBe(MATCHING_LIMITS.matcherAppends);
  for (let i = 0; i < 2_000; i++) window.completed(MATCHING_LIMITS.matcherAppendMs + 1);
  expect(window.size).toBe(MATCHING_LIMITS.matcherAppendsLeast);
});
