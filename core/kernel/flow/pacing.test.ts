import { expect, test } from 'vitest';
import { createPacing } from './pacing.ts';

const SPACING_MS = 2;

function trial() {
  let nowMs = 0;
  const pacing = createPacing({ monotonicMs: () => nowMs }, SPACING_MS);
  return {
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** One piece of work arrives and is sent, with `more` arriving during the pause. @returns the pause */
    send: (more = 0) => {
      pacing.arrived();
      const pauseMs = pacing.pauseMs();
      nowMs += pauseMs;
      for (let i = 0; i < more; i++) pacing.arrived();
      pacing.began();
      return pauseMs;
    },
  };
}

test('a send after a quiet time is not delayed', () => {
  const { send, pass } = trial();
  for (let i = 0; i < 5; i++) {
    expect(send()).toBe(0);
    pass(SPACING_MS);
  }
});

test('a send that follows another waits until the spacing since that one began has passed', () => {
  const { send, pass } = trial();
  send();
  for (let i = 0; i < 5; i++) {
    pass(0.5);
    expect(send(1)).toBe(1.5);
  }
});

test('while pauses gather nothing most sends are not delayed', () => {
  const { send, pass } = trial();
  const pauses = Array.from({ length: 1_000 }, () => {
    pass(1);
    return send();
  });
  expect(pauses.filter((ms) => ms > 0).length).toBeLessThan(40);
});

test('after a pause that gathered something every send waits again', () => {
  const { send, pass } = trial();
  for (let i = 0; i < 1_000; i++) {
    pass(1);
    send();
  }
  let skipped = 0;
  pass(1);
  for (; skipped < 100 && send(1) === 0; skipped++) pass(1);
  expect(skipped).toBeLessThanOrEqual(32);
  for (let i = 0; i < 5; i++) {
    pass(1);
    expect(send(1)).toBe(1);
  }
});
