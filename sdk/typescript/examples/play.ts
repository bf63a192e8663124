import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createGame } from '../src/game-node.ts';
import { mortalDevice } from './mortal-platform.ts';

/*
 * Plays many players' sessions, each on a device of its own, with kills between, and compares what the devices stored
 * with the rows of ClickHouse. For `play-sessions.ts` and the tests of the client.
 */

export interface PlayOptions {
  url: string;
  key: string;
  players: number;
  /** Of each player. About half of them end with a kill, the others with a shutdown. */
  sessions: number;
  /** Players at the same time. */
  atOnce: number;
  /** Holds the devices' queues; the caller removes it. */
  folder: string;
  /** Begins every player's external_id. */
  prefix: string;
  random: () => number;
  /** Called before each player's last start: from then on the network may be whole. */
  onLast?: () => void;
}

export interface Played {
  /** Numbers of the events that were stored on the device, in order, by player. */
  events: Map<string, number[]>;
  sessions: number;
  kills: number;
  unsent: number;
  /** What clients reported, by kind. */
  problems: Map<string, number>;
}

/** Seconds of the devices in one second. */
const PACE = 5;

export async function play(options: PlayOptions): Promise<Played> {
  const { random } = options;
  const played: Played = { events: new Map(), sessions: 0, kills: 0, unsent: 0, problems: new Map() };
  const players = Array.from({ length: options.players }, (_, index) => `${options.prefix}${index}`);
  await each(players, live);
  options.onLast?.();
  // A client that was killed last starts once more, as when a player returns.
  await each(players, finish);
  return played;

  async function each(names: readonly string[], run: (player: string) => Promise<void>): Promise<void> {
    const waiting = [...names];
    const worker = async (): Promise<void> => {
      for (let player = waiting.shift(); player !== undefined; player = waiting.shift()) await run(player);
    };
    await Promise.all(Array.from({ length: options.atOnce }, worker));
  }

  async function live(player: string): Promise<void> {
    played.events.set(player, []);
    for (let session = 0; session < options.sessions; session += 1) {
      played.sessions += 1;
      await playSession(player);
    }
  }

  async function playSession(player: string): Promise<void> {
    const { device, game } = start(player);
    const events = played.events.get(player) ?? [];
    for (let count = 5 + Math.floor(random() * 60); count > 0; count -= 1) {
      const n = events.length;
      // The game goes on once the event is stored: what a kill takes before that was never promised.
      const kept = device.kept(n);
      game.track('step', { n, text: 'x'.repeat(Math.floor(random() * 200)) });
      await kept;
      events.push(n);
      if (random() < 0.1) game.setState({ level: n });
      if (random() < 0.05) void game.flush();
    }
    if (random() < 0.5) played.kills += 1;
    else await game.shutdown(random() < 0.5 ? 40_000 : 200);
    device.kill();
  }

  async function finish(player: string): Promise<void> {
    const { device, game } = start(player);
    await game.flush();
    played.unsent += (await game.shutdown(60_000)).unsent.length;
    device.kill();
  }

  function start(player: string) {
    const folder = join(options.folder, player);
    mkdirSync(folder, { recursive: true });
    const device = mortalDevice(folder, PACE);
    const { url: baseUrl, key } = options;
    const onProblem = ({ kind }: { kind: string }) =>
      void played.problems.set(kind, (played.problems.get(kind) ?? 0) + 1);
    const settings = { baseUrl, key, player, onProblem, flushAt: 10, timeoutMs: 60_000 };
    const game = createGame({ ...settings, platform: device.platform });
    return { device, game };
  }
}

/** How the rows of a player differ from the numbers of its events. */
export interface Difference {
  player: string;
  missing: number[];
  doubled: number[];
  /** Rows after one with a greater number. */
  late: number[];
}

/** What differs between the events of the devices and the rows of ClickHouse, in the order of the log. */
export function differences(events: Played['events'], rows: readonly { player: string; n: number }[]): Difference[] {
  const found = Map.groupBy(rows, ({ player }) => player);
  return [...events].flatMap(([player, expected]) => {
    const stored = (found.get(player) ?? []).map(({ n }) => n);
    if (stored.join() === expected.join()) return [];
    const missing = expected.filter((n) => !stored.includes(n));
    const doubled = stored.filter((n, place) => stored.indexOf(n) !== place);
    const late = stored.filter((n, place) => n < (stored[place - 1] ?? 0));
    return [{ player, missing, doubled, late }];
  });
}
