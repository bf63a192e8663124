import { describe, expect, it } from 'vitest';
import { PLAYER_LIMITS } from '../../decision/limits.ts';
import { recall } from '../../events/recent-events.ts';
import { packEvents } from '../../events/event-block.ts';
import { FLAG_LIMITS } from '../../flags/limits.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { inPartition } from './computed.ts';
import { separated } from './separated.ts';
import { ACCOUNT, DAY, GUEST } from './testing-states.ts';
import { united } from './united.ts';

const fact = { mergeId: 'm1', mergedAt: DAY * 86_400_000, at: DAY * 86_400_000 + 100 };
const both = united(ACCOUNT, GUEST, fact, PLAYER_LIMITS);

describe('two players united', () => {
  it('have the sum of their sessions, playtime and purchases, and a purchase of both once', () => {
    expect(both).toMatchObject({ sessionCount: 16, sessionsInStage: 12, totalPlaytimeSeconds: 13_700, isPayer: true });
    // The guest's report of `p-both` added 15,000 after its refund.
    expect(both).toMatchObject({ totalRevenue: 245_000, purchaseCount: 22 });
    expect(both.recordedPurchases.map(({ digest, refunded }) => [digest, refunded])).toEqual([
      ['p-guest', undefined],
      ['p-both', undefined],
    ]);
    expect(both.recordedRefunds?.map(({ digest }) => digest)).toEqual(['r-guest']);
    expect(both.recordedSessions.map(({ digest }) => digest)).toEqual(['s-guest', 's-account']);
  });

  it('were first seen when the earlier one was, and last when the later one was', () => {
    expect([both.firstSeenAt, both.lastSeenAt]).toEqual([GUEST.firstSeenAt, GUEST.lastSeenAt]);
  });

  it('have the attributes of the account, and those that only the guest has', () => {
    expect(JSON.parse(both.attributes)).toEqual({ level: 44, clan: 'red', country: 'SE', pet: { name: 'Rex' } });
    expect(both).toMatchObject({
      country: 'SE',
      email: 'account@example.com',
      deviceId: 'phone',
      device: GUEST.device,
    });
  });

  it('have the sum of their counters by day, the most recent first', () => {
    expect(both.counters).toEqual([
      { name: 'lost', day: DAY, counts: [23] },
      { name: 'won', day: DAY, counts: [3, 29, 36] },
      { name: 'only_guest', day: DAY - 4, counts: [7] },
    ]);
    expect(both.activity).toEqual({ day: DAY, sessions: [2, 40], playtimeSeconds: [600, 4_200] });
  });

  it('have the flags of the account, and those that only the guest has go on', () => {
    expect(both.servedFlags.map(({ flagKey, variantKey }) => [flagKey, variantKey])).toEqual([
      ['price', 'c'],
      ['shop', 'a'],
    ]);
    expect(both.overrides).toEqual([
      { flagKey: 'beta', value: 'true' },
      { flagKey: 'price', value: '"high"' },
    ]);
  });

  it('have an exposure of both once', () => {
    expect(both.exposures.map(({ flagKey, variantKey }) => [flagKey, variantKey])).toEqual([
      ['shop', 'a'],
      ['price', 'b'],
      ['price', 'c'],
    ]);
  });

  it('have what either was offered, and the sum of their tallies, so that caps hold over both', () => {
    expect(both.interventions.map(({ interventionId }) => interventionId)).toEqual(['i-guest', 'i-account', 'i-both']);
    expect(
      both.campaignTallies.map(({ campaignId, total, shown, today }) => [campaignId, total, shown, today]),
    ).toEqual([
      ['c-guest', 6, 6, 1],
      ['c-account', 8, 3, 1],
      ['c-both', 7, 5, 5],
    ]);
  });

  it('are in the lists of either', () => {
    expect(both.lists).toEqual([
      { segmentId: 'seg_1', loads: ['l1', 'l4', 'l2'] },
      { segmentId: 'seg_2', loads: ['l3'] },
    ]);
  });

  it('have the values of computed properties by their own rules', () => {
    expect(both.computed).toEqual([
      { ...ACCOUNT.computed?.[0], buckets: [DAY, 3, DAY - 1, 41, DAY - 2, 48] },
      { ...GUEST.computed?.[1] },
    ]);
  });

  it('recognise the requests of either, by the kind of their key', () => {
    const names = (eventId: string, by: 'client' | 'server') => recall(both, eventId, by)?.eventName;
    expect([names('g1', 'client'), names('g1', 'server'), names('both', 'client'), names('a1', 'client')]).toEqual([
      'won',
      'lost',
      'lost',
      'lost',
    ]);
    expect(both.recentEvents.map(({ receivedAt }) => receivedAt)).toEqual(
      both.recentEvents.map(({ receivedAt }) => receivedAt).toSorted((one, other) => one - other),
    );
    expect(both.keys.map(({ key }) => key)).toEqual(['k-account', 'k-guest']);
  });

  it('keep their quarantines apart, because both count from 1', () => {
    expect(both.quarantine).toEqual(ACCOUNT.quarantine);
    expect(both.guestQuarantines).toEqual([{ playerId: GUEST.id, last: 6, released: [{ from: 2, to: 3 }] }]);
  });

  it('have the open sessions of either, the oldest first', () => {
    expect(both.sessions.map(({ sessionId }) => sessionId)).toEqual(['ses-account', 'ses-guest']);
  });
});

describe('a guest of another partition', () => {
  it('has its computed values by the numbers of the account’s partition, and none of properties that ended there', () => {
    const active = {
      revision: 1,
      generation: 9,
      list: [{ id: 'wins@a', spec: '{}', generation: 8, from: 1, filled: true }],
    };
    expect(inPartition(GUEST, active).computed).toEqual([{ ...GUEST.computed?.[0], generation: 8 }]);
    expect(inPartition(GUEST, undefined)).not.toHaveProperty('computed');
  });
});

describe('the bounds of a state', () => {
  it('hold over both: what the guest brought goes first', () => {
    const many = (prefix: string, count: number): PlayerState['overrides'] =>
      Array.from({ length: count }, (_, n) => ({ flagKey: `${prefix}${n}`, value: '1' }));
    const full = { ...ACCOUNT, overrides: many('a', FLAG_LIMITS.overridesPerPlayer - 1) };
    const { overrides } = united(full, { ...GUEST, overrides: many('g', 5) }, fact, PLAYER_LIMITS);
    expect(overrides).toHaveLength(FLAG_LIMITS.overridesPerPlayer);
    expect(overrides.filter(({ flagKey }) => flagKey.startsWith('g'))).toHaveLength(1);
  });

  it('hold for event ids: the older ones move to blocks, and stay recognised', () => {
    const events = (prefix: string, count: number, from: number): PlayerState['recentEvents'] =>
      Array.from({ length: count }, (_, n) => ({
        eventId: `${prefix}${n}`,
        eventName: prefix,
        timestamp: from + n,
        receivedAt: from + n,
        by: 'client' as const,
      }));
    const block = packEvents([
      { hash: '\u0000\u00ff234567', eventName: 'old', timestamp: 5, receivedAt: 6, by: 'client' },
    ]);
    const guest = {
      ...GUEST,
      recentEvents: events('g', 30, fact.at - 900),
      olderEvents: { client: [block], server: [] },
    };
    const account = { ...ACCOUNT, recentEvents: events('a', 30, fact.at - 800) };
    const all = united(account, guest, fact, PLAYER_LIMITS);
    expect(all.recentEvents.length).toBeLessThanOrEqual(PLAYER_LIMITS.recentEvents);
    for (const { eventId } of [...guest.recentEvents, ...account.recentEvents])
      expect(recall(all, eventId, 'client'), eventId).toBeDefined();
    expect(all.olderEvents?.client).toContain(block);
  });
});

describe('a merge that is taken back', () => {
  const remembers = ['recentEvents', 'olderEvents', 'keys', 'recordedSessions', 'computed'] as const;
  const without = (state: PlayerState): Partial<PlayerState> => {
    const copy: Partial<PlayerState> = { ...state };
    for (const field of remembers) delete copy[field];
    return copy;
  };

  it('leaves the account as it was, but for requests that it recognises', () => {
    expect(without(separated(both, GUEST, fact))).toEqual(without(ACCOUNT));
    expect(separated(both, GUEST, fact).computed?.[0]).toEqual(ACCOUNT.computed?.[0]);
  });

  it('leaves an account without anything as it was', () => {
    const bare: PlayerState = {
      ...ACCOUNT,
      attributes: '{}',
      country: '',
      email: null,
      overrides: [],
      servedFlags: [],
    };
    const {
      lists: _,
      computed: __,
      ...empty
    } = { ...bare, counters: [], exposures: [], interventions: [], sessions: [] };
    const after = separated(united(empty, GUEST, fact, PLAYER_LIMITS), GUEST, fact);
    expect(without(after)).toEqual(without(empty));
  });

  it('keeps what happened to the account since', () => {
    const since = {
      ...both,
      attributes: '{"level":45,"clan":"red","country":"NO","pet":{"name":"Rex"}}',
      sessionCount: both.sessionCount + 1,
      totalRevenue: both.totalRevenue + 100,
      purchaseCount: both.purchaseCount + 1,
      overrides: both.overrides.map((one) => ({ ...one, value: '"new"' })),
    };
    const after = separated(since, GUEST, fact);
    expect(after).toMatchObject({ sessionCount: 12, totalRevenue: 170_100, purchaseCount: 20 });
    expect(JSON.parse(after.attributes)).toEqual({ level: 45, clan: 'red', country: 'NO' });
    expect(after.overrides).toHaveLength(2);
  });

  it('of the earlier of two guests leaves what the later one brought', () => {
    const other = { ...GUEST, id: '33333333-6f0b-5f8e-9d2c-0d1e2f3a4b5c', externalId: 'other', sessionCount: 1_000 };
    const later = { ...other, firstSeenAt: GUEST.firstSeenAt - 1, attributes: '{"hat":"blue"}' };
    const three = united(both, later, { ...fact, mergeId: 'm2' }, PLAYER_LIMITS);
    const after = separated(separated(three, GUEST, fact), later, { mergeId: 'm2' });
    expect(separated(three, GUEST, fact)).toMatchObject({
      sessionCount: 1_011,
      attributes: '{"level":44,"clan":"red","hat":"blue"}',
    });
    expect(after).toMatchObject({ sessionCount: 11, firstSeenAt: ACCOUNT.firstSeenAt, totalRevenue: 170_000 });
    expect(after).not.toHaveProperty('absorbed');
  });
});
