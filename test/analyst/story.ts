import type { CallerKind } from '../../core/vocabulary/documents/scope.ts';
import { createRandom, type Random } from '../sim/random.ts';
import { startOfLocalDay } from './calendar.ts';

/*
 * What players of a game do, and when each call of it comes. It is told day by day and player by player; the calls are
 * then in the order of their receipt. The first and the last days are those of the game's zone.
 */

export interface GamePlan {
  id: string;
  zone: string;
  players: number;
  /** Days since 1970-01-01, in the game's zone; the second is not part of it. */
  fromDay: number;
  toDay: number;
  seed: number;
}

export interface Device {
  platform: string;
  appVersion: string;
  build: string;
}

/** An event as a device sends it. */
export interface Sent {
  eventId: string;
  name: string;
  properties: Readonly<Record<string, unknown>>;
  /** By the clock of the device. */
  deviceAt: number;
  /** A device that the event itself names. */
  device?: Device;
}

export type Act =
  | { kind: 'register'; country: string }
  | { kind: 'moves'; country: string }
  | { kind: 'init'; session: string; device: Device }
  | { kind: 'sync'; session: string; events: readonly Sent[] }
  | { kind: 'end'; session: string; seconds: number; events: readonly Sent[] }
  | { kind: 'track'; events: readonly Sent[] }
  | { kind: 'played'; session: string; deviceAt: number | null; seconds: number }
  | { kind: 'buys'; amount: number; transaction: string | null; product: string | null; currency: string | null }
  | { kind: 'refunded'; transaction: string; amount: number | null; refund: string | null }
  | { kind: 'imported'; lines: readonly ImportedLine[] };

export type ImportedLine = { at: number } & (
  | { kind: 'event'; eventId: string; name: string; properties: object; country: string; device: Device }
  | { kind: 'session'; session: string; seconds: number; device: Device }
  | { kind: 'purchase'; amount: number; transaction: string; product: string }
  | { kind: 'refund'; amount: number; transaction: string; refund: string }
  | { kind: 'player'; firstSeenAt: number }
);

export interface Call {
  player: number;
  /** When the service receives it. */
  at: number;
  by: CallerKind;
  act: Act;
}

/** The id of the event that the service makes of a call. */
export const serviceEventId = (plan: GamePlan, { player, at, act }: Call): string =>
  `${act.kind}-${plan.id}-${player}-${at}`;

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const COUNTRIES = ['DE', 'BR', 'US', '', 'Österreich'];
const PLATFORMS = ['ios', 'android', 'web'];
const NAMES = ['level_completed', 'shop_opened', 'item_viewed', `it's "x"`];
const MODES = ['solo', 'team', ''];

/** All calls of a game, in the order of their receipt. */
export function tellStory(plan: GamePlan): Call[] {
  const calls = Array.from({ length: plan.players }, (_, player) => lifeOf(plan, player)).flat();
  return calls.toSorted((one, other) => one.at - other.at || one.player - other.player);
}

function lifeOf(plan: GamePlan, player: number): Call[] {
  const random = createRandom(plan.seed, `${plan.id}/${player}`);
  const teller = createTeller(plan, player, random);
  const { fromDay, toDay } = plan;
  const firstDay = fromDay + Math.floor((toDay - fromDay) * random.next() ** 1.5);
  const loyalty = 0.2 + 0.7 * random.next();
  // Imports before its first day here: of a player that began then, or of whom only the beginning is known.
  if (random.chance(0.15)) teller.importHistory(firstDay);
  for (let day = firstDay; day < toDay; day += 1) {
    const plays = day === firstDay || random.chance(loyalty / (1 + 0.15 * (day - firstDay)));
    if (plays) teller.playDay(day);
  }
  return teller.calls;
}

function createTeller({ id, zone, fromDay, toDay }: GamePlan, player: number, random: Random) {
  const calls: Call[] = [];
  const endMs = startOfLocalDay(zone, toDay) - 1;
  const isPayer = random.chance(0.3);
  let device: Device = { platform: random.pick(PLATFORMS), appVersion: '1.0', build: random.pick(['7', '8']) };
  let number = 0;
  let isRegistered = false;
  /** How far the clock of the device is ahead: right, minutes off, or days. */
  const skewMs = random.chance(0.7)
    ? 0
    : random.pick([-3 * MINUTE, 5 * MINUTE, 3 * HOUR, -2 * DAY, -9 * DAY, 40 * DAY]);

  const next = (what: string): string => {
    number += 1;
    return `${what}-${id}-${player}-${number}`;
  };
  /** Nothing comes behind the last day: the figures of its days are then complete. */
  const call = (at: number, by: CallerKind, act: Act): void => {
    if (at <= endMs) calls.push({ player, at, by, act });
  };

  function event(at: number, some: Partial<Sent> = {}): Sent {
    const mode = random.pick(MODES);
    const score = random.chance(0.8) ? random.int(-50, 500) / 4 : 'none';
    const properties = { mode, score, level: random.int(1, 6) };
    return { eventId: next('e'), name: random.pick(NAMES), properties, deviceAt: at + skewMs, ...some };
  }
  const eventsIn = (from: number, to: number, most: number): Sent[] =>
    Array.from({ length: random.int(1, most) }, () => event(random.int(from, to)));

  /** In the evening, or at the edges of the day, where zones and clocks decide. */
  function timeOn(day: number): number {
    const [start, end] = [startOfLocalDay(zone, day), startOfLocalDay(zone, day + 1)];
    if (random.chance(0.2)) return random.pick([start, start + 1, end - 1, end - 20 * MINUTE, start + 90 * MINUTE]);
    return random.int(start, end - 1);
  }

  function playDay(day: number): void {
    const times = Array.from({ length: random.chance(0.3) ? 2 : 1 }, () => timeOn(day));
    for (const at of times.toSorted((one, other) => one - other)) {
      if (!isRegistered) call(at, 'client', { kind: 'register', country: random.pick(COUNTRIES) });
      isRegistered = true;
      if (random.chance(0.03)) call(at, 'server', { kind: 'moves', country: random.pick(COUNTRIES) });
      random.pick([online, online, online, silent, offline, recorded, loose])(at);
      if (isPayer && random.chance(0.4)) buy(at + random.int(0, 30) * MINUTE);
    }
  }

  /** init, sync and end-session; often with a repeat of the last batch. */
  function online(at: number): void {
    if (random.chance(0.1))
      device = { ...device, appVersion: random.pick(['1.0', '1.1']), platform: random.pick(PLATFORMS) };
    const session = next('ses');
    call(at, 'client', { kind: 'init', session, device });
    const synced = at + random.int(1, 20) * MINUTE;
    const events = random.chance(0.2) ? [] : eventsIn(at, synced, 4);
    call(synced, 'client', { kind: 'sync', session, events });
    if (random.chance(0.1)) call(synced + 900, 'client', { kind: 'sync', session, events });
    if (random.chance(0.2)) return;
    const ended = synced + random.int(1, 1_500) * 1_000;
    // Some clients claim more than the time since the init.
    const seconds = Math.floor((ended - at) / 1_000) + (random.chance(0.2) ? 500 : -random.int(0, 20));
    call(ended, 'client', {
      kind: 'end',
      session,
      seconds: Math.max(0, seconds),
      events: random.chance(0.5) ? eventsIn(synced, ended, 2) : [],
    });
  }

  /** A session without any event. */
  function silent(at: number): void {
    const session = next('ses');
    call(at, 'client', { kind: 'init', session, device });
    if (random.chance(0.7)) call(at + 90_500, 'client', { kind: 'end', session, seconds: 60, events: [] });
  }

  /** Hours of play in one batch, out of order, whose receipt is minutes to eight days later. */
  function offline(at: number): void {
    const events = [...eventsIn(at, at + 4 * HOUR, 6), event(at)].toSorted(() => random.next() - 0.5);
    const late = random.pick([5 * HOUR, DAY, 3 * DAY, 7 * DAY - 1, 7 * DAY, 8 * DAY]) + (random.chance(0.5) ? 0 : HOUR);
    call(at + late, 'client', { kind: 'track', events });
    if (random.chance(0.3)) call(at + late + 2_000, 'client', { kind: 'track', events: [...events, event(at + late)] });
  }

  function recorded(at: number): void {
    const session = next('own');
    const late = random.pick([0, MINUTE, HOUR, 2 * DAY, 7 * DAY - 1, 7 * DAY]);
    const seconds = random.int(0, 5_000);
    const deviceAt = random.chance(0.2) ? null : at + skewMs;
    call(at + late, 'client', { kind: 'played', session, deviceAt, seconds });
    if (random.chance(0.2)) call(at + late + DAY, 'client', { kind: 'played', session, deviceAt, seconds });
  }

  /** Events of no session: of the client, or of a game server, some of which name a device. */
  function loose(at: number): void {
    const by = random.pick(['client', 'server'] as const);
    const named = random.chance(0.3) ? { device: { platform: 'switch', appVersion: '', build: '' } } : {};
    call(at + 3_000, by, { kind: 'track', events: [event(at, named), event(at + 2_000), event(at + 3_000 - skewMs)] });
  }

  function buy(at: number): void {
    const amount = random.pick([9_900, 49_900, 123_456]);
    const product = random.pick(['gems', 'pass', null]);
    const currency = random.pick(['EUR', 'BRL', null]);
    const transaction = random.chance(0.15) ? null : next('tx');
    const bought = { kind: 'buys', amount, transaction, product, currency } as const;
    const by = random.pick(['client', 'server'] as const);
    call(at, by, bought);
    if (transaction === null) return;
    if (random.chance(0.2)) call(at + 5_000, by, bought);
    // The server reports what a client reported: the same, or what was really paid; minutes or days later.
    const confirmed = at + random.pick([MINUTE, DAY, 8 * DAY]);
    if (by === 'client' && random.chance(0.5))
      call(confirmed, 'server', random.chance(0.5) ? bought : { ...bought, amount: 20_000 });
    if (!random.chance(0.4)) return;
    const refundedAt = confirmed + random.int(1, 12 * 24) * HOUR;
    const refund = random.chance(0.7) ? next('refund') : null;
    const part = random.chance(0.5) ? 2_500 : null;
    call(refundedAt, 'server', { kind: 'refunded', transaction, amount: part, refund });
    if (refund !== null && random.chance(0.4))
      call(refundedAt + 100, 'server', { kind: 'refunded', transaction, amount: part, refund });
    if (part !== null && random.chance(0.5))
      call(refundedAt + DAY, 'server', { kind: 'refunded', transaction, amount: null, refund: next('refund') });
  }

  function importHistory(firstDay: number): void {
    const lines: ImportedLine[] = [];
    const until = startOfLocalDay(zone, firstDay);
    if (random.chance(0.5))
      lines.push({ kind: 'player', at: until - HOUR, firstSeenAt: until - random.int(1, 60) * DAY });
    for (let day = Math.max(fromDay, firstDay - 6); day < firstDay; day += 1) {
      if (random.chance(0.6)) lines.push(...linesOn(day));
    }
    call(until, 'server', { kind: 'imported', lines });
  }

  function linesOn(day: number): ImportedLine[] {
    const at = timeOn(day);
    const end = startOfLocalDay(zone, day + 1) - 1;
    const transaction = next('tx');
    const lines: ImportedLine[] = [
      {
        kind: 'event',
        at,
        eventId: next('e'),
        name: random.pick(NAMES),
        properties: { mode: 'old', score: 5 },
        country: random.pick(COUNTRIES),
        device,
      },
      { kind: 'session', at: Math.min(end, at + MINUTE), session: next('own'), seconds: random.int(0, 3_000), device },
    ];
    if (random.chance(0.4)) lines.push({ kind: 'purchase', at, amount: 30_000, transaction, product: 'gems' });
    if (lines.length === 3 && random.chance(0.5))
      lines.push({ kind: 'refund', at: Math.min(end, at + HOUR), amount: 10_000, transaction, refund: next('refund') });
    return random.chance(0.2) ? lines.slice(1) : lines;
  }

  return { calls, playDay, importHistory };
}
