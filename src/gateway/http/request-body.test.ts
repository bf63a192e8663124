import { expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createBodyReader, type BodyOutcome } from './request-body.ts';

const bounds = { bodyReceivingBytes: 100, keylessBodyReceivingBytes: 25 };

it('bodies of unknown senders leave the most memory to others', () => {
  const bodies = createBodyReader(createFakeClock(), bounds);

  /** Begins a body; returns what its sender does next. */
  function begin(sender: 'known' | 'unknown', sizeBytes: number) {
    let send = (_chunk: ArrayBuffer, _isLast: boolean): void => {};
    const outcomes: BodyOutcome['kind'][] = [];
    const leave = bodies.read({ onData: (handler) => (send = handler) }, sender, ({ kind }) => outcomes.push(kind));
    send(new ArrayBuffer(sizeBytes), false);
    return { outcomes, leave, finish: () => send(new ArrayBuffer(1), true) };
  }

  const flood = Array.from({ length: 10 }, () => begin('unknown', 10));
  expect(flood.filter(({ outcomes }) => outcomes[0] === 'busy')).toHaveLength(8);
  const known = Array.from({ length: 8 }, () => begin('known', 10));
  expect(known.flatMap(({ outcomes }) => outcomes)).toEqual([]);
  expect(begin('known', 10).outcomes).toEqual(['busy']);
  for (const { finish } of known) finish();
  expect(known.flatMap(({ outcomes }) => outcomes)).toEqual(Array(8).fill('whole'));
  // What was counted is given back: by the end of a body, and by a sender that leaves.
  expect(begin('unknown', 10).outcomes).toEqual(['busy']);
  flood[0]?.finish();
  flood[1]?.leave();
  expect(begin('unknown', 25).outcomes).toEqual([]);
  expect(begin('known', 75).outcomes).toEqual([]);
});
