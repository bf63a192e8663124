import { LIFECYCLE_STAGES, type LifecycleStage } from '../../vocabulary/state/lifecycle-stages.ts';
import type { PlayerOutline } from '../../vocabulary/state/state-outline.ts';
import type { PlayerState } from '../../vocabulary/state/state.ts';
import type { GuestQuarantine } from '../../vocabulary/state/player.ts';
import { UnknownVersionError } from '../unknown-version.ts';
import { absorbedFromTuple, absorbedToTuple, type AbsorbedTuple } from './merged-layout.ts';
import { computedFromTuple, computedToTuple, type ComputedTuple } from './computed-layout.ts';
import {
  activityFromTuple,
  activityToTuple,
  counterFromTuple,
  counterToTuple,
  deviceFromTuple,
  deviceToTuple,
  exposureFromTuple,
  exposureToTuple,
  interventionFromTuple,
  interventionToTuple,
  listFromTuple,
  listToTuple,
  membershipFromTuple,
  membershipToTuple,
  olderEventsFromTuple,
  olderEventsToTuple,
  overrideFromTuple,
  overrideToTuple,
  quarantineFromTuple,
  quarantineToTuple,
  recordedSessionFromTuple,
  recordedSessionToTuple,
  tallyFromTuple,
  tallyToTuple,
  type ActivityTuple,
  type CounterTuple,
  type DeviceTuple,
  type ExposureTuple,
  type InterventionTuple,
  type ListTuple,
  type MembershipTuple,
  type OlderEventsTuple,
  type OverrideTuple,
  type QuarantineTuple,
  type RecordedSessionTuple,
  type TallyTuple,
} from './player-parts-layout.ts';
import {
  eventFromTuple,
  eventToTuple,
  keyFromTuple,
  keyToTuple,
  purchaseFromTuple,
  purchaseToTuple,
  refundFromTuple,
  refundToTuple,
  type EventTuple,
  type KeyTuple,
  type RecordedPurchaseTuple,
  type RecordedRefundTuple,
} from './remembered-layout.ts';
import { servedFromTuple, servedToTuple, type ServedTuple } from './served-layout.ts';
import { sessionFromTuple, sessionToTuple, type SessionTuple } from './session-layout.ts';

/** The three values of a player: by position, because field names would be most of its bytes. */
export type PlayerHeadTuple = [
  kind: 1,
  id: string,
  game: string,
  live: boolean,
  lastSeq: number,
  segmentsDueAt: number,
  lifecycleDueAt: number,
  /** Of each session when it was last called and how long it lives then. */
  sessionTimes: readonly number[],
];

export type ReadByConditionsTuple = [
  externalId: string,
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
  counters: readonly CounterTuple[],
  device: DeviceTuple | null,
  computed: readonly ComputedTuple[] | null,
];

export type PlayerRestTuple = [
  deviceId: string | null,
  email: string | null,
  recentEvents: readonly EventTuple[],
  olderEvents: OlderEventsTuple | null,
  keys: readonly KeyTuple[],
  segments: readonly MembershipTuple[],
  lists: readonly ListTuple[] | null,
  overrides: readonly OverrideTuple[],
  exposures: readonly ExposureTuple[],
  servedFlags: readonly ServedTuple[],
  sessions: readonly SessionTuple[],
  activity: ActivityTuple,
  recordedSessions: readonly RecordedSessionTuple[],
  recordedPurchases: readonly RecordedPurchaseTuple[],
  sessionsInStage: number,
  interventions: readonly InterventionTuple[],
  campaignTallies: readonly TallyTuple[],
  churnHigh: boolean,
  quarantine: QuarantineTuple,
  bornSeq: number | null,
  recordedRefunds: readonly RecordedRefundTuple[] | null,
  isTestPlayer: boolean,
  absorbed: readonly AbsorbedTuple[] | null,
  refused: readonly string[] | null,
  guestQuarantines: readonly [playerId: string, ...QuarantineTuple][] | null,
];

export function headOfPlayer(state: PlayerState): PlayerHeadTuple {
  const { id, game, environment, lastSeq, segmentsDueAt, lifecycleDueAt, sessions } = state;
  const times = sessions.flatMap(({ lastCallAt, ttlMs }) => [lastCallAt, ttlMs]);
  return [1, id, game, environment === 'live', lastSeq, segmentsDueAt, lifecycleDueAt, times];
}

export function playerOutline(head: PlayerHeadTuple): PlayerOutline {
  const [, id, game, live, lastSeq, segmentsDueAt, lifecycleDueAt, times] = head;
  const environment = live ? 'live' : 'test';
  const sessions: PlayerOutline['sessions'][number][] = [];
  for (let at = 0; at < times.length; at += 2) {
    sessions.push({ lastCallAt: times[at] ?? 0, ttlMs: times[at + 1] ?? 0 });
  }
  return { kind: 'player', id, game, environment, lastSeq, segmentsDueAt, lifecycleDueAt, sessions };
}

export function readByConditions(state: PlayerState): ReadByConditionsTuple {
  return [
    state.externalId,
    LIFECYCLE_STAGES.indexOf(state.lifecycleStage),
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
    state.counters.map(counterToTuple),
    state.device === null ? null : deviceToTuple(state.device),
    state.computed?.map(computedToTuple) ?? null,
  ];
}

export function restOfPlayer(state: PlayerState): PlayerRestTuple {
  return [
    state.deviceId,
    state.email,
    state.recentEvents.map(eventToTuple),
    state.olderEvents === undefined ? null : olderEventsToTuple(state.olderEvents),
    state.keys.map(keyToTuple),
    state.segments.map(membershipToTuple),
    state.lists?.map(listToTuple) ?? null,
    state.overrides.map(overrideToTuple),
    state.exposures.map(exposureToTuple),
    state.servedFlags.map(servedToTuple),
    state.sessions.map(sessionToTuple),
    activityToTuple(state.activity),
    state.recordedSessions.map(recordedSessionToTuple),
    state.recordedPurchases.map(purchaseToTuple),
    state.sessionsInStage,
    state.interventions.map(interventionToTuple),
    state.campaignTallies.map(tallyToTuple),
    state.churnHigh,
    quarantineToTuple(state.quarantine),
    state.bornSeq ?? null,
    state.recordedRefunds?.map(refundToTuple) ?? null,
    state.isTestPlayer,
    state.absorbed?.map(absorbedToTuple) ?? null,
    state.refused ?? null,
    state.guestQuarantines?.map(guestQuarantineToTuple) ?? null,
  ];
}

/** The rest of a player of which only conditions are asked. */
export const NOTHING_ELSE: PlayerRestTuple = [
  null,
  null,
  [],
  null,
  [],
  [],
  null,
  [],
  [],
  [],
  [],
  [0, [], []],
  [],
  [],
  0,
  [],
  [],
  false,
  [0],
  null,
  null,
  false,
  null,
  null,
  null,
];

export function playerFromTuples(
  head: PlayerHeadTuple,
  read: ReadByConditionsTuple,
  rest: PlayerRestTuple,
): PlayerState {
  const [, id, game, live, lastSeq, segmentsDueAt, lifecycleDueAt, times] = head;
  const [device, computed, olderEvents, lists, bornSeq] = [read[13], read[14], rest[3], rest[6], rest[19]];
  const [refunds, absorbed, refused, quarantines] = [rest[20], rest[22], rest[23], rest[24]];
  return {
    kind: 'player',
    id,
    game,
    environment: live ? 'live' : 'test',
    externalId: read[0],
    deviceId: rest[0],
    email: rest[1],
    lifecycleStage: stageOf(read[1]),
    lifecycleChangedAt: read[2],
    sessionCount: read[3],
    purchaseCount: read[4],
    totalRevenue: read[5],
    totalPlaytimeSeconds: read[6],
    isPayer: read[7],
    isTestPlayer: rest[21],
    firstSeenAt: read[8],
    lastSeenAt: read[9],
    attributes: read[10],
    country: read[11],
    recentEvents: rest[2].map(eventFromTuple),
    keys: rest[4].map(keyFromTuple),
    lastSeq,
    counters: read[12].map(counterFromTuple),
    device: device === null ? null : deviceFromTuple(device),
    segments: rest[5].map(membershipFromTuple),
    segmentsDueAt,
    overrides: rest[7].map(overrideFromTuple),
    exposures: rest[8].map(exposureFromTuple),
    sessions: rest[10].map((tuple, place) => sessionFromTuple(tuple, times[2 * place] ?? 0, times[2 * place + 1] ?? 0)),
    activity: activityFromTuple(rest[11]),
    recordedSessions: rest[12].map(recordedSessionFromTuple),
    recordedPurchases: rest[13].map(purchaseFromTuple),
    sessionsInStage: rest[14],
    interventions: rest[15].map(interventionFromTuple),
    campaignTallies: rest[16].map(tallyFromTuple),
    lifecycleDueAt,
    churnHigh: rest[17],
    quarantine: quarantineFromTuple(rest[18]),
    servedFlags: rest[9].map(servedFromTuple),
    ...(olderEvents === null ? undefined : { olderEvents: olderEventsFromTuple(olderEvents) }),
    ...(computed === null ? undefined : { computed: computed.map(computedFromTuple) }),
    ...(bornSeq === null ? undefined : { bornSeq }),
    ...(lists === null ? undefined : { lists: lists.map(listFromTuple) }),
    ...(absorbed === null ? undefined : { absorbed: absorbed.map(absorbedFromTuple) }),
    ...(refused === null ? undefined : { refused }),
    ...(quarantines === null ? undefined : { guestQuarantines: quarantines.map(guestQuarantineFromTuple) }),
    ...(refunds === null ? undefined : { recordedRefunds: refunds.map(refundFromTuple) }),
  };
}

function guestQuarantineToTuple({ playerId, ...tally }: GuestQuarantine): [string, ...QuarantineTuple] {
  return [playerId, ...quarantineToTuple(tally)];
}

function guestQuarantineFromTuple([playerId, ...tally]: [string, ...QuarantineTuple]): GuestQuarantine {
  return { playerId, ...quarantineFromTuple(tally) };
}

function stageOf(number: number): LifecycleStage {
  const stage = LIFECYCLE_STAGES[number];
  if (stage === undefined) throw new UnknownVersionError(`the stage ${number} is unknown: a newer version wrote it`);
  return stage;
}
