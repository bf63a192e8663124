import { describe, expect, it } from 'vitest';
import type { PreviewSegment, PreviewedReply } from '../../../core/vocabulary/commands/preview.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { createSegmentPreviewer, estimate } from './segment-previews.ts';

const REQUEST = { game: 'demo', environment: 'live', conditions: '{}', includes: [], excludes: [] } as const;

/** Owners of partitions with players numbered from 0, of which every tenth matches. A query takes 8 ms for 100. */
function ownersOf(sizes: readonly number[]) {
  const clock = createFakeClock();
  const queries: number[] = [];
  let [open, most] = [0, 0];
  const answer = (partition: number, { after, examples }: PreviewSegment): PreviewedReply => {
    const total = sizes[partition] ?? 0;
    const from = after === '' ? 0 : Number(after);
    const to = Math.min(total, from + 100);
    const numbers = Array.from({ length: to - from }, (_, place) => from + place).filter((number) => number % 10 === 0);
    const named = numbers.slice(0, examples).map((number) => ({ playerId: `${partition}-${number}`, externalId: 'e' }));
    const counts = { total, evaluated: to - from, matched: numbers.length, overBudget: 0 };
    return { kind: 'previewed', ...counts, examples: named, next: to === total ? null : String(to) };
  };
  let reply: (partition: number, body: PreviewSegment) => Reply | undefined = answer;
  return {
    clock,
    queries,
    mostAtOnce: () => most,
    replyWith: (other: typeof reply) => void (reply = other),
    answer,
    query: (_origin: object, partition: number, body: PreviewSegment): Promise<Reply> => {
      queries.push(partition);
      most = Math.max(most, ++open);
      return new Promise((resolve) => {
        clock.timer(8, () => {
          open -= 1;
          const found = reply(partition, body);
          if (found !== undefined) resolve(found);
        });
      });
    },
  };
}

async function run<T>(clock: ReturnType<typeof createFakeClock>, work: Promise<T>): Promise<T> {
  const state = { done: false };
  const ended = work.finally(() => {
    state.done = true;
  });
  while (!state.done) await clock.advance(4);
  return ended;
}

describe('a preview', () => {
  it('is exact when every player was evaluated in time, with queries one at a time', async () => {
    const owners = ownersOf([250, 130]);
    const { preview } = createSegmentPreviewer({ ...owners, partitions: 2 });
    const found = await run(owners.clock, preview(REQUEST));
    expect(found).toMatchObject({ players: 38, margin: 0, total: 380, evaluated: 380, complete: true });
    expect('examples' in found && found.examples).toHaveLength(10);
    expect(owners.queries).toEqual([0, 1, 0, 1, 0]);
    expect(owners.mostAtOnce()).toBe(1);
  });

  it('ends in time with an estimate, whose margin holds the truth, and rests as long as it works', async () => {
    const owners = ownersOf([500_000, 500_000]);
    const { preview } = createSegmentPreviewer({ ...owners, partitions: 2 });
    const found = await run(owners.clock, preview(REQUEST));
    if (found.kind === 'failure') throw new Error(found.message);
    expect(found).toMatchObject({ total: 1_000_000, complete: false });
    expect(found.tookMs).toBeLessThan(1_800);
    expect(Math.abs(found.players - 100_000)).toBeLessThan(found.margin);
    // A query and a rest of 8 ms each.
    expect(owners.queries.length).toBeLessThan(1_800 / 16);
  });

  it('goes on without an owner that does not answer, and counts its partition like the others', async () => {
    const owners = ownersOf([200, 200]);
    owners.replyWith((partition, body) => (partition === 0 ? undefined : owners.answer(partition, body)));
    const { preview } = createSegmentPreviewer({ ...owners, partitions: 2 });
    const found = await run(owners.clock, preview(REQUEST));
    expect(found).toMatchObject({ players: 40, total: 400, evaluated: 200, complete: false });
  });

  it('fails when nobody answers, or an owner refuses', async () => {
    const owners = ownersOf([200]);
    const { preview } = createSegmentPreviewer({ ...owners, partitions: 1 });
    owners.replyWith(() => undefined);
    expect(await run(owners.clock, preview(REQUEST))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    owners.replyWith(() => failure('VALIDATION_ERROR'));
    expect(await run(owners.clock, preview(REQUEST))).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('is one of two of a game', async () => {
    const owners = ownersOf([200]);
    const { preview } = createSegmentPreviewer({ ...owners, partitions: 1 });
    const both = Promise.all([preview(REQUEST), preview(REQUEST)]);
    expect(await preview(REQUEST)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const other = preview({ ...REQUEST, game: 'other' });
    expect(await run(owners.clock, Promise.all([both, other]))).toMatchObject([
      [{ kind: 'preview' }, { kind: 'preview' }],
      { kind: 'preview' },
    ]);
    expect(await run(owners.clock, preview(REQUEST))).toMatchObject({ kind: 'preview' });
  });
});

describe('an estimate', () => {
  it('without a match still has a margin', () => {
    const { players, margin } = estimate([{ total: 1_000_000, evaluated: 10_000, matched: 0, next: 'x' }]);
    expect(players).toBe(0);
    expect(margin).toBeGreaterThan(100);
  });
});
