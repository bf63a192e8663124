import type { DeviceInfo } from '../../vocabulary/state/device.ts';
import type {
  CampaignTally,
  DailyActivity,
  EventCounter,
  FlagExposure,
  FlagOverride,
  OlderEvents,
  PendingIntervention,
  QuarantineTally,
  RecordedSession,
  SegmentMembership,
} from '../../vocabulary/state/player.ts';
import type { PlayerList } from '../../vocabulary/documents/player-lists.ts';

/* Layouts of the parts of a player's state. */

export type CounterTuple = [name: string, day: number, ...counts: number[]];
export type DeviceTuple = [
  platform: string | null,
  osVersion: string | null,
  appVersion: string | null,
  deviceModel: string | null,
  build: string | null,
  // Omitted without one.
  locale?: string,
];
export type MembershipTuple = [segmentId: string, segmentKey: string, since: number];
export type ListTuple = [segmentId: string, loads: readonly string[]];
/** A block has a layout of its own. */
export type OlderEventsTuple = [client: readonly Uint8Array[], server: readonly Uint8Array[]];
export type OverrideTuple = [flagKey: string, value: string];
export type ExposureTuple = [
  flagKey: string,
  flagVersion: number,
  variantKey: string | null,
  period: number,
  drawn: boolean,
  // Omitted without one.
  experiment?: string,
];
export type ActivityTuple = [day: number, sessions: readonly number[], playtimeSeconds: readonly number[]];
export type RecordedSessionTuple = [digest: string, sessionCount: number, totalPlaytimeSeconds: number];
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
  // Omitted without one.
  variant?: string,
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
];
export type QuarantineTuple = [last: number, ...released: number[]];

export function membershipToTuple(one: SegmentMembership): MembershipTuple {
  return [one.segmentId, one.segmentKey, one.since];
}

export function membershipFromTuple(tuple: MembershipTuple): SegmentMembership {
  const [segmentId, segmentKey, since] = tuple;
  return { segmentId, segmentKey, since };
}

export function listToTuple(one: PlayerList): ListTuple {
  return [one.segmentId, one.loads];
}

export function listFromTuple(tuple: ListTuple): PlayerList {
  const [segmentId, loads] = tuple;
  return { segmentId, loads };
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
  return [one.flagKey, one.value];
}

export function overrideFromTuple(tuple: OverrideTuple): FlagOverride {
  const [flagKey, value] = tuple;
  return { flagKey, value };
}

export function exposureToTuple(one: FlagExposure): ExposureTuple {
  const { flagKey, flagVersion, variantKey, period, drawn, experiment } = one;
  const seen = [flagKey, flagVersion, variantKey, period, drawn] as const;
  return experiment === undefined ? [...seen] : [...seen, experiment];
}

export function exposureFromTuple(tuple: ExposureTuple): FlagExposure {
  const [flagKey, flagVersion, variantKey, period, drawn, experiment] = tuple;
  return { flagKey, flagVersion, period, variantKey, drawn, ...(experiment === undefined ? {} : { experiment }) };
}

export function recordedSessionToTuple(one: RecordedSession): RecordedSessionTuple {
  const { digest, sessionCount, totalPlaytimeSeconds } = one;
  return [digest, sessionCount, totalPlaytimeSeconds];
}

export function recordedSessionFromTuple(tuple: RecordedSessionTuple): RecordedSession {
  const [digest, sessionCount, totalPlaytimeSeconds] = tuple;
  return { digest, sessionCount, totalPlaytimeSeconds };
}

export function counterToTuple({ name, day, counts }: EventCounter): CounterTuple {
  return [name, day, ...counts];
}

export function counterFromTuple([name, day, ...counts]: CounterTuple): EventCounter {
  return { name, day, counts };
}

export function deviceToTuple(device: DeviceInfo): DeviceTuple {
  const { platform, osVersion, appVersion, deviceModel, build, locale } = device;
  const known = [platform, osVersion, appVersion, deviceModel, build] as const;
  return locale === undefined ? [...known] : [...known, locale];
}

export function deviceFromTuple(tuple: DeviceTuple): DeviceInfo {
  const [platform, osVersion, appVersion, deviceModel, build, locale] = tuple;
  const known = { platform, osVersion, appVersion, deviceModel, build };
  return locale === undefined ? known : { ...known, locale };
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
  return [day, sessions, playtimeSeconds];
}

export function activityFromTuple(tuple: ActivityTuple): DailyActivity {
  const [day, sessions, playtimeSeconds] = tuple;
  return { day, sessions, playtimeSeconds };
}

export function interventionToTuple(one: PendingIntervention): InterventionTuple {
  const { interventionId, campaignId, campaignKey, campaignVersion, createdAt, expiresAt } = one;
  const { offers, offeredAt, shownAt, variant } = one;
  const campaign = [interventionId, campaignId, campaignKey, campaignVersion, createdAt, expiresAt] as const;
  const held = [...campaign, offers, offeredAt, shownAt] as const;
  return variant === undefined ? [...held] : [...held, variant];
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
    ...(tuple[9] === undefined ? {} : { variant: tuple[9] }),
  };
}

export function tallyToTuple(tally: CampaignTally): TallyTuple {
  const { campaignId, total, day, today, lastAt, suppressedAt, suppressed, shown } = tally;
  return [campaignId, total, day, today, lastAt, suppressedAt, suppressed, shown];
}

export function tallyFromTuple(tuple: TallyTuple): CampaignTally {
  const [campaignId, total, day, today, lastAt, suppressedAt, suppressed, shown] = tuple;
  return { campaignId, total, day, today, lastAt, suppressedAt, suppressed, shown };
}
