import { describe, expect, it } from 'vitest';
import { IDEMPOTENCY_LIMITS } from './limits.ts';
import type { CommandBody } from '../../core/vocabulary/commands/commands.ts';
import { encodeReply } from '../../core/codec/stored-reply.ts';
import { decide } from '../decide.ts';
import { createDraft } from '../runtime/term/draft.ts';
import type { IdempotencyKeyUsed } from '../../core/vocabulary/facts/facts.ts';
import { evolve } from '../evolve.ts';
import type { EntityState } from '../../core/vocabulary/state/state.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing-players.ts';
import type { CallerKind } from '../../core/vocabulary/documents/scope.ts';

const used = (key: string, attributesLength: number, by?: CallerKind): IdempotencyKeyUsed => ({
  ...(by === undefined ? {} : { by }),
  kind: 'IdempotencyKeyUsed',
  entityId: aPlayer().id,
  game: 'demo',
  environment: 'live',
  at: 2_000,
  key,
  bodyHash: 'h',
  reply: encodeReply({
    kind: 'player',
    created: false,
    player: { ...aPlayer(), attributes: 'x'.repeat(attributesLength) },
  }),
});

const keysAfter = (facts: readonly IdempotencyKeyUsed[]): string[] => {
  let state: EntityState = aPlayer();
  for (const fact of facts) state = evolve(state, fact);
  return state.keys.map(({ key }) => key);
};

describe('replies stored under Idempotency-Keys', () => {
  it('reach the maximum count while they are small', () => {
    const facts = Array.from({ length: IDEMPOTENCY_LIMITS.idempotencyKeys + 3 }, (_, n) => used(`k${n}`, 10));
    expect(keysAfter(facts)).toEqual(facts.slice(3).map(({ key }) => key));
  });

  it('are fewer when they are large, but always include the newest', () => {
    const large = Array.from({ length: 20 }, (_, n) => used(`k${n}`, IDEMPOTENCY_LIMITS.idempotencyBytes / 10));
    expect(keysAfter(large)).toEqual(['k16', 'k17', 'k18', 'k19']);
    expect(keysAfter([...large, used('huge', 2 * IDEMPOTENCY_LIMITS.idempotencyBytes)])).toEqual(['huge']);
  });

  it('of a server key stay, however many keys a client uses and however large its replies are', () => {
    const servers = Array.from({ length: IDEMPOTENCY_LIMITS.idempotencyKeys }, (_, n) => used(`s${n}`, 10, 'server'));
    const clients = Array.from({ length: 200 }, (_, n) =>
      used(`c${n}`, IDEMPOTENCY_LIMITS.idempotencyBytes / 10, 'client'),
    );
    const kept = keysAfter([...servers, ...clients]);
    expect(kept.slice(0, servers.length)).toEqual(servers.map(({ key }) => key));
    expect(kept.slice(servers.length)).toEqual(['c196', 'c197', 'c198', 'c199']);
  });
});

describe('an Idempotency-Key', () => {
  const patch = (attributes: string): CommandBody => ({
    kind: 'PatchPlayer',
    playerId: aPlayer().id,
    attributes,
    idempotency: { key: 'k', bodyHash: attributes },
  });
  function after(player: EntityState, ...calls: [body: CommandBody, by: CallerKind | undefined][]) {
    const draft = createDraft(() => player);
    return calls.map(([body, by]) => {
      const command = aCommand(body, by === undefined ? {} : { by });
      const reply = decide(draft, command, definitionsOf());
      return reply.kind === 'failure' ? reply.code : 'replayed' in reply ? 'replayed' : 'done';
    });
  }

  it('used by a client key leaves the same key of a server key free, and the reverse', () => {
    const [first, second] = [patch('{"a":1}'), patch('{"a":2}')];
    expect(after(aPlayer(), [first, 'client'], [second, 'server'], [first, 'server'], [second, 'client'])).toEqual([
      'done',
      'done',
      'CONFLICT',
      'CONFLICT',
    ]);
    expect(after(aPlayer(), [first, 'client'], [second, 'server'], [first, 'client'], [second, 'server'])).toEqual([
      'done',
      'done',
      'replayed',
      'replayed',
    ]);
  });

  it('stored before kinds were recorded matches both kinds', () => {
    const { key, bodyHash, at, reply } = { ...used('k', 10), bodyHash: '{"a":1}' };
    const old = aPlayer({ keys: [{ key, bodyHash, at, reply }] });
    const body = patch('{"a":1}');
    expect(after(old, [body, 'client'], [body, 'server'], [patch('{"a":2}'), 'server'])).toEqual([
      'replayed',
      'replayed',
      'CONFLICT',
    ]);
  });
});
