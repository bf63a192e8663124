import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { roll, rollWhole } from './rolls.ts';

/**
 * The history of a game that never was: players who come, play, buy and stay away by known rules. A choice depends on
 * the seed, the player and the day only, so a day can be made without the days before it, and the memory of a run is
 * one day of events.
 */
export interface GameRules {
  seed: number;
  players: number;
  days: number;
  /** The first day, UTC, epoch milliseconds. */
  startMs: number;
  /** The share of players who play on the n-th day after their first one: `share` × n^-`decay`. */
  retention: { share: number; decay: number };
  /** Sessions on a day of play, from 1 to this, each as likely. */
  sessionsPerDay: number;
  /** Other events in a session, from 1 to this. */
  eventsPerSession: number;
  /** The share of players who reach each step of the first session, if they reached the one before. */
  funnel: readonly { event: string; share: number }[];
  /** The share of players who pay, their purchases on a day of play, and the prices, in hundredths. */
  payerShare: number;
  purchasesPerDay: number;
  pricesCents: readonly number[];
  /** Whether sessions name their device, and there are events of levels and of virtual currencies. */
  isDetailed?: boolean;
}

export const USUAL_GAME: Omit<GameRules, 'players' | 'days' | 'seed' | 'startMs'> = {
  retention: { share: 0.45, decay: 0.55 },
  sessionsPerDay: 3,
  eventsPerSession: 8,
  funnel: [
    { event: 'tutorial_started', share: 0.95 },
    { event: 'tutorial_done', share: 0.8 },
    { event: 'first_match_won', share: 0.6 },
    { event: 'shop_opened', share: 0.5 },
  ],
  payerShare: 0.05,
  purchasesPerDay: 0.4,
  pricesCents: [99, 499, 999, 1999],
};

/** What was written, counted while it was made. */
export interface MadeHistory {
  lines: number;
  events: Record<string, number>;
  players: number;
  bytes: number;
}

export const DAY_MS = 86_400_000;
/** Sessions begin early enough to end on their day. */
const LATEST_START_MS = 22 * 3_600_000;
const LONGEST_SESSION_SECONDS = 3_600;
/** Bytes of one write. */
const WRITE_BYTES = 1024 * 1024;
const NAMES = ['match_started', 'match_won', 'match_lost', 'level_up', 'item_used', 'quest_done', 'chat_sent'];

/** A line of the file. */
export interface HistoryLine {
  at: number;
  name: string;
  isService: boolean;
  properties: Readonly<Record<string, string | number>>;
  /** As JSON, with its line feed. */
  text: string;
}

const COUNTRIES = ['DE', 'SE', 'JP', 'US', 'BR'];
const PLATFORMS = ['ios', 'android'];
const CURRENCIES = ['gold', 'gems'];
const LEVELS = 25;
/** A new version of the game comes every so many days. */
const VERSION_DAYS = 25;

export const countryOf = ({ seed }: GameRules, player: number): string =>
  COUNTRIES[rollWhole(COUNTRIES.length, seed, player, 0, 11)] ?? '';
const platformOf = ({ seed }: GameRules, player: number): string =>
  PLATFORMS[rollWhole(PLATFORMS.length, seed, player, 0, 12)] ?? '';

/** The day on which a player comes, from 0. */
export const firstDayOf = ({ seed, days }: GameRules, player: number): number =>
  Math.floor(roll(seed, player, 0, 1) * days);

export function playsOn(rules: GameRules, player: number, day: number): boolean {
  const age = day - firstDayOf(rules, player);
  if (age <= 0) return age === 0;
  const { share, decay } = rules.retention;
  return roll(rules.seed, player, day, 2) < share * age ** -decay;
}

/** Writes the history as NDJSON in the service's own format, in the order of time. */
export function writeHistory(path: string, rules: GameRules): MadeHistory {
  const made: MadeHistory = { lines: 0, events: {}, players: 0, bytes: 0 };
  const file = openSync(path, 'w');
  let pieces: string[] = [];
  let waiting = 0;
  const flush = (): void => {
    const bytes = Buffer.from(pieces.join(''));
    for (let at = 0; at < bytes.length; at += writeSync(file, bytes, at));
    made.bytes += bytes.length;
    pieces = [];
    waiting = 0;
  };
  for (let day = 0; day < rules.days; day++) {
    const lines: HistoryLine[] = [];
    for (let player = 0; player < rules.players; player++) {
      if (!playsOn(rules, player, day)) continue;
      if (day === firstDayOf(rules, player)) made.players += 1;
      for (const line of linesOfDay(rules, player, day)) {
        lines.push(line);
        made.events[line.name] = (made.events[line.name] ?? 0) + 1;
      }
    }
    lines.sort((one, other) => one.at - other.at);
    for (const { text } of lines) {
      pieces.push(text);
      waiting += text.length;
      if (waiting > WRITE_BYTES) flush();
    }
    made.lines += lines.length;
  }
  flush();
  closeSync(file);
  return made;
}

/** Writes the players with their countries as CSV, for `import players`. */
export function writePlayers(path: string, rules: GameRules): void {
  const rows = Array.from({ length: rules.players }, (_, player) => {
    const firstSeen = new Date(rules.startMs + firstDayOf(rules, player) * DAY_MS).toISOString();
    return `player-${player},${firstSeen},"{""country"":""${countryOf(rules, player)}""}"`;
  });
  writeFileSync(path, ['external_id,first_seen_at,attributes', ...rows, ''].join('\n'));
}

/** What a player does on a day on which it plays, session after session. */
export function linesOfDay(rules: GameRules, player: number, day: number): HistoryLine[] {
  const { seed, startMs } = rules;
  const lines: HistoryLine[] = [];
  const isFirst = day === firstDayOf(rules, player);
  const sessions = 1 + rollWhole(rules.sessionsPerDay, seed, player, day, 3);
  const isPayer = roll(seed, player, 0, 4) < rules.payerShare;
  const played = { platform: platformOf(rules, player), app_version: `1.${Math.floor(day / VERSION_DAYS)}` };
  for (let session = 0; session < sessions; session++) {
    const turn = day * 16 + session;
    const sessionId = `s-${player}-${day}-${session}`;
    const beginMs = startMs + day * DAY_MS + rollWhole(LATEST_START_MS, seed, player, turn, 5);
    const seconds = 60 + rollWhole(LONGEST_SESSION_SECONDS - 60, seed, player, turn, 6);
    const add = (at: number, name: string, properties: HistoryLine['properties'], isService = false): void => {
      const text = JSON.stringify({
        event_id: `e-${player}-${turn}-${lines.length}`,
        external_id: `player-${player}`,
        event_name: name,
        session_id: sessionId,
        timestamp: new Date(at).toISOString(),
        ...(isService ? { source: 'service' } : {}),
        properties,
      });
      lines.push({ at, name, isService, properties, text: `${text}\n` });
    };
    const steps = isFirst && session === 0 ? stepsReached(rules, player) : [];
    const events = 1 + rollWhole(rules.eventsPerSession, seed, player, turn, 7);
    const all = [
      ...steps,
      ...Array.from({ length: events }, (_, n) => NAMES[rollWhole(NAMES.length, seed, player, turn, 20 + n)] ?? ''),
    ];
    for (const [n, name] of all.entries()) {
      const at = beginMs + Math.floor(((n + 1) * seconds * 1_000) / (all.length + 1));
      const score = rollWhole(10_000, seed, player, turn, 40 + n);
      const mode = n % 2 === 0 ? 'ranked' : 'casual';
      add(at, name, { level: 1 + (day % 50), score, mode, text: `gg wp ${score}` });
    }
    if (rules.isDetailed === true)
      addDetails(rules, player, turn, (name, properties) => add(beginMs + seconds * 500, name, properties));
    if (isPayer && roll(seed, player, turn, 8) < rules.purchasesPerDay / sessions) {
      const cents = rules.pricesCents[rollWhole(rules.pricesCents.length, seed, player, turn, 9)] ?? 0;
      const product = { currency: 'EUR', product_id: `pack_${cents}`, transaction_id: `tx-${player}-${turn}` };
      add(beginMs + seconds * 900, 'purchase', { amount: cents / 100, ...product }, true);
    }
    const ended = { session_id: sessionId, duration_seconds: seconds, ...(rules.isDetailed === true ? played : {}) };
    add(beginMs + seconds * 1_000, 'session_recorded', ended, true);
  }
  return lines;
}

/** A level that is started, and mostly failed or completed; currency that is earned, and sometimes spent. */
function addDetails(
  { seed }: GameRules,
  player: number,
  turn: number,
  add: (name: string, properties: HistoryLine['properties']) => void,
): void {
  const level = 1 + rollWhole(LEVELS, seed, player, turn, 13);
  add('level_started', { level });
  const end = roll(seed, player, turn, 14);
  if (end < 0.9) add(end < 0.5 ? 'level_completed' : 'level_failed', { level: String(level) });
  const currency = CURRENCIES[rollWhole(CURRENCIES.length, seed, player, turn, 15)] ?? '';
  add('currency_earned', { currency, amount: (1 + rollWhole(50_000, seed, player, turn, 16)) / 100 });
  if (roll(seed, player, turn, 17) < 0.4)
    add('currency_spent', { currency, amount: (1 + rollWhole(50_000, seed, player, turn, 18)) / 100 });
}

/** The steps of the funnel that a player takes in its first session. */
export function stepsReached({ seed, funnel }: GameRules, player: number): string[] {
  const steps: string[] = [];
  for (const [place, { event, share }] of funnel.entries()) {
    if (roll(seed, player, place, 10) >= share) break;
    steps.push(event);
  }
  return steps;
}
