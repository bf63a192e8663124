import { describe, expect, it } from 'vitest';
import { FLAG_LIMITS } from '../limits.ts';
import type { EvaluateFlags } from '../../../core/vocabulary/commands/commands.ts';
import { aPlayer } from '../../testing-players.ts';
import { evaluateFlags } from './evaluate-flags.ts';
import { flagsOf } from '../testing-served-flags.ts';

/** A clock whose monotonic time advances 12.34 µs at every read. */
function clockAt(wallMs: number) {
  let monotonicMs = 5;
  return { wallMs: () => wallMs, monotonicMs: () => (monotonicMs += 0.01234) };
}

const targeting = flagsOf({
  shop: { value: '"b"', variantKey: 'b', reason: 'segment_match', segmentId: 'seg_1' },
  xp: ({ nowMs, context }) => ({ value: JSON.stringify([nowMs, context ?? null]) }),
}).of('demo', 'live');

const evaluate = (some: Partial<EvaluateFlags> = {}) =>
  evaluateFlags(
    aPlayer(),
    { kind: 'EvaluateFlags', playerId: 'p', flagKeys: 'all', context: '{}', exposes: false, by: 'server', ...some },
    targeting,
    clockAt(7_000),
  );

describe('evaluating flags', () => {
  it('returns the evaluation of each flag, and the duration', () => {
    expect(evaluate()).toEqual({
      kind: 'flags',
      evaluations: [
        { flagKey: 'shop', value: '"b"', variantKey: 'b', reason: 'segment_match', period: 1, segmentId: 'seg_1' },
        { flagKey: 'xp', value: '[7000,null]', variantKey: null, reason: 'default', period: 1 },
      ],
      unknownFlags: [],
      durationUs: 12.3,
    });
  });

  it('evaluates each requested flag once, and lists unknown keys', () => {
    expect(evaluate({ flagKeys: ['xp', 'gone', 'xp', '__proto__', 'gone'] })).toMatchObject({
      evaluations: [{ flagKey: 'xp' }],
      unknownFlags: ['gone', '__proto__'],
    });
  });

  it('passes the context of the request to the rules', () => {
    const context = '{"platform":"ios","__proto__":{"level":99}}';
    expect(evaluate({ flagKeys: ['xp'], context })).toMatchObject({ evaluations: [{ value: `[7000,${context}]` }] });
  });

  it('fails with PLAYER_NOT_FOUND without a player', () => {
    const query = {
      kind: 'EvaluateFlags',
      playerId: 'p',
      flagKeys: 'all',
      context: '{}',
      exposes: false,
      by: 'server',
    } as const;
    expect(evaluateFlags(undefined, query, targeting, clockAt(0))).toMatchObject({ code: 'PLAYER_NOT_FOUND' });
  });

  it('fails if the values are too large for one response', () => {
    const value = JSON.stringify('x'.repeat(FLAG_LIMITS.evaluatedChars / 2));
    const large = flagsOf({ a: { value }, b: { value } }).of('demo', 'live');
    const query = { kind: 'EvaluateFlags', playerId: 'p', context: '{}', exposes: false, by: 'server' } as const;
    const all = evaluateFlags(aPlayer(), { ...query, flagKeys: 'all' }, large, clockAt(0));
    expect(all).toMatchObject({ code: 'VALIDATION_ERROR', details: { fields: [{ path: '/flag_keys' }] } });
    expect(evaluateFlags(aPlayer(), { ...query, flagKeys: ['a'] }, large, clockAt(0))).toMatchObject({ kind: 'flags' });
  });
});
