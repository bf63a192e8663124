import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { createUnanswered } from './unanswered.ts';

function trial() {
  const clock = createFakeClock();
  const unanswered = createUnanswered(clock);
  return {
    clock,
    unanswered,
    /** An append that waits 2 s in vain. */
    timesOut: async (subject: string) => {
      const sentMs = clock.monotonicMs();
      await clock.advance(2_000);
      unanswered.timedOut(subject, sentMs);
    },
    found: () => Object.fromEntries(unanswered.streams()),
  };
}

test('a stream counts from the second append in a row without an answer, since the first was sent', async () => {
  const { timesOut, found } = trial();
  await timesOut('facts.1');
  expect(found()).toEqual({});
  await timesOut('facts.2');
  expect(found()).toEqual({ FACTS: 4_000 });
});

test('appends that waited less than a second are no sign of silence', async () => {
  const { clock, unanswered, found } = trial();
  for (let i = 0; i < 5; i++) {
    const sentMs = clock.monotonicMs();
    await clock.advance(5);
    unanswered.timedOut('records.scores.n', sentMs);
  }
  expect(found()).toEqual({});
});

test('an answer to any append of the stream ends its silence, and that of no other', async () => {
  const { timesOut, unanswered, found } = trial();
  for (const subject of ['facts.1', '$KV.OWNERS.x', 'facts.1', '$KV.OWNERS.y']) await timesOut(subject);
  unanswered.answered('facts.3');
  expect(found()).toEqual({ OWNERS: 6_000 });
});

test('a silence ends with the connection, and when nothing was sent for ten seconds', async () => {
  const { clock, timesOut, unanswered, found } = trial();
  for (let i = 0; i < 2; i++) await timesOut('records.scores.n');
  await clock.advance(9_999);
  expect(found()).toEqual({ RECORDS: 13_999 });
  await clock.advance(1);
  expect(found()).toEqual({});
  await timesOut('records.scores.n');
  expect(found()).toEqual({});
  await timesOut('records.scores.n');
  expect(found()).toEqual({ RECORDS: 4_000 });
  unanswered.forget();
  expect(found()).toEqual({});
});
