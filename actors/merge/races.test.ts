import { describe, expect, it } from 'vitest';
import type { CommandBody } from '../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import { encodeGuest } from '../../core/codec/stored-guest.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { given, type Harness } from '../testing/harness.ts';
import { aCommand, aPlayer } from '../testing-players.ts';

/*
 * Races of merging that another analytics service had, as its public issues and changes describe them (PostHog/posthog
 * #3190, #10337, #11217, #34839, #40639, #14804, #637), and the same orders of commands here.
 */

const G = '11111111-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const A = '22222222-6f0b-5f8e-9d2c-0d1e2f3a4b5c';
const into = { playerId: A, externalId: 'account' };
const guest = aPlayer({ id: G, externalId: 'guest', attributes: '{"plan":"free","tutorial":1}', firstSeenAt: 400 });
const account = aPlayer({ id: A, externalId: 'account', attributes: '{"plan":"gold"}', firstSeenAt: 900 });

const begin: CommandBody = { kind: 'BeginMerge', playerId: G, into, mergeId: 'm1' };
const absorb = (of: PlayerState = guest, mergeId = 'm1', playerId = A): CommandBody => ({
  kind: 'AbsorbPlayer',
  playerId,
  mergeId,
  mergedAt: 2_000,
  guest: encodeGuest(of),
});
const finish: CommandBody = { kind: 'FinishMerge', playerId: G, mergeId: 'm1' };
const patch = (playerId: string, attributes: string): CommandBody => ({ kind: 'PatchPlayer', playerId, attributes });
const track = (playerId: string, eventId = 'e1'): CommandBody => {
  const event = { index: 0, playerId, eventId, remember: true, eventName: 'won', properties: '{}' };
  return { kind: 'TrackEvents', items: [{ ...event, sessionId: null, timestamp: 1 }] };
};
const register = (playerId: string, externalId: string): CommandBody => ({
  kind: 'RegisterPlayer',
  playerId,
  externalId,
  createOnly: false,
  byClientKey: true,
});

const codeOf = (reply: Reply): string => {
  if (reply.kind === 'tracked') return reply.results.map(({ status }) => status).join();
  return reply.kind === 'failure' ? reply.code : reply.kind;
};

interface Race {
  race: string;
  commands: readonly CommandBody[];
  replies: readonly string[];
  /** Of the account afterwards. */
  becomes?: Partial<PlayerState>;
}

const RACES: readonly Race[] = [
  {
    race: '#10337: attributes that come with the sign-in change one player once, not three rows of it',
    commands: [begin, absorb(), patch(A, '{"plan":"silver"}'), finish],
    replies: ['merging', 'absorbed', 'player', 'merging'],
    becomes: { attributes: '{"plan":"silver","tutorial":1}' },
  },
  {
    race: '#11217: an update of the guest between the begin and the end of the merge is not lost: it moves',
    commands: [begin, patch(G, '{"tutorial":2}'), absorb(), finish, patch(A, '{"tutorial":2}')],
    replies: ['merging', 'moved', 'absorbed', 'merging', 'player'],
    becomes: { attributes: '{"plan":"gold","tutorial":2}' },
  },
  {
    race: '#3190: an id that is used again while it is merged does not come to life beside the account',
    commands: [begin, register(G, 'guest'), absorb(), finish, register(G, 'guest')],
    replies: ['merging', 'moved', 'absorbed', 'merging', 'moved'],
  },
  {
    race: '#34839: another process merged the same guest: it counts once, and was first seen when the earlier one was',
    commands: [begin, { ...begin, mergeId: 'm2' }, absorb(), absorb(), finish, finish],
    replies: ['merging', 'merging', 'absorbed', 'absorbed', 'merging', 'merging'],
    becomes: { firstSeenAt: 400 },
  },
  {
    race: '#40639: the account is created while the guest signs in: the sign-in is not lost to the creation',
    commands: [register(A, 'account'), begin, absorb(), register(A, 'account'), finish],
    replies: ['player', 'merging', 'absorbed', 'player', 'merging'],
    becomes: { attributes: '{"plan":"gold","tutorial":1}' },
  },
  {
    race: '#14804: what is set for the guest by its old id while it is merged is not set twice or nowhere',
    commands: [begin, { kind: 'OverrideFlag', playerId: G, flagKey: 'price', value: '1' }, absorb(), finish],
    replies: ['merging', 'moved', 'absorbed', 'merging'],
    becomes: { overrides: [] },
  },
  {
    race: '#637: a second guest of the same account does not displace the first',
    commands: [begin, absorb(), finish, absorb({ ...guest, id: '33333333-6f0b-5f8e-9d2c-0d1e2f3a4b5c' }, 'm2')],
    replies: ['merging', 'absorbed', 'merging', 'absorbed'],
  },
  {
    race: 'an event of the guest that was counted before the merge, and is sent again after it, is a duplicate',
    commands: [track(G), begin, track(G), track(G, 'e2')],
    replies: ['accepted', 'merging', 'moved', 'moved'],
  },
];

function after(house: Harness, commands: readonly CommandBody[]): string[] {
  return commands.map((body) => codeOf(house.when(aCommand(body, { by: 'client' })).reply));
}

describe('a race of merges', () => {
  it.each(RACES)('$race', ({ commands, replies, becomes }) => {
    const house = given([guest, account]);
    expect(after(house, commands)).toEqual(replies);
    if (becomes !== undefined) expect(house.player(A)).toMatchObject(becomes);
  });

  it('between events and the merge counts each event once, with whichever id it is sent', () => {
    const house = given([guest, account]);
    after(house, [track(G), begin]);
    const merged = house.states.get(G);
    if (merged?.kind !== 'merged') throw new Error('the guest is merged');
    house.when(aCommand({ kind: 'AbsorbPlayer', playerId: A, mergeId: 'm1', mergedAt: 2_000, guest: merged.guest }));
    expect(after(house, [finish, track(A), track(A, 'e2'), track(A, 'e2')])).toEqual([
      'merging',
      'duplicate',
      'accepted',
      'duplicate',
    ]);
    expect(house.player(A).counters).toMatchObject([{ name: 'won', counts: [2] }]);
  });

  it('keeps keys of client and server API keys apart, and an open session of the guest goes on', () => {
    const [by, idempotency] = ['client' as const, { key: 'k', bodyHash: 'h' }];
    const house = given([guest, account]);
    const init = {
      kind: 'InitSession',
      playerId: G,
      sessionId: 's1',
      device: null,
      flagKeys: [],
      ttlMs: 60_000,
    } as const;
    const first = house.when(aCommand({ ...init, idempotency }, { by })).reply;
    after(house, [begin]);
    const merged = house.states.get(G);
    if (merged?.kind !== 'merged') throw new Error('the guest is merged');
    house.when(aCommand({ kind: 'AbsorbPlayer', playerId: A, mergeId: 'm1', mergedAt: 2_000, guest: merged.guest }));
    const again = { ...init, playerId: A, idempotency };
    expect(house.when(aCommand(again, { by })).reply).toEqual({ ...first, replayed: true });
    const sync: CommandBody = { kind: 'SyncSession', playerId: A, sessionId: 's1', events: [], stateUpdates: null };
    expect(house.when(aCommand(sync, { by })).reply.kind).toBe('sessionSynced');
    expect(house.player(A)).toMatchObject({ sessionCount: 1, sessions: [{ sessionId: 's1' }] });
  });

  it('keeps the numbers of quarantined events of both apart, and releases each once', () => {
    const reason = { schemaVersion: 1, faults: [] };
    const item = { index: 0, eventName: 'bad', properties: '{}', sessionId: null, timestamp: 1, remember: false };
    const quarantined = (playerId: string, eventId: string): CommandBody => ({
      kind: 'TrackEvents',
      items: [{ ...item, playerId, eventId, quarantine: reason }],
    });
    const released = (eventId: string, guestId?: string): CommandBody => {
      const release = { number: 1, quarantinedAt: 1, ...(guestId === undefined ? {} : { guestId }) };
      return { kind: 'TrackEvents', items: [{ ...item, playerId: A, eventId, release }] };
    };
    const house = given([guest, account]);
    after(house, [quarantined(G, 'q-guest'), quarantined(A, 'q-account'), begin]);
    const merged = house.states.get(G);
    if (merged?.kind !== 'merged') throw new Error('the guest is merged');
    house.when(aCommand({ kind: 'AbsorbPlayer', playerId: A, mergeId: 'm1', mergedAt: 2_000, guest: merged.guest }));
    const all = [released('q-account'), released('q-guest', G), released('q-account'), released('q-guest', G)];
    expect(after(house, all)).toEqual(['accepted', 'accepted', 'duplicate', 'duplicate']);
    expect(after(house, [released('q-other', '44444444-6f0b-5f8e-9d2c-0d1e2f3a4b5c')])).toEqual(['rejected']);
  });
});
