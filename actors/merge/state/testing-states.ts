import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { aPlayer } from '../../testing-players.ts';

export const DAY = 20_454;
const AT = DAY * 86_400_000;

/** Two players whose numbers differ: every group of fields has what both have, and what one has. */
export const GUEST: PlayerState = aPlayer({
  id: '11111111-6f0b-5f8e-9d2c-0d1e2f3a4b5c',
  externalId: 'guest',
  email: 'guest@example.com',
  deviceId: 'phone',
  device: { platform: 'ios', osVersion: '18.1', appVersion: '1.2.3', build: '7', deviceModel: null },
  attributes: '{"level":3,"country":"SE","pet":{"name":"Rex"}}',
  country: 'SE',
  sessionCount: 5,
  sessionsInStage: 2,
  totalPlaytimeSeconds: 700,
  totalRevenue: 90_000,
  purchaseCount: 4,
  isPayer: true,
  firstSeenAt: AT - 9_000,
  lastSeenAt: AT + 70,
  recentEvents: [
    { eventId: 'g1', eventName: 'won', timestamp: AT - 3, receivedAt: AT - 2, by: 'client' },
    { eventId: 'both', eventName: 'won', timestamp: AT, receivedAt: AT, by: 'client' },
  ],
  counters: [
    { name: 'won', day: DAY, counts: [3, 0, 5] },
    { name: 'only_guest', day: DAY - 4, counts: [7] },
  ],
  activity: { day: DAY, sessions: [2, 3], playtimeSeconds: [600, 100] },
  overrides: [
    { flagKey: 'beta', value: 'true' },
    { flagKey: 'price', value: '"low"' },
  ],
  exposures: [
    { flagKey: 'price', flagVersion: 3, period: 2, variantKey: 'b', drawn: true },
    { flagKey: 'shop', flagVersion: 1, period: 1, variantKey: 'a', drawn: true, experiment: 'wide' },
  ],
  servedFlags: [served('price', 'b'), served('shop', 'a')],
  lists: [
    { segmentId: 'seg_1', loads: ['l1', 'l2'] },
    { segmentId: 'seg_2', loads: ['l3'] },
  ],
  recordedSessions: [{ digest: 's-guest', sessionCount: 1, totalPlaytimeSeconds: 10 }],
  recordedPurchases: [
    { digest: 'p-both', amount: 20_000, totalRevenue: 20_000, purchaseCount: 1, refunded: 5_000 },
    { digest: 'p-guest', amount: 75_000, totalRevenue: 90_000, purchaseCount: 4 },
  ],
  recordedRefunds: [refund('r-guest', 'p-both')],
  interventions: [pending('i-guest', AT - 50), pending('i-both', AT - 40)],
  campaignTallies: [tally('c-both', 2, 1, DAY, 2, AT - 40), tally('c-guest', 6, 6, DAY - 1, 1, AT - 50)],
  keys: [{ key: 'k-guest', bodyHash: 'g', at: AT - 5, reply: Uint8Array.of(1), by: 'client' }],
  quarantine: { last: 6, released: [{ from: 2, to: 3 }] },
  computed: [
    { id: 'wins@a', generation: 3, aggregate: 'count', days: 30, filled: true, buckets: [DAY, 3, DAY - 2, 5] },
    { id: 'best@b', generation: 3, aggregate: 'max', days: 0, filled: true, buckets: [0, 900] },
  ],
  sessions: [open('ses-guest', AT - 60)],
});

export const ACCOUNT: PlayerState = aPlayer({
  id: '22222222-6f0b-5f8e-9d2c-0d1e2f3a4b5c',
  externalId: 'account',
  email: 'account@example.com',
  attributes: '{"level":44,"clan":"red"}',
  sessionCount: 11,
  sessionsInStage: 10,
  totalPlaytimeSeconds: 13_000,
  totalRevenue: 170_000,
  purchaseCount: 19,
  isPayer: true,
  firstSeenAt: AT - 500,
  lastSeenAt: AT + 2,
  recentEvents: [
    { eventId: 'a1', eventName: 'lost', timestamp: AT - 8, receivedAt: AT - 7, by: 'client' },
    { eventId: 'both', eventName: 'lost', timestamp: AT - 1, receivedAt: AT - 1, by: 'client' },
    { eventId: 'g1', eventName: 'lost', timestamp: AT - 9, receivedAt: AT - 9, by: 'server' },
  ],
  counters: [
    { name: 'lost', day: DAY, counts: [23] },
    { name: 'won', day: DAY - 1, counts: [29, 31] },
  ],
  activity: { day: DAY - 1, sessions: [37], playtimeSeconds: [4_100] },
  overrides: [{ flagKey: 'price', value: '"high"' }],
  exposures: [
    { flagKey: 'price', flagVersion: 3, period: 2, variantKey: 'b', drawn: true },
    { flagKey: 'price', flagVersion: 3, period: 2, variantKey: 'c', drawn: true },
  ],
  servedFlags: [served('price', 'c')],
  lists: [{ segmentId: 'seg_1', loads: ['l1', 'l4'] }],
  recordedSessions: [{ digest: 's-account', sessionCount: 11, totalPlaytimeSeconds: 13_000 }],
  recordedPurchases: [{ digest: 'p-both', amount: 20_000, totalRevenue: 170_000, purchaseCount: 19 }],
  interventions: [pending('i-account', AT - 45), pending('i-both', AT - 40)],
  campaignTallies: [tally('c-account', 8, 3, DAY, 1, AT - 30), tally('c-both', 5, 4, DAY, 3, AT - 20)],
  keys: [{ key: 'k-account', bodyHash: 'a', at: AT - 6, reply: Uint8Array.of(2), by: 'client' }],
  quarantine: { last: 9, released: [] },
  computed: [
    { id: 'wins@a', generation: 3, aggregate: 'count', days: 30, filled: true, buckets: [DAY - 1, 41, DAY - 2, 43] },
  ],
  sessions: [open('ses-account', AT - 61)],
});

function served(flagKey: string, variantKey: string): PlayerState['servedFlags'][number] {
  const what = {
    flagVersion: 3,
    period: 2,
    variantKey,
    value: `"${variantKey}"`,
    reason: 'percentage_rollout',
  } as const;
  return { flagKey, ...what, changes: 0, mixed: false, earlier: [], stratum: 1 };
}

function refund(digest: string, transaction: string): NonNullable<PlayerState['recordedRefunds']>[number] {
  return { digest, transaction, amount: 5_000, remaining: 15_000, totalRevenue: 15_000, purchaseCount: 1 };
}

function pending(interventionId: string, createdAt: number): PlayerState['interventions'][number] {
  const campaign = { campaignId: 'c-both', campaignKey: 'comeback', campaignVersion: 2 };
  return { interventionId, ...campaign, createdAt, expiresAt: AT + 1_000_000, offers: 0, offeredAt: 0, shownAt: 0 };
}

function tally(
  campaignId: string,
  total: number,
  shown: number,
  day: number,
  today: number,
  lastAt: number,
): PlayerState['campaignTallies'][number] {
  return { campaignId, total, shown, day, today, lastAt, suppressedAt: 0, suppressed: 0 };
}

function open(sessionId: string, openedAt: number): PlayerState['sessions'][number] {
  const counts = { eventCount: 1, achievements: [], interventionsShown: 0, interventionsClicked: 0 };
  return { sessionId, openedAt, lastCallAt: openedAt + 1, ttlMs: 60_000, flagKeys: null, flags: [], ...counts };
}
