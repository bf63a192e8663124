import type { EntityState, ErasedState, LedgerState, PlayerState } from '../../actors/vocabulary/state.ts';
import {
  eventFromTuple,
  eventToTuple,
  type EventTuple,
  keyFromTuple,
  keyToTuple,
  type KeyTuple,
  purchaseFromTuple,
  purchaseToTuple,
  type RecordedPurchaseTuple,
} from './remembered-layout.ts';
import { servedFromTuple, servedToTuple, type ServedTuple } from './served-layout.ts';
import { sessionFromTuple, sessionToTuple, type SessionTuple } from './session-layout.ts';
import type { DeviceInfo } from '../../actors/vocabulary/commands.ts';
import type {
  CampaignTally,
  DailyActivity,
  LifecycleStage,
  PendingIntervention,
  QuarantineTally,
} from '../../actors/vocabulary/player.ts';

/**
 * Layout of a state, version 1. Every changed player's state is written a few times a second and decoded one by one, so
 * field names would be most of its bytes. A later field goes to the end, and reading supplies its default.
 */
export type StateTuple = PlayerTuple | LedgerTuple | ErasedTuple;

type PlayerTuple = [
  kind: 1,
  id: string,
  game: string,
  live: boolean,
  externalId: string,
  deviceId: string | null,
  email: string | null,
  stage: number,
  lifecycleChangedAt: number,
  sessionCount: number,
  purchaseCount: number,
  totalRevenue: number,
  totalPlaytimeSeconds: number,
  isPayer: boolean,
  firstSeenAt: number,
  lastSeenAt: number,
  attributes: string,
  country: string,
  recentEvents: EventTuple[],
  keys: KeyTuple[],
  lastSeq: number,
  // Absent in states older than segments and flags.
  counters?: CounterTuple[],
  device?: DeviceTuple | null,
  segments?: MembershipTuple[],
  segmentsDueAt?: number,
  overrides?: OverrideTuple[],
  exposures?: ExposureTuple[],
  // Absent in states older than sessions.
  sessions?: SessionTuple[],
  activity?: ActivityTuple,
  recordedSessions?: RecordedSessionTuple[],
  recordedPurchases?: RecordedPurchaseTuple[],
  sessionsInStage?: number,
  // Absent in states older than campaigns.
  interventions?: InterventionTuple[],
  campaignTallies?: TallyTuple[],
  // Absent in states older than stage thresholds.
  lifecycleDueAt?: number,
  churnHigh?: boolean,
  // Absent in states older than the quarantine.
  quarantine?: QuarantineTuple,
  // Absent in states older than stored flag results.
  servedFlags?: ServedTuple[],
];
type CounterTuple = [name: string, day: number, ...counts: number[]];
type DeviceTuple = [
  platform: string | null,
  osVersion: string | null,
  appVersion: string | null,
  deviceModel: string | null,
];
type MembershipTuple = [segmentId: string, segmentKey: string, since: number];
type OverrideTuple = [flagKey: string, value: string];
type ExposureTuple = [flagKey: string, flagVersion: number, variantKey: string | null, period?: number];
type ActivityTuple = [day: number, sessions: readonly number[], playtimeSeconds: readonly number[]];
type RecordedSessionTuple = [digest: string, sessionCount: number, totalPlaytimeSeconds: number];
type InterventionTuple = [
  interventionId: string,
  campaignId: string,
  campaignKey: string,
  campaignVersion: number,
  createdAt: number,
  expiresAt: number,
  offers: number,
  offeredAt: number,
  shownAt: number,
];
type TallyTuple = [
  campaignId: string,
  total: number,
  day: number,
  today: number,
  lastAt: number,
  suppressedAt: number,
  suppressed: number,
];
type QuarantineTuple = [last: number, ...released: number[]];
type LedgerTuple = [kind: 2, id: string, game: string, live: boolean, keys: KeyTuple[], lastSeq: number];
type ErasedTuple = [
  kind: 3,
  id: string,
  game: string,
  live: boolean,
  erasedAt: number,
  keys: KeyTuple[],
  lastSeq: number,
  quarantined?: number,
];
/** Stages by number. Never reorder: append. */
const STAGES = ['new', 'active', 'at_risk', 'churned', 'reactivated'] as const satisfies readonly LifecycleStage[];

export function stateToTuple(state: EntityState): StateTuple {
  switch (state.kind) {
    case 'player':
      return playerToTuple(state);
    case 'ledger':
      return ledgerToTuple(state);
    case 'erased':
      return erasedToTuple(state);
  }
}

export function stateFromTuple(tuple: StateTuple): EntityState {
  switch (tuple[0]) {
    case 1:
      return playerFromTuple(tuple);
    case 2:
      return ledgerFromTuple(tuple);
    case 3:
      return erasedFromTuple(tuple);
  }
}

function playerToTuple(state: PlayerState): PlayerTuple {
  return [
    1,
    state.id,
    state.game,
    state.environment === 'live',
    state.externalId,
    state.deviceId,
    state.email,
    STAGES.indexOf(state.lifecycleStage),
    state.lifecycleChangedAt,
    state.sessionCount,
    state.purchaseCount,
    state.totalRevenue,
    state.totalPlaytimeSeconds,
    state.isPayer,
    state.firstSeenAt,
    state.lastSeenAt,
    state.attributes,
    state.country,
    state.recentEvents.map(eventToTuple),
    state.keys.map(keyToTuple),
    state.lastSeq,
    state.counters.map(({ name, day, counts }): CounterTuple => [name, day, ...counts]),
    state.device === null ? null : deviceToTuple(state.device),
    state.segments.map(({ segmentId, segmentKey, since }): MembershipTuple => [segmentId, segmentKey, since]),
    state.segmentsDueAt,
    state.overrides.map(({ flagKey, value }): OverrideTuple => [flagKey, value]),
    state.exposures.map((one): ExposureTuple => [one.flagKey, one.flagVersion, one.variantKey, one.period]),
    state.sessions.map(sessionToTuple),
    [state.activity.day, state.activity.sessions, state.activity.playtimeSeconds],
    state.recordedSessions.map((one): RecordedSessionTuple => [one.digest, one.sessionCount, one.totalPlaytimeSeconds]),
    state.recordedPurchases.map(purchaseToTuple),
    state.sessionsInStage,
    state.interventions.map(interventionToTuple),
    state.campaignTallies.map(tallyToTuple),
    state.lifecycleDueAt,
    state.churnHigh,
    quarantineToTuple(state.quarantine),
    state.servedFlags.map(servedToTuple),
  ];
}

function playerFromTuple(tuple: PlayerTuple): PlayerState {
  return {
    kind: 'player',
    id: tuple[1],
    game: tuple[2],
    environment: tuple[3] ? 'live' : 'test',
    externalId: tuple[4],
    deviceId: tuple[5],
    email: tuple[6],
    lifecycleStage: STAGES[tuple[7]] ?? 'active',
    lifecycleChangedAt: tuple[8],
    sessionCount: tuple[9],
    purchaseCount: tuple[10],
    totalRevenue: tuple[11],
    totalPlaytimeSeconds: tuple[12],
    isPayer: tuple[13],
    firstSeenAt: tuple[14],
    lastSeenAt: tuple[15],
    attributes: tuple[16],
    country: tuple[17],
    recentEvents: tuple[18].map(eventFromTuple),
    keys: tuple[19].map(keyFromTuple),
    lastSeq: tuple[20],
    counters: (tuple[21] ?? []).map(([name, day, ...counts]) => ({ name, day, counts })),
    device: tuple[22] === undefined || tuple[22] === null ? null : deviceFromTuple(tuple[22]),
    segments: (tuple[23] ?? []).map(([segmentId, segmentKey, since]) => ({ segmentId, segmentKey, since })),
    segmentsDueAt: tuple[24] ?? 0,
    overrides: (tuple[25] ?? []).map(([flagKey, value]) => ({ flagKey, value })),
    exposures: (tuple[26] ?? []).map(([flagKey, flagVersion, variantKey, period = 0]) => ({
      flagKey,
      flagVersion,
      period,
      variantKey,
    })),
    sessions: (tuple[27] ?? []).map(sessionFromTuple),
    activity: activityFromTuple(tuple[28] ?? [0, [], []]),
    recordedSessions: (tuple[29] ?? []).map(([digest, sessionCount, totalPlaytimeSeconds]) => ({
      digest,
      sessionCount,
      totalPlaytimeSeconds,
    })),
    recordedPurchases: (tuple[30] ?? []).map(purchaseFromTuple),
    sessionsInStage: tuple[31] ?? 0,
    interventions: (tuple[32] ?? []).map(interventionFromTuple),
    campaignTallies: (tuple[33] ?? []).map(tallyFromTuple),
    // A due time in the past causes an evaluation at once, which sets the next due time.
    lifecycleDueAt: tuple[34] ?? tuple[14],
    churnHigh: tuple[35] ?? false,
    quarantine: quarantineFromTuple(tuple[36] ?? [0]),
    servedFlags: (tuple[37] ?? []).map(servedFromTuple),
  };
}

function deviceToTuple({ platform, osVersion, appVersion, deviceModel }: DeviceInfo): DeviceTuple {
  return [platform, osVersion, appVersion, deviceModel];
}

function deviceFromTuple([platform, osVersion, appVersion, deviceModel]: DeviceTuple): DeviceInfo {
  return { platform, osVersion, appVersion, deviceModel };
}

function quarantineToTuple({ last, released }: QuarantineTally): QuarantineTuple {
  return [last, ...released.flatMap(({ from, to }) => [from, to])];
}

function quarantineFromTuple([last, ...bounds]: QuarantineTuple): QuarantineTally {
  const released = bounds.flatMap((from, place) => {
    const to = bounds[place + 1];
    return place % 2 === 0 && to !== undefined ? [{ from, to }] : [];
  });
  return { last, released };
}

function activityFromTuple([day, sessions, playtimeSeconds]: ActivityTuple): DailyActivity {
  return { day, sessions, playtimeSeconds };
}

function interventionToTuple(one: PendingIntervention): InterventionTuple {
  const { interventionId, campaignId, campaignKey, campaignVersion, createdAt, expiresAt } = one;
  const { offers, offeredAt, shownAt } = one;
  return [interventionId, campaignId, campaignKey, campaignVersion, createdAt, expiresAt, offers, offeredAt, shownAt];
}

function interventionFromTuple(tuple: InterventionTuple): PendingIntervention {
  return {
    interventionId: tuple[0],
    campaignId: tuple[1],
    campaignKey: tuple[2],
    campaignVersion: tuple[3],
    createdAt: tuple[4],
    expiresAt: tuple[5],
    offers: tuple[6],
    offeredAt: tuple[7],
    shownAt: tuple[8],
  };
}

function tallyToTuple(tally: CampaignTally): TallyTuple {
  const { campaignId, total, day, today, lastAt, suppressedAt, suppressed } = tally;
  return [campaignId, total, day, today, lastAt, suppressedAt, suppressed];
}

function tallyFromTuple([campaignId, total, day, today, lastAt, suppressedAt, suppressed]: TallyTuple): CampaignTally {
  return { campaignId, total, day, today, lastAt, suppressedAt, suppressed };
}

function ledgerToTuple({ id, game, environment, keys, lastSeq }: LedgerState): LedgerTuple {
  return [2, id, game, environment === 'live', keys.map(keyToTuple), lastSeq];
}

function ledgerFromTuple([, id, game, live, keys, lastSeq]: LedgerTuple): LedgerState {
  return { kind: 'ledger', id, game, environment: live ? 'live' : 'test', keys: keys.map(keyFromTuple), lastSeq };
}

function erasedToTuple({ id, game, environment, erasedAt, keys, quarantined, lastSeq }: ErasedState): ErasedTuple {
  return [3, id, game, environment === 'live', erasedAt, keys.map(keyToTuple), lastSeq, quarantined];
}

function erasedFromTuple([, id, game, live, erasedAt, keys, lastSeq, quarantined = 0]: ErasedTuple): ErasedState {
  const environment = live ? 'live' : 'test';
  return { kind: 'erased', id, game, environment, erasedAt, keys: keys.map(keyFromTuple), quarantined, lastSeq };
}
