import { expect, it } from 'vitest';
import { mayGrow } from './trace-progress.ts';

it('reads a trace again until its row and its attempts can be there', () => {
  const receivedAt = '2026-01-15T10:30:00.000Z';
  const whole = { received_at: receivedAt, row: {}, webhooks_matched: true };
  const after = (seconds: number): number => Date.parse(receivedAt) + seconds * 1_000;
  expect(mayGrow([], after(600))).toBe(true);
  expect(mayGrow([{ ...whole, row: null }], after(600))).toBe(true);
  expect(mayGrow([{ ...whole, webhooks_matched: false }], after(600))).toBe(true);
  // The row is there before the first attempt of a delivery is.
  expect(mayGrow([whole], after(2))).toBe(true);
  expect(mayGrow([whole], after(61))).toBe(false);
});
