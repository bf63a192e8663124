import { expect, it } from 'vitest';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { createBodyReader, type BodyOutcome } from './request-body.ts';

const bounds = { bodyReceivingBytes: 100, keylessBodyReceivingBytes: 20 };
const ALPHA = { game: 'alpha', caller: 'a1' };
const BETA = { game: 'beta', caller: 'b1' };
const UNKNOWN = { game: '', caller: '192.0.2.1' };

/** Bodies that begin and wait. */
function createSenders() {
  const bodies = createBodyReader(createFakeClock(), bounds);
  /** Begins a body; returns what its sender does next. */
  return function begin(sender: { game: string; caller: string }, sizeBytes: number) {
    let send = (_chunk: ArrayBuffer, _isLast: boolean): void => {};
    const outcomes: BodyOutcome['kind'][] = [];
    const leave = bodies.read({ onData: (handler) => (send = handler) }, sender, ({ kind }) => outcomes.push(kind));
    send(new ArrayBuffer(sizeBytes), false);
    return { outcomes, leave, finish: () => send(new ArrayBuffer(1), true) };
  };
}
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const busy = (bodies: { outcomes: string[] }[]): number =>
  bodies.filter(({ outcomes }) => outcomes[0] === 'busy').length;

it('bodies of unknown senders leave the most memory to others', async () => {
  const begin = createSenders();
  const flood = Array.from({ length: 10 }, () => begin(UNKNOWN, 10));
  expect(busy(flood)).toBe(8);
  const known = Array.from({ length: 8 }, () => begin(ALPHA, 10));
  expect(known.flatMap(({ outcomes }) => outcomes)).toEqual([]);
  expect(begin(ALPHA, 10).outcomes).toEqual(['busy']);
  for (const { finish } of known) finish();
  expect(known.flatMap(({ outcomes }) => outcomes)).toEqual(Array(8).fill('whole'));
  // What was counted is given back: by the end of a body, and by a sender that leaves.
  expect(begin(UNKNOWN, 10).outcomes).toEqual(['busy']);
  flood[0]?.finish();
  flood[1]?.leave();
  expect(begin(UNKNOWN, 20).outcomes).toEqual([]);
  expect(begin(ALPHA, 80).outcomes).toEqual([]);
});

it('a game that holds all memory with unfinished bodies makes room for another game', async () => {
  const begin = createSenders();
  const held = Array.from({ length: 8 }, () => begin(ALPHA, 10));
  const others = [begin(BETA, 10), begin(BETA, 10)];
  await turn();
  expect(busy(others)).toBe(0);
  expect(busy(held)).toBe(2);
  for (const { finish } of others) finish();
  expect(others.flatMap(({ outcomes }) => outcomes)).toEqual(['whole', 'whole']);
});

it('a caller that holds all memory of its game makes room for other callers, also without a key', async () => {
  const begin = createSenders();
  const held = Array.from({ length: 8 }, () => begin(ALPHA, 10));
  const player = begin({ game: 'alpha', caller: 'a2' }, 10);
  const flood = [begin(UNKNOWN, 10), begin(UNKNOWN, 10)];
  const person = begin({ game: '', caller: '198.51.100.7' }, 5);
  await turn();
  expect([busy(held), busy(flood), busy([player, person])]).toEqual([1, 1, 0]);
});

it('many small games lose nothing to a large one', async () => {
  const begin = createSenders();
  const small = Array.from({ length: 8 }, (_, game) => begin({ game: `g${game}`, caller: 'c' }, 10));
  expect(begin({ game: 'large', caller: 'c' }, 30).outcomes).toEqual(['busy']);
  await turn();
  expect(busy(small)).toBe(0);
});

it('a body that made room and whose sender left is not answered', async () => {
  const begin = createSenders();
  const held = Array.from({ length: 8 }, () => begin(ALPHA, 10));
  begin(BETA, 10);
  for (const { leave } of held) leave();
  await turn();
  expect(busy(held)).toBe(0);
});
