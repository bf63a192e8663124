import { DAY_MS, firstDayOf, type GameRules, playsOn } from '../history/game-history.ts';
import { roll, rollWhole } from '../history/rolls.ts';

/**
 * What players of a made game do, as no product writes it: guests of a device who sign in, play sessions that end on
 * their day, and pay. Values of neighbours differ. Each choice follows from the seed.
 */
export interface Play {
  /** Counts all plays from 0. */
  number: number;
  atMs: number;
  kind: 'start' | 'identify' | 'play' | 'purchase' | 'end';
  player: number;
  /** The account, or `undefined` for players who never have one. */
  account: string | undefined;
  device: string;
  /** Whether the game knew the account when this happened. */
  isSignedIn: boolean;
  /** The number of the session among those of the player's day. */
  session: number;
  sessionStartMs: number;
  /** Of the session as a whole, in whole seconds. */
  sessionSeconds: number;
  /** Since the last play of the session. */
  secondsSince: number;
  level: number;
  mode: string;
  /** Of a purchase. */
  priceCents: number;
  quantity: number;
  product: string;
  platform: 'ios' | 'android';
  version: string;
  build: number;
  country: readonly [code: string, name: string];
}

/** A line as a product exports it, and the name that its event has here. */
export interface ProductLine {
  name: string;
  line: object;
}

const COUNTRIES = [
  ['DE', 'Germany'],
  ['SE', 'Sweden'],
  ['JP', 'Japan'],
  ['US', 'United States'],
  ['BR', 'Brazil'],
  ['KR', 'South Korea'],
] as const;
const PRICES = [99, 499, 999, 1999] as const;
const MODES = ['ranked', 'casual', 'co-op'] as const;
const ACCOUNT_SHARE = 0.7;
/** Sessions begin hours apart, and are shorter. */
const SESSION_GAP_SECONDS = 9 * 3_600;
const LATEST_SECONDS = 7_200;

/** What a player does on a day on which it plays. @param number of the first play */
export function playsOf(rules: GameRules, player: number, day: number, number: number): Play[] {
  const { seed, startMs } = rules;
  const plays: Play[] = [];
  const isPayer = roll(seed, player, 0, 4) < rules.payerShare;
  const account = roll(seed, player, 0, 21) < ACCOUNT_SHARE ? `user-${player}` : undefined;
  const firstDay = firstDayOf(rules, player);
  // Some with an account change their device after a week. A guest would be another player then.
  const hasMoved = account !== undefined && roll(seed, player, 0, 22) < 0.2 && day - firstDay >= 7;
  const device = `device-${player}-${hasMoved ? 1 : 0}`;
  const isFresh = hasMoved ? !hasPlayedBetween(rules, player, firstDay + 7, day) : day === firstDay;
  const sessions = 1 + rollWhole(2, seed, player, day, 3);
  for (let session = 0; session < sessions; session++) {
    const turn = day * 16 + session;
    const beginMs =
      startMs +
      day * DAY_MS +
      (1_800 + session * SESSION_GAP_SECONDS + rollWhole(LATEST_SECONDS, seed, player, turn, 5)) * 1_000;
    const signsIn = account !== undefined && isFresh && session === 0;
    const kinds: Play['kind'][] = ['start', 'play'];
    if (signsIn) kinds.push('identify');
    for (let n = rollWhole(rules.eventsPerSession, seed, player, turn, 7); n >= 0; n--) kinds.push('play');
    if (isPayer && roll(seed, player, turn, 8) < rules.purchasesPerDay / sessions) kinds.push('purchase');
    kinds.push('end');
    const steps = kinds.map((_, n) => (n === 0 ? 0 : 3 + rollWhole(90, seed, player, turn, 40 + n)));
    const sessionSeconds = steps.reduce((all, one) => all + one, 0);
    let atMs = beginMs;
    let isSignedIn = account !== undefined && !signsIn;
    for (const [n, kind] of kinds.entries()) {
      atMs += (steps[n] ?? 0) * 1_000;
      if (kind === 'identify') isSignedIn = true;
      plays.push({
        number: number + plays.length,
        atMs,
        kind,
        player,
        account,
        device,
        isSignedIn,
        session,
        sessionStartMs: beginMs,
        sessionSeconds,
        secondsSince: steps[n] ?? 0,
        level: 1 + ((player + day + n) % 60),
        mode: MODES[(player + n) % MODES.length] ?? '',
        priceCents: PRICES[rollWhole(PRICES.length, seed, player, turn, 9)] ?? 0,
        quantity: 1 + ((player + session) % 2),
        product: `pack_${(player + day) % 7}`,
        platform: player % 2 === 0 ? 'ios' : 'android',
        version: `1.${Math.floor(day / 25)}`,
        build: 100 + Math.floor(day / 25),
        country: COUNTRIES[rollWhole(COUNTRIES.length, seed, player, 0, 11)] ?? COUNTRIES[0],
      });
    }
  }
  return plays;
}

function hasPlayedBetween(rules: GameRules, player: number, from: number, to: number): boolean {
  for (let day = from; day < to; day++) if (playsOn(rules, player, day)) return true;
  return false;
}
