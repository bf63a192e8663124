import { expect, it } from 'vitest';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import { createAppendWindow } from './append-window.ts';

it('a fast broker gets many appends at once, and one that takes its time few', () => {
  const window = createAppendWindow();
  for (let i = 0; i < 2_000; i++) window.answered(1);
  expect(window.size).toBe(LIMITS.matcherAppends);
  for (let i = 0; i < 2_000; i++) window.answered(LIMITS.matcherAppendMs + 1);
  expect(window.size).toBe(LIMITS.matcherAppendsLeast);
});
