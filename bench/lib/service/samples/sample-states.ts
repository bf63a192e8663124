import { aPlayer } from '../../../../actors/testing-players.ts';
import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';
import { DAY_MS } from '../../../../core/kernel/days.ts';
import { uuidv5 } from '../../../../core/kernel/ids.ts';
import { times } from '../../figures/statistics.ts';

/* Players as their snapshots hold them. */

const NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const NOW = Date.UTC(2026, 0, 15, 10, 30);
const TODAY = Math.floor(NOW / DAY_MS);

/** A player who registered and did nothing else: about 150 bytes. */
export function newPlayer(turn: number): PlayerState {
  return aPlayer({
    id: uuidv5(NAMESPACE, `player-${turn}`),
    externalId: `player-${turn}`,
    lifecycleChangedAt: NOW,
    firstSeenAt: NOW,
    lastSeenAt: NOW,
    activity: { day: 0, sessions: [], playtimeSeconds: [] },
    lifecycleDueAt: NOW + DAY_MS,
    lastSeq: turn + 1,
  });
}

const EVENT_NAMES = ['level_complete', 'level_failed', 'item_bought', 'quest_started', 'shop_opened', 'ad_watched'];

const variedBy =
  (turn: number) =>
  (most: number, salt: number): number =>
    (turn * 31 + salt * 17) % most;

function countedEvents(turn: number): Pick<PlayerState, 'recentEvents' | 'counters'> {
  const varied = variedBy(turn);
  return {
    recentEvents: times(12, (index) => ({
      eventId: uuidv5(NAMESPACE, `event-${turn}-${index}`),
      eventName: EVENT_NAMES[index % EVENT_NAMES.length] ?? '',
      timestamp: NOW - index * 60_000,
      receivedAt: NOW - index * 60_000 + 80,
      by: 'client',
    })),
    counters: EVENT_NAMES.map((name, index) => ({
      name,
      day: TODAY,
      counts: times(14, (day) => varied(9, index + day)),
    })),
  };
}

/** The fields of a player's state that segments and flags store. */
const TARGETED: Pick<PlayerState, 'segments' | 'segmentsDueAt' | 'exposures' | 'servedFlags'> = {
  segments: times(4, (index) => ({
    segmentId: uuidv5(NAMESPACE, `segment-${index}`),
    segmentKey: `segment-${index}`,
    since: NOW - index * DAY_MS,
  })),
  segmentsDueAt: NOW + DAY_MS,
  exposures: times(4, (index) => ({
    flagKey: `rollout-${index}`,
    flagVersion: 3,
    period: 1,
    variantKey: index % 2 === 0 ? 'true' : 'b',
    drawn: true,
  })),
  servedFlags: times(8, (index) => ({
    flagKey: `rollout-${index}`,
    flagVersion: 3,
    period: 1,
    variantKey: null,
    value: 'true',
    reason: 'percentage_rollout',
    changes: 0,
    mixed: false,
    earlier: [],
  })),
};

/**
 * A player of several weeks: attributes, 4 segments, 8 flags, 6 counted event names, the last 12 events with ids of the
 * caller, two purchases, four weeks of activity. About 2 kB.
 */
export function typicalPlayer(turn: number): PlayerState {
  const varied = variedBy(turn);
  return {
    ...newPlayer(turn),
    deviceId: uuidv5(NAMESPACE, `device-${turn}`),
    email: `player-${turn}@example.com`,
    lifecycleStage: 'active',
    sessionCount: 40 + varied(20, 1),
    purchaseCount: 2,
    totalRevenue: 99_800,
    totalPlaytimeSeconds: 36_000 + varied(9_000, 2),
    isPayer: true,
    isTestPlayer: false,
    attributes: JSON.stringify({
      level: varied(60, 3),
      country: 'SE',
      language: 'sv-SE',
      is_vip: varied(10, 4) === 0,
      guild: `guild-${varied(5_000, 5)}`,
      soft_currency: varied(100_000, 6),
      hard_currency: varied(500, 7),
      tutorial: 'finished',
      acquisition: { network: 'organic', campaign: `spring-${varied(30, 8)}` },
    }),
    country: 'SE',
    ...countedEvents(turn),
    device: { platform: 'ios', osVersion: '18.2', appVersion: '4.12.0', build: '41200', deviceModel: 'iPhone15,2' },
    ...TARGETED,
    activity: {
      day: TODAY,
      sessions: times(28, (day) => varied(4, day)),
      playtimeSeconds: times(28, (day) => 600 * varied(4, day)),
    },
    recordedPurchases: times(2, (index) => ({
      digest: uuidv5(NAMESPACE, `purchase-${turn}-${index}`),
      amount: 49_900,
      totalRevenue: 49_900 * (index + 1),
      purchaseCount: index + 1,
    })),
    sessionsInStage: 12,
    lifecycleDueAt: NOW + 7 * DAY_MS,
  };
}
