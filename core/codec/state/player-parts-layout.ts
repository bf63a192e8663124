import type { DeviceInfo } from '../../vocabulary/commands/commands.ts';
import type {
  CampaignTally,
  DailyActivity,
  FlagExposure,
  FlagOverride,
  OlderEvents,
  PendingIntervention,
  QuarantineTally,
  RecordedSession,
  SegmentMembership,
} from '../../vocabulary/state/player.ts';
import type { PlayerList } from '../../vocabulary/documents/player-lists.ts';
import { laterOf, withLater } from '../later-fields.ts';

/* Layouts of the parts of a player's state, version 1. A later field goes to the end; reading supplies its default. */

/** The counts end it, so a later field needs a layout of its own. */
export type CounterTuple = [name: string, day: number, ...counts: number[]];
export type DeviceTuple = [
  platform: string | null,
  osVersion: string | null,
  appVersion: string | null,
  deviceModel: string | null,
  ...later: unknown[],
];
export type MembershipTuple = [segmentId: string, segmentKey: string, since: number, ...later: unknown[]];
export type ListTuple = [segmentId: string, loads: readonly string[], ...later: unknown[]];
/** A block has a layout of its own. */
export type OlderEventsTuple = [client: readonly Uint8Array[], server: readonly Uint8Array[]];
export type OverrideTuple = [flagKey: string, value: string, ...later: unknown[]];
export type ExposureTuple = [
  flagKey: string,
  flagVersion: number,
  variantKey: string | null,
  period?: number,
  ...later: unknown[],
];
export type ActivityTuple = [
  day: number,
  sessions: readonly number[],
  playtimeSeconds: readonly number[],
  ...later: unknown[],
];
export type RecordedSessionTuple = [
  digest: string,
  sessionCount: number,
  totalPlaytimeSeconds: number,
  ...later: unknown[],
];
export type InterventionTuple = [
  interventionId: string,
  campaignId: string,
  campaignKey: string,
  campaignVersion: number,
  createdAt: number,
  expiresAt: number,
  offers: number,
  offeredAt: number,
  shownAt: number,
  ...later: unknown[],
];
export type TallyTuple = [
  campaignId: string,
  total: number,
  day: number,
  today: number,
  lastAt: number,
  suppressedAt: number,
  suppressed: number,
  shown: number,
  ...later: unknown[],
];
/** The ranges end it, so a later field needs a layout of its own. */
export type QuarantineTuple = [last: number, ...released: number[]];

/** The number of fields of each layout. */
const FIELDS = {
  device: 4,
  membership: 3,
  list: 2,
  override: 2,
  exposure: 4,
  activity: 3,
  recordedSession: 3,
  intervention: 9,
  tally: 8,
} as const;

export function membershipToTuple(one: SegmentMembership): MembershipTuple {
  return withLater<MembershipTuple>([one.segmentId, one.segmentKey, one.since], FIELDS.membership, one);
}

export function membershipFromTuple(tuple: MembershipTuple): SegmentMembership {
  const [segmentId, segmentKey, since] = tuple;
  return { segmentId, segmentKey, since, ...laterOf(tuple, FIELDS.membership) };
}

export function listToTuple(one: PlayerList): ListTuple {
  return withLater<ListTuple>([one.segmentId, one.loads], FIELDS.list, one);
}

export function listFromTuple(tuple: ListTuple): PlayerList {
  const [segmentId, loads] = tuple;
  return { segmentId, loads, ...laterOf(tuple, FIELDS.list) };
}

export function olderEventsToTuple({ client, server }: OlderEvents): OlderEventsTuple {
  return [client, server];
}

/** Copies the blocks: decoded bytes are views into the record that they came in. */
export function olderEventsFromTuple([client, server]: OlderEventsTuple): OlderEvents {
  const copied = (block: Uint8Array): Uint8Array => new Uint8Array(block);
  return { client: client.map(copied), server: server.map(copied) };
}

export function overrideToTuple(one: FlagOverride): OverrideTuple {
  return withLater<OverrideTuple>([one.flagKey, one.value], FIELDS.override, one);
}

export function overrideFromTuple(tuple: OverrideTuple): FlagOverride {
  const [flagKey, value] = tuple;
  return { flagKey, value, ...laterOf(tuple, FIELDS.override) };
}

export function exposureToTuple(one: FlagExposure): ExposureTuple {
  const { flagKey, flagVersion, variantKey, period } = one;
  return withLater<ExposureTuple>([flagKey, flagVersion, variantKey, period], FIELDS.exposure, one);
}

export function exposureFromTuple(tuple: ExposureTuple): FlagExposure {
  const [flagKey, flagVersion, variantKey, period = 0] = tuple;
  return { flagKey, flagVersion, period, variantKey, ...laterOf(tuple, FIELDS.exposure) };
}

export function recordedSessionToTuple(one: RecordedSession): RecordedSessionTuple {
  const { digest, sessionCount, totalPlaytimeSeconds } = one;
  return withLater<RecordedSessionTuple>([digest, sessionCount, totalPlaytimeSeconds], FIELDS.recordedSession, one);
}

export function recordedSessionFromTuple(tuple: RecordedSessionTuple): RecordedSession {
  const [digest, sessionCount, totalPlaytimeSeconds] = tuple;
  return { digest, sessionCount, totalPlaytimeSeconds, ...laterOf(tuple, FIELDS.recordedSession) };
}

export function deviceToTuple(device: DeviceInfo): DeviceTuple {
  const { platform, osVersion, appVersion, deviceModel } = device;
  return withLater<DeviceTuple>([platform, osVersion, appVersion, deviceModel], FIELDS.device, device);
}

export function deviceFromTuple(tuple: DeviceTuple): DeviceInfo {
  const [platform, osVersion, appVersion, deviceModel] = tuple;
  return { platform, osVersion, appVersion, deviceModel, ...laterOf(tuple, FIELDS.device) };
}

export function quarantineToTuple({ last, released }: QuarantineTally): QuarantineTuple {
  return [last, ...released.flatMap(({ from, to }) => [from, to])];
}

export function quarantineFromTuple([last, ...bounds]: QuarantineTuple): QuarantineTally {
  const released = bounds.flatMap((from, place) => {
    const to = bounds[place + 1];
    return place % 2 === 0 && to !== undefined ? [{ from, to }] : [];
  });
  return { last, released };
}

export function activityToTuple(activity: DailyActivity): ActivityTuple {
  const { day, sessions, playtimeSeconds } = activity;
  return withLater<ActivityTuple>([day, sessions, playtimeSeconds], FIELDS.activity, activity);
}

export function activityFromTuple(tuple: ActivityTuple): DailyActivity {
  const [day, sessions, playtimeSeconds] = tuple;
  return { day, sessions, playtimeSeconds, ...laterOf(tuple, FIELDS.activity) };
}

export function interventionToTuple(one: PendingIntervention): InterventionTuple {
  const { interventionId, campaignId, campaignKey, campaignVersion, createdAt, expiresAt } = one;
  const { offers, offeredAt, shownAt } = one;
  return withLater<InterventionTuple>(
    [interventionId, campaignId, campaignKey, campaignVersion, createdAt, expiresAt, offers, offeredAt, shownAt],
    FIELDS.intervention,
    one,
  );
}

export function interventionFromTuple(tuple: InterventionTuple): PendingIntervention {
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
    ...laterOf(tuple, FIELDS.intervention),
  };
}

export function tallyToTuple(tally: CampaignTally): TallyTuple {
  const { campaignId, total, day, today, lastAt, suppressedAt, suppressed, shown } = tally;
  return withLater<TallyTuple>(
    [campaignId, total, day, today, lastAt, suppressedAt, suppressed, shown],
    FIELDS.tally,
    tally,
  );
}

export function tallyFromTuple(tuple: TallyTuple): CampaignTally {
  const [campaignId, total, day, today, lastAt, suppressedAt, suppressed, shown] = tuple;
  return { campaignId, total, day, today, lastAt, suppressedAt, suppressed, shown, ...laterOf(tuple, FIELDS.tally) };
}
