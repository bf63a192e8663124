import type { EntityState, ErasedState, LedgerState, PlayerState } from '../../vocabulary/state/state.ts';
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
import {
  computedFromTuple,
  computedToTuple,
  propertiesFromTuple,
  propertiesToTuple,
  type ComputedTuple,
  type PropertiesTuple,
} from './computed-layout.ts';
import { laterOf, withLater } from '../later-fields.ts';
import { UnknownVersionError } from '../unknown-version.ts';
import { sessionFromTuple, sessionToTuple, type SessionTuple } from './session-layout.ts';
import { LIFECYCLE_STAGES, type LifecycleStage } from '../../vocabulary/state/lifecycle-stages.ts';
import {
  activityFromTuple,
  activityToTuple,
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
  type CounterTuple,
  type DeviceTuple,
  type MembershipTuple,
  type OlderEventsTuple,
  type OverrideTuple,
  type ExposureTuple,
  type ActivityTuple,
  type RecordedSessionTuple,
  type InterventionTuple,
  type ListTuple,
  type TallyTuple,
  type QuarantineTuple,
} from './player-parts-layout.ts';

/**
 * Layout of a state, version 1. Every changed player's state is written a few times a second and decoded one by one, so
 * field names would be most of its bytes. A later field goes to the end, and reading supplies its default. Fields that
 * this program does not know are kept (`later-fields.ts`).
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
  // Absent in states older than blocks of events, and without any.
  olderEvents?: OlderEventsTuple,
  // Absent in states older than computed properties, and without any.
  computed?: ComputedTuple[],
  // Absent in states older than computed properties, and in a first life.
  bornSeq?: number,
  // Absent in states older than lists, and without any.
  lists?: ListTuple[],
  ...later: unknown[],
];
type LedgerTuple = [
  kind: 2,
  id: string,
  game: string,
  live: boolean,
  keys: KeyTuple[],
  lastSeq: number,
  // Absent in ledgers of API keys.
  importedTo?: number,
  // Absent in ledgers of other kinds.
  properties?: PropertiesTuple,
  imports?: ImportedTuple[],
  ...later: unknown[],
];
type ImportedTuple = [importId: string, line: number, at: number];
type ErasedTuple = [
  kind: 3,
  id: string,
  game: string,
  live: boolean,
  erasedAt: number,
  keys: KeyTuple[],
  lastSeq: number,
  quarantined?: number,
  ...later: unknown[],
];
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
    default:
      throw unknownKind(tuple);
  }
}

function unknownKind(tuple: never): UnknownVersionError {
  const [kind]: unknown[] = tuple;
  return new UnknownVersionError(`a state of the kind ${String(kind)} is unknown: a newer version wrote it`);
}

/** The number of fields of each layout. */
const FIELDS = { player: 42, ledger: 9, erased: 8 } as const;

function playerToTuple(state: PlayerState): PlayerTuple {
  const tuple: PlayerTuple = [
    1,
    state.id,
    state.game,
    state.environment === 'live',
    state.externalId,
    state.deviceId,
    state.email,
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
    state.recentEvents.map(eventToTuple),
    state.keys.map(keyToTuple),
    state.lastSeq,
    state.counters.map(({ name, day, counts }): CounterTuple => [name, day, ...counts]),
    state.device === null ? null : deviceToTuple(state.device),
    state.segments.map(membershipToTuple),
    state.segmentsDueAt,
    state.overrides.map(overrideToTuple),
    state.exposures.map(exposureToTuple),
    state.sessions.map(sessionToTuple),
    activityToTuple(state.activity),
    state.recordedSessions.map(recordedSessionToTuple),
    state.recordedPurchases.map(purchaseToTuple),
    state.sessionsInStage,
    state.interventions.map(interventionToTuple),
    state.campaignTallies.map(tallyToTuple),
    state.lifecycleDueAt,
    state.churnHigh,
    quarantineToTuple(state.quarantine),
    state.servedFlags.map(servedToTuple),
  ];
  if (state.olderEvents !== undefined) tuple[38] = olderEventsToTuple(state.olderEvents);
  if (state.computed !== undefined) tuple[39] = state.computed.map(computedToTuple);
  if (state.bornSeq !== undefined) tuple[40] = state.bornSeq;
  if (state.lists !== undefined) tuple[41] = state.lists.map(listToTuple);
  return withLater(tuple, FIELDS.player, state);
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
    lifecycleStage: stageOf(tuple[7]),
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
    segments: (tuple[23] ?? []).map(membershipFromTuple),
    segmentsDueAt: tuple[24] ?? 0,
    overrides: (tuple[25] ?? []).map(overrideFromTuple),
    exposures: (tuple[26] ?? []).map(exposureFromTuple),
    sessions: (tuple[27] ?? []).map(sessionFromTuple),
    activity: activityFromTuple(tuple[28] ?? [0, [], []]),
    recordedSessions: (tuple[29] ?? []).map(recordedSessionFromTuple),
    recordedPurchases: (tuple[30] ?? []).map(purchaseFromTuple),
    sessionsInStage: tuple[31] ?? 0,
    interventions: (tuple[32] ?? []).map(interventionFromTuple),
    campaignTallies: (tuple[33] ?? []).map(tallyFromTuple),
    // A due time in the past causes an evaluation at once, which sets the next due time.
    lifecycleDueAt: tuple[34] ?? tuple[14],
    churnHigh: tuple[35] ?? false,
    quarantine: quarantineFromTuple(tuple[36] ?? [0]),
    servedFlags: (tuple[37] ?? []).map(servedFromTuple),
    ...(isAbsent(tuple[38]) ? undefined : { olderEvents: olderEventsFromTuple(tuple[38]) }),
    ...(isAbsent(tuple[39]) ? undefined : { computed: tuple[39].map(computedFromTuple) }),
    ...(isAbsent(tuple[40]) ? undefined : { bornSeq: tuple[40] }),
    ...(isAbsent(tuple[41]) ? undefined : { lists: tuple[41].map(listFromTuple) }),
    ...laterOf(tuple, FIELDS.player),
  };
}

/** A field that was left out before another one. */
function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function stageOf(number: number): LifecycleStage {
  const stage = LIFECYCLE_STAGES[number];
  if (stage === undefined) throw new UnknownVersionError(`the stage ${number} is unknown: a newer version wrote it`);
  return stage;
}

function ledgerToTuple(state: LedgerState): LedgerTuple {
  const { id, game, environment, keys, lastSeq, importedTo, properties, imports } = state;
  const tuple: LedgerTuple = [2, id, game, environment === 'live', keys.map(keyToTuple), lastSeq];
  if (importedTo !== undefined) tuple[6] = importedTo;
  if (properties !== undefined) tuple[7] = propertiesToTuple(properties);
  if (imports !== undefined) tuple[8] = imports.map(({ importId, line, at }): ImportedTuple => [importId, line, at]);
  return withLater(tuple, FIELDS.ledger, state);
}

function ledgerFromTuple(tuple: LedgerTuple): LedgerState {
  const [, id, game, live, keys, lastSeq, importedTo, properties, imports] = tuple;
  const environment = live ? 'live' : 'test';
  const later = laterOf(tuple, FIELDS.ledger);
  const ledger = { kind: 'ledger', id, game, environment, keys: keys.map(keyFromTuple), lastSeq } as const;
  return {
    ...ledger,
    ...(typeof importedTo === 'number' ? { importedTo } : {}),
    ...(isAbsent(properties) ? {} : { properties: propertiesFromTuple(properties) }),
    ...(Array.isArray(imports) ? { imports: imports.map(([importId, line, at]) => ({ importId, line, at })) } : {}),
    ...later,
  };
}

function erasedToTuple(state: ErasedState): ErasedTuple {
  const { id, game, environment, erasedAt, keys, quarantined, lastSeq } = state;
  const stored = keys.map(keyToTuple);
  const tuple: ErasedTuple = [3, id, game, environment === 'live', erasedAt, stored, lastSeq, quarantined];
  return withLater(tuple, FIELDS.erased, state);
}

function erasedFromTuple(tuple: ErasedTuple): ErasedState {
  const [, id, game, live, erasedAt, stored, lastSeq, quarantined = 0] = tuple;
  const environment = live ? 'live' : 'test';
  const keys = stored.map(keyFromTuple);
  const later = laterOf(tuple, FIELDS.erased);
  return { kind: 'erased', id, game, environment, erasedAt, keys, quarantined, lastSeq, ...later };
}
