import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * Replays a file of history with a bookkeeping of its own, from the documentation of imports alone: it uses no code of
 * the service and none of the generator.
 */
export interface Replayed {
  lines: number;
  events: Record<string, number>;
  players: Map<string, ReplayedPlayer>;
  /** By UTC day, as `2026-01-31`. */
  days: Map<string, ReplayedDay>;
  /** By days after the first one: players who came so early that they could have played then, and those who played. */
  retention: { day: number; players: number; returned: number }[];
}

export interface ReplayedPlayer {
  firstMs: number;
  lastMs: number;
  sessions: number;
  playtimeSeconds: number;
  purchases: number;
  revenueCents: number;
}

export interface ReplayedDay {
  players: number;
  events: number;
  purchases: number;
  revenueCents: number;
}

interface Line {
  external_id: string;
  event_name: string;
  timestamp: string;
  source?: string;
  properties: { amount?: number; duration_seconds?: number };
}

const DAY_MS = 86_400_000;
/** Days after the first one at which retention is compared. */
export const RETENTION_DAYS = [1, 7, 30, 90];

export async function replay(path: string): Promise<Replayed> {
  const players = new Map<string, ReplayedPlayer & { days: Set<number> }>();
  const days = new Map<string, ReplayedDay & { seen: Set<string> }>();
  const events: Record<string, number> = {};
  let lines = 0;
  let lastDay = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (text === '') continue;
    lines += 1;
    const { external_id: id, event_name: name, timestamp, source, properties }: Line = JSON.parse(text);
    const at = Date.parse(timestamp);
    events[name] = (events[name] ?? 0) + 1;
    const player = players.get(id) ?? {
      firstMs: at,
      lastMs: at,
      sessions: 0,
      playtimeSeconds: 0,
      purchases: 0,
      revenueCents: 0,
      days: new Set<number>(),
    };
    players.set(id, player);
    player.firstMs = Math.min(player.firstMs, at);
    player.lastMs = Math.max(player.lastMs, at);
    const dayNumber = Math.floor(at / DAY_MS);
    lastDay = Math.max(lastDay, dayNumber);
    player.days.add(dayNumber);
    const key = timestamp.slice(0, 10);
    const day = days.get(key) ?? { players: 0, events: 0, purchases: 0, revenueCents: 0, seen: new Set<string>() };
    days.set(key, day);
    day.events += 1;
    day.seen.add(id);
    if (source !== 'service') continue;
    if (name === 'session_recorded') {
      player.sessions += 1;
      player.playtimeSeconds += properties.duration_seconds ?? 0;
    }
    if (name === 'purchase') {
      const cents = Math.round((properties.amount ?? 0) * 100);
      player.purchases += 1;
      player.revenueCents += cents;
      day.purchases += 1;
      day.revenueCents += cents;
    }
  }
  const retention = RETENTION_DAYS.map((day) => retentionOn(day, lastDay, players.values()));
  for (const day of days.values()) {
    day.players = day.seen.size;
    day.seen.clear();
  }
  return { lines, events, players, days, retention };
}

function retentionOn(day: number, lastDay: number, players: Iterable<{ firstMs: number; days: ReadonlySet<number> }>) {
  let able = 0;
  let returned = 0;
  for (const { firstMs, days } of players) {
    const first = Math.floor(firstMs / DAY_MS);
    if (first + day > lastDay) continue;
    able += 1;
    if (days.has(first + day)) returned += 1;
  }
  return { day, players: able, returned };
}

/** The stage of a player whom only an import knows, as documented: by its first and last day, with the thresholds. */
export function stageOf({ firstMs, lastMs, sessions }: ReplayedPlayer, nowMs: number): string {
  if (nowMs - lastMs >= 30 * DAY_MS) return 'churned';
  if (nowMs - lastMs >= 7 * DAY_MS) return 'at_risk';
  return nowMs - firstMs >= DAY_MS || sessions >= 2 ? 'active' : 'new';
}
