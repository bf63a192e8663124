import { describe, expect, it } from 'vitest';
import type { CommandBody } from '../../core/vocabulary/commands/commands.ts';
import { answer } from '../decide.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing-players.ts';
import { given } from '../testing/harness.ts';
import { viewOf } from '../../core/vocabulary/state/state.ts';

const { id, externalId } = aPlayer();
const base = { entityId: id, game: 'demo', environment: 'live', at: 1_000 } as const;
const player = viewOf(aPlayer({ email: 'a@example.com', attributes: '{"level":7}' }));
const registered: DomainFact = { ...base, kind: 'PlayerRegistered', player };
const erased: DomainFact = { ...base, at: 1_500, kind: 'PlayerErased' };
const overridden: DomainFact = {
  ...base,
  kind: 'FlagOverridden',
  externalId: 'ext-1',
  flagKey: 'shop',
  value: '"secret"',
};

const erase: CommandBody = { kind: 'ErasePlayer', playerId: id };
const register: CommandBody = {
  kind: 'RegisterPlayer',
  playerId: id,
  externalId,
  createOnly: true,
  byClientKey: false,
};
const track: CommandBody = {
  kind: 'TrackEvents',
  items: [
    {
      index: 0,
      playerId: id,
      eventId: 'e-1',
      remember: true,
      eventName: 'level_up',
      properties: '{}',
      sessionId: null,
      timestamp: 1_000,
    },
  ],
};
const claim = { key: 'key-1', bodyHash: 'hash-1' };

describe('an erased player', () => {
  it('leaves only the time of the erasure', () => {
    const { facts, reply, states } = given([registered, overridden]).when(aCommand(erase));
    expect(facts).toEqual([{ ...base, at: 2_000, kind: 'PlayerErased', quarantined: 0 }]);
    expect(reply).toEqual({ kind: 'erased', playerId: id, erasedAt: 2_000 });
    expect(states.get(id)).toEqual({
      kind: 'erased',
      id,
      game: 'demo',
      environment: 'live',
      erasedAt: 2_000,
      keys: [],
      quarantined: 0,
      lastSeq: 0,
    });
  });

  it('is erased once: a repeat returns the time and changes nothing', () => {
    const { facts, reply } = given([registered, erased]).when(aCommand(erase));
    expect(facts).toEqual([]);
    expect(reply).toEqual({ kind: 'erased', playerId: id, erasedAt: 1_500 });
  });

  it('does not exist for any other request', () => {
    const gone = { kind: 'failure', code: 'PLAYER_NOT_FOUND' };
    const bodies: CommandBody[] = [
      { kind: 'PatchPlayer', playerId: id, email: 'b@example.com' },
      { kind: 'OverrideFlag', playerId: id, flagKey: 'shop', value: 'true' },
    ];
    for (const body of bodies) {
      const { facts, reply } = given([registered, erased]).when(aCommand(body));
      expect(facts).toEqual([]);
      expect(reply).toMatchObject(gone);
    }
    const { facts, reply } = given([registered, erased]).when(aCommand(track));
    expect(facts).toEqual([]);
    expect(reply).toMatchObject({ results: [{ status: 'rejected', error: { code: 'PLAYER_NOT_FOUND' } }] });
  });

  it('is not found in another game or environment, nor is one that never existed', () => {
    for (const [facts, command] of [
      [[], aCommand(erase)],
      [[registered], aCommand(erase, { game: 'other' })],
      [[registered], aCommand(erase, { environment: 'test' })],
      [[registered, erased], aCommand(erase, { environment: 'test' })],
    ] as const) {
      const outcome = given(facts).when(command);
      expect(outcome.facts).toEqual([]);
      expect(outcome.reply).toMatchObject({ kind: 'failure', code: 'PLAYER_NOT_FOUND' });
    }
  });

  it('starts empty when registered again, even with createOnly', () => {
    const again = given([registered, overridden, erased]).when(aCommand(register));
    const first = given([]).when(aCommand(register));
    expect(again.facts).toEqual(first.facts);
    expect(again.reply).toMatchObject({ kind: 'player', created: true });
    // A new life also remembers where it begins, so that rows of the earlier one do not count.
    expect(again.states.get(id)).toEqual({ ...first.states.get(id), bornSeq: 0 });
  });

  it('that is registered again is not erased by a late repeat of the first erasure', () => {
    const first = given([registered]).when(aCommand({ ...erase, idempotency: claim }));
    const again = given([registered, ...first.facts]).when(aCommand(register));
    const repeat = given([registered, ...first.facts, ...again.facts]).when(
      aCommand({ ...erase, idempotency: claim }, { receivedAt: 3_000 }),
    );
    expect(repeat.facts).toEqual([]);
    expect(repeat.reply).toEqual({ kind: 'erased', playerId: id, erasedAt: 2_000, replayed: true });
    // Without the key it erases the new player.
    const anew = given([registered, ...first.facts, ...again.facts]).when(aCommand(erase, { receivedAt: 3_000 }));
    expect(anew.reply).toEqual({ kind: 'erased', playerId: id, erasedAt: 3_000 });
  });

  it('loses its Idempotency-Keys', () => {
    const keyed = given([registered]).when(aCommand({ ...track, idempotency: claim }));
    const outcome = given([registered, ...keyed.facts, erased]).when(aCommand({ ...register, idempotency: claim }));
    expect(outcome.reply).toMatchObject({ kind: 'player', created: true });
  });
});

describe('queries about an erased player', () => {
  const clock = { wallMs: () => 5_000, monotonicMs: () => 5_000 };
  const query = (facts: DomainFact[], kind: 'GetErasure' | 'ExportPlayer' | 'GetPlayer', game = 'demo') => {
    const state = given(facts)
      .when(aCommand({ kind: 'ClaimIdempotencyKey', ledgerId: 'l', idempotency: claim }))
      .states.get(id);
    const { receivedAt: _, ...envelope } = aCommand(erase, { game });
    return answer(state, { ...envelope, body: { kind, playerId: id } }, { definitions: definitionsOf(), clock });
  };

  it('return the time of the erasure, that the player exists, or PLAYER_NOT_FOUND', () => {
    expect(query([registered, erased], 'GetErasure')).toEqual({ kind: 'erased', playerId: id, erasedAt: 1_500 });
    expect(query([registered], 'GetErasure')).toEqual({ kind: 'erased', playerId: id, erasedAt: null });
    expect(query([], 'GetErasure')).toMatchObject({ code: 'PLAYER_NOT_FOUND' });
    expect(query([registered, erased], 'GetErasure', 'other')).toMatchObject({ code: 'PLAYER_NOT_FOUND' });
    expect(query([registered, erased], 'GetPlayer')).toMatchObject({ code: 'PLAYER_NOT_FOUND' });
    expect(query([registered, erased], 'ExportPlayer')).toMatchObject({ code: 'PLAYER_NOT_FOUND' });
  });

  it('export all data of an existing player, except the replies of Idempotency-Keys', () => {
    const keyed = given([registered, overridden]).when(aCommand({ ...track, idempotency: claim }));
    const reply = query([registered, overridden, ...keyed.facts], 'ExportPlayer');
    expect(reply).toMatchObject({
      kind: 'exported',
      player: {
        ...player,
        lastSeenAt: 2_000,
        overrides: [{ flagKey: 'shop', value: '"secret"' }],
        recentEvents: [{ eventId: 'e-1' }],
      },
    });
    expect(reply).toHaveProperty('player.keys', [{ key: 'key-1', at: 2_000 }]);
  });
});
