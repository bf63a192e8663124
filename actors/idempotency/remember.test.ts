import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { IdempotencyKeyUsed } from '../facts.ts';
import { evolve } from '../evolve.ts';
import type { EntityState } from '../state.ts';
import { aPlayer } from '../testing.ts';

const used = (key: string, attributesLength: number): IdempotencyKeyUsed => ({
  kind: 'IdempotencyKeyUsed',
  entityId: aPlayer().id,
  game: 'demo',
  environment: 'live',
  at: 2_000,
  key,
  bodyHash: 'h',
  reply: { kind: 'player', created: false, player: { ...aPlayer(), attributes: 'x'.repeat(attributesLength) } },
});

const keysAfter = (facts: readonly IdempotencyKeyUsed[]): string[] => {
  let state: EntityState = aPlayer();
  for (const fact of facts) state = evolve(state, fact);
  return state.keys.map(({ key }) => key);
};

describe('answers remembered under Idempotency-Keys', () => {
  it('are as many as are allowed while they are small', () => {
    const facts = Array.from({ length: LIMITS.idempotencyKeys + 3 }, (_, n) => used(`k${n}`, 10));
    expect(keysAfter(facts)).toEqual(facts.slice(3).map(({ key }) => key));
  });

  it('are fewer when they are large, the newest in any case', () => {
    const large = Array.from({ length: 20 }, (_, n) => used(`k${n}`, LIMITS.idempotencyChars / 10));
    expect(keysAfter(large)).toEqual(['k11', 'k12', 'k13', 'k14', 'k15', 'k16', 'k17', 'k18', 'k19']);
    expect(keysAfter([...large, used('huge', 2 * LIMITS.idempotencyChars)])).toEqual(['huge']);
  });
});
