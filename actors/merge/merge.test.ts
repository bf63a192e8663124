import { describe, expect, it } from 'vitest';
import type { CommandBody } from '../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { DomainFact } from '../../core/vocabulary/facts/facts.ts';
import { decodeState } from '../../core/codec/state/state-codec.ts';
import { answer } from '../decide.ts';
import { dueAt } from '../timers.ts';
import { given, type Harness } from '../testing/harness.ts';
import { aCommand, aPlayer, definitionsOf } from '../testing-players.ts';
import { MERGE_LIMITS } from './limits.ts';

const GUEST = '11111111-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const ACCOUNT = '22222222-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const OTHER = '33333333-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const into = { playerId: ACCOUNT, externalId: 'account' };
const guest = aPlayer({ id: GUEST, externalId: 'guest', sessionCount: 2, totalRevenue: 700 });
const account = aPlayer({ id: ACCOUNT, externalId: 'account', sessionCount: 3, totalRevenue: 4_000 });
const other = aPlayer({ id: OTHER, externalId: 'other', sessionCount: 1, totalRevenue: 90_000 });

const kinds = (facts: readonly DomainFact[]): string[] => facts.map(({ kind }) => kind);
const codeOf = (reply: Reply): string => (reply.kind === 'failure' ? reply.code : reply.kind);

/** Sends a command at a time and returns its reply. */
function sends(house: Harness, body: CommandBody, receivedAt = 2_000): Reply {
  return house.when(aCommand(body, { receivedAt })).reply;
}

function begun(house: Harness, target = into, mergeId = 'm1', playerId = GUEST) {
  const reply = sends(house, { kind: 'BeginMerge', playerId, into: target, mergeId });
  if (reply.kind !== 'merging') throw new Error(`the merge began with ${codeOf(reply)}`);
  return reply;
}

function absorb(house: Harness, playerId = ACCOUNT, mergeId = 'm1', bytes?: Uint8Array): Reply {
  const held = house.states.get(GUEST);
  const state = bytes ?? (held?.kind === 'merged' ? held.guest : new Uint8Array());
  return sends(house, { kind: 'AbsorbPlayer', playerId, mergeId, mergedAt: 2_000, guest: state });
}

function merged(players = [guest, account]): Harness {
  const house = given(players);
  begun(house);
  absorb(house);
  sends(house, { kind: 'FinishMerge', playerId: GUEST, mergeId: 'm1' });
  return house;
}

describe('a merge', () => {
  it('makes the guest an alias and gives its state to the account, in three steps', () => {
    const house = given([guest, account]);
    const { guest: bytes } = begun(house);
    expect(decodeState(bytes)).toEqual(guest);
    expect(absorb(house)).toEqual({ kind: 'absorbed', playerId: ACCOUNT, mergeId: 'm1' });
    expect(house.player(ACCOUNT)).toMatchObject({ sessionCount: 5, totalRevenue: 4_700 });
    expect(sends(house, { kind: 'FinishMerge', playerId: GUEST, mergeId: 'm1' })).toMatchObject({ stage: 'moved' });
    expect(kinds(house.facts)).toEqual(['PlayerMerged', 'PlayerAbsorbed', 'MergeFinished']);
  });

  it('repeats each step without an effect', () => {
    const house = given([guest, account]);
    const first = begun(house);
    expect(begun(house, into, 'm2')).toEqual(first);
    absorb(house);
    expect(absorb(house)).toMatchObject({ kind: 'absorbed' });
    const finish = { kind: 'FinishMerge', playerId: GUEST, mergeId: 'm1' } as const;
    expect(sends(house, finish)).toEqual(sends(house, finish));
    expect(kinds(house.facts)).toEqual(['PlayerMerged', 'PlayerAbsorbed', 'MergeFinished']);
  });

  it('of a guest that is merged into another account is a conflict', () => {
    const house = merged([guest, account, other]);
    const again = { playerId: OTHER, externalId: 'other' };
    expect(codeOf(sends(house, { kind: 'BeginMerge', playerId: GUEST, into: again, mergeId: 'm2' }))).toBe('CONFLICT');
  });

  it('needs a guest that exists and is another player', () => {
    const house = given([account]);
    expect(codeOf(sends(house, { kind: 'BeginMerge', playerId: GUEST, into, mergeId: 'm1' }))).toBe('PLAYER_NOT_FOUND');
    const self = { kind: 'BeginMerge', playerId: ACCOUNT, into, mergeId: 'm1' } as const;
    expect(codeOf(sends(house, self))).toBe('VALIDATION_ERROR');
  });

  it('into an account that was erased, also if it registered again, is refused', () => {
    const house = given([guest, { ...account, bornSeq: 70 }]);
    begun(house);
    expect(codeOf(absorb(house))).toBe('PLAYER_NOT_FOUND');
    expect(codeOf(absorb(house, OTHER))).toBe('PLAYER_NOT_FOUND');
  });

  it('into an account that was merged itself replies where that is, and is then refused for good', () => {
    const house = given([guest, account, other]);
    const { guest: bytes } = begun(house);
    begun(house, { playerId: OTHER, externalId: 'other' }, 'm2', ACCOUNT);
    expect(absorb(house)).toMatchObject({ kind: 'moved', into: { playerId: OTHER } });
    const release = { kind: 'ReleaseGuest', playerId: ACCOUNT, mergeId: 'm1', guest: bytes } as const;
    expect(sends(house, release)).toEqual({ kind: 'noted' });
    sends(house, { kind: 'CancelMerge', playerId: ACCOUNT, mergeId: 'm2' });
    expect(codeOf(absorb(house))).toBe('CONFLICT');
    expect(house.player(ACCOUNT).sessionCount).toBe(3);
  });

  it('beyond the guests of one account is a conflict', () => {
    const one = { mergeId: 'm', guestId: OTHER, guestExternalId: 'other', at: 1 };
    const absorbed = Array.from({ length: MERGE_LIMITS.guestsPerAccount }, () => one);
    const house = given([guest, { ...account, absorbed }]);
    begun(house);
    expect(codeOf(absorb(house))).toBe('CONFLICT');
  });
});

describe('a cancelled merge', () => {
  it('leaves the guest as it was, and no late command of it has an effect', () => {
    const house = given([guest, account]);
    const { guest: bytes } = begun(house);
    sends(house, { kind: 'ReleaseGuest', playerId: ACCOUNT, mergeId: 'm1', guest: bytes });
    const cancel = { kind: 'CancelMerge', playerId: GUEST, mergeId: 'm1' } as const;
    expect([sends(house, cancel), sends(house, cancel)]).toEqual([{ kind: 'noted' }, { kind: 'noted' }]);
    expect(house.player(GUEST)).toEqual({ ...guest, refused: ['m1'] });
    expect(codeOf(absorb(house, ACCOUNT, 'm1', bytes))).toBe('CONFLICT');
    expect(codeOf(sends(house, { kind: 'BeginMerge', playerId: GUEST, into, mergeId: 'm1' }))).toBe('CONFLICT');
    expect(house.player(ACCOUNT)).toEqual({ ...account, refused: ['m1'] });
    expect(begun(house, into, 'm2')).toMatchObject({ stage: 'moving' });
  });
});

describe('a merge that is taken back', () => {
  const takeBack = (house: Harness, at = 3_000): Reply => {
    const reply = sends(house, { kind: 'BeginUnmerge', playerId: GUEST, mergeId: 'm1' }, at);
    if (reply.kind !== 'merging') return reply;
    const { mergeId, guest: bytes } = reply;
    const released = sends(house, { kind: 'ReleaseGuest', playerId: ACCOUNT, mergeId, guest: bytes }, at);
    if (released.kind === 'failure') return released;
    return sends(house, { kind: 'FinishUnmerge', playerId: GUEST, mergeId }, at);
  };

  it('gives both players what they had', () => {
    const house = merged();
    expect(takeBack(house)).toEqual({ kind: 'noted' });
    expect(house.player(GUEST)).toEqual({ ...guest, refused: ['m1'] });
    expect(house.player(ACCOUNT)).toMatchObject({ sessionCount: 3, totalRevenue: 4_000 });
    expect(kinds(house.facts).slice(3)).toEqual(['UnmergeBegun', 'GuestReleased', 'PlayerUnmerged']);
  });

  it('can be merged again, which counts once', () => {
    const house = merged();
    takeBack(house);
    begun(house, into, 'm2');
    absorb(house, ACCOUNT, 'm2');
    expect(house.player(ACCOUNT)).toMatchObject({ sessionCount: 5, totalRevenue: 4_700 });
  });

  it('is a conflict after 24 hours, and once the account was merged itself', () => {
    const late = merged();
    expect(codeOf(takeBack(late, 2_000 + MERGE_LIMITS.takeBackMs))).toBe('CONFLICT');
    const house = merged([guest, account, other]);
    begun(house, { playerId: OTHER, externalId: 'other' }, 'm2', ACCOUNT);
    expect(codeOf(takeBack(house))).toBe('CONFLICT');
  });
});

describe('a merged player', () => {
  it('decides no command and answers no query, but names its account', () => {
    const house = merged();
    const moved = { playerId: GUEST, into, mergeId: 'm1', stage: 'moved' } as const;
    expect(sends(house, { kind: 'PatchPlayer', playerId: GUEST, email: 'a@b.example' })).toEqual({
      kind: 'moved',
      ...moved,
    });
    expect(sends(house, { kind: 'ErasePlayer', playerId: GUEST })).toEqual({ kind: 'moved', ...moved });
    const query = {
      ...aCommand({ kind: 'BeginUnmerge', playerId: GUEST, mergeId: 'm1' }),
      body: { kind: 'GetPlayer', playerId: GUEST },
    } as const;
    const clock = { wallMs: () => 1, monotonicMs: () => 1 };
    expect(answer(house.states.get(GUEST), query, { definitions: definitionsOf(), clock })).toEqual({
      kind: 'moved',
      ...moved,
    });
  });

  it('moves its events, and the others of a batch are decided', () => {
    const house = merged();
    const item = { eventId: 'e', remember: true, eventName: 'won', properties: '{}', sessionId: null, timestamp: 1 };
    const items = [
      { ...item, index: 0, playerId: GUEST },
      { ...item, index: 1, playerId: ACCOUNT },
    ];
    expect(sends(house, { kind: 'TrackEvents', items })).toMatchObject({
      results: [{ status: 'moved', moved: { into } }, { status: 'accepted' }],
    });
  });

  it('settles after 24 hours: its kept state goes, its alias stays', () => {
    const house = merged();
    const due = 2_000 + MERGE_LIMITS.takeBackMs;
    expect(dueAt(house.states.get(GUEST) ?? guest)).toBe(due);
    expect(house.whenTime(GUEST, due - 1)).toEqual([]);
    expect(kinds(house.whenTime(GUEST, due))).toEqual(['MergeSettled']);
    expect(house.states.get(GUEST)).toMatchObject({ stage: 'settled', into });
    expect(dueAt(house.states.get(GUEST) ?? guest)).toBeNull();
  });

  it('is erased as an alias once the account has absorbed it', () => {
    const alias = { kind: 'ErasePlayer', playerId: GUEST, alias: true } as const;
    const house = given([{ ...guest, deviceId: 'phone' }, account]);
    begun(house);
    expect(codeOf(sends(house, alias))).toBe('SERVICE_UNAVAILABLE');
    absorb(house);
    sends(house, { kind: 'FinishMerge', playerId: GUEST, mergeId: 'm1' });
    expect(house.when(aCommand(alias)).thenFacts([{ kind: 'PlayerErased', deviceId: 'phone' }]).reply).toMatchObject({
      kind: 'erased',
    });
    expect(codeOf(sends(house, { ...alias, playerId: ACCOUNT }))).toBe('PLAYER_NOT_FOUND');
  });
});

describe('the test players of a partition', () => {
  it('are counted once, whichever of the two is one', () => {
    const count = (house: Harness) => house.states.get('ledger:testers:demo/live');
    const house = given([{ ...guest, isTestPlayer: true }, account]);
    begun(house);
    expect(count(house)).toMatchObject({ testPlayers: -1 });
    absorb(house);
    expect(count(house)).toMatchObject({ testPlayers: 0 });
  });
});
