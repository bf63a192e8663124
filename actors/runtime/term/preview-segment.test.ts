import { describe, expect, it } from 'vitest';
import { definitionsOf, aPlayer } from '../../testing-players.ts';
import type { Query } from '../../../core/vocabulary/commands/commands.ts';
import type { PreviewSegment } from '../../../core/vocabulary/commands/preview.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { createSegmentPreviews } from './preview-segment.ts';
import { createMemoryStores } from '../store/store-memory.ts';

const BODY: PreviewSegment = {
  kind: 'PreviewSegment',
  conditions: '{"is_payer":true}',
  includes: [],
  excludes: [],
  after: '',
  examples: 2,
};
const QUERY: Query = {
  requestId: 'r',
  replyTo: 'g',
  game: 'demo',
  environment: 'live',
  deadlineAt: 0,
  configRevision: 0,
  body: BODY,
};

/** @param tickMs how far the clock goes with each look at it */
async function previewsOf(states: readonly PlayerState[], hot: readonly PlayerState[] = [], tickMs = 0) {
  const store = createMemoryStores().partition(0);
  await store.write({
    entities: states.map((state) => ({ state, dirtySince: 0, snapshotSeq: 0 })),
    mark: { appliedSeq: 1, factsCreated: 'c' },
  });
  let nowMs = 0;
  const held = (id: string) => hot.find((state) => state.id === id);
  const clock = { wallMs: () => 5_000, monotonicMs: () => (nowMs += tickMs) };
  return createSegmentPreviews({ store, entities: { held }, definitions: definitionsOf(), clock, sliceMs: 3 });
}

describe('a preview of a partition', () => {
  const players = Array.from({ length: 5 }, (_, n) =>
    aPlayer({ id: `p${n}`, externalId: `e${n}`, isPayer: n % 2 === 0 }),
  );

  it('reads memberships and devices, which are not in the part of a state that other conditions read', async () => {
    const member = { segmentId: 'seg_a', segmentKey: 'a', since: 1 };
    const previews = await previewsOf([
      ...players,
      aPlayer({ id: 'r1', segments: [member] }),
      aPlayer({ id: 'r2', deviceId: 'd1' }),
    ]);
    const matched = (conditions: JsonObject): string[] => {
      const reply = previews.preview(QUERY, { ...BODY, conditions: JSON.stringify(conditions), examples: 9 });
      return reply.kind === 'previewed' ? reply.examples.map(({ playerId }) => playerId) : [reply.code];
    };
    expect(matched({ $inSegment: ['seg_a'] })).toEqual(['r1']);
    expect(matched({ $bucket: { salt: 's', by: 'device', below: 100 } })).toEqual(['r2']);
    expect(
      matched({ $or: [{ is_payer: true }, { $not: { $bucket: { salt: 's', by: 'device', below: 0 } } }] }),
    ).toEqual(['p0', 'p2', 'p4', 'r2']);
  });

  it('counts the players of its game, as they are in memory, and names some', async () => {
    const others = [aPlayer({ id: 'q1', game: 'other', isPayer: true }), aPlayer({ id: 'q2', environment: 'test' })];
    const now = aPlayer({ id: 'p1', externalId: 'e1', isPayer: true });
    const previews = await previewsOf([...players, ...others], [now]);
    expect(previews.preview(QUERY, BODY)).toEqual({
      kind: 'previewed',
      total: 5,
      evaluated: 5,
      matched: 4,
      overBudget: 0,
      examples: [
        { playerId: 'p0', externalId: 'e0' },
        { playerId: 'p1', externalId: 'e1' },
      ],
      next: null,
      tookMs: 0,
    });
  });

  it('ends after its time, and goes on where it ended, each player once', async () => {
    const previews = await previewsOf(players, [], 1);
    let after: string | null = '';
    let [evaluated, queries] = [0, 0];
    while (after !== null) {
      const reply = previews.preview(QUERY, { ...BODY, after });
      if (reply.kind === 'failure') throw new Error(reply.message);
      evaluated += reply.evaluated;
      queries += 1;
      after = reply.next;
    }
    expect(evaluated).toBe(5);
    expect(queries).toBeGreaterThan(1);
  });

  it('counts players by name, and refuses a condition that it does not know', async () => {
    const previews = await previewsOf(players);
    const named = { ...BODY, conditions: '{}', includes: ['p1'], excludes: ['p0', 'p2'] };
    expect(previews.preview(QUERY, named)).toMatchObject({ matched: 3 });
    expect(previews.preview(QUERY, { ...BODY, conditions: '{"new_field":1}' })).toMatchObject({ kind: 'failure' });
  });
});
