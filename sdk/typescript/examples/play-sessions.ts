import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startFaultyProxy, type FaultCounts } from './faulty-proxy.ts';
import { createGame } from '../src/game-node.ts';
import { differences, play, type Difference } from './play.ts';

/*
 * Plays sessions through a proxy that cuts, delays, refuses and swaps, with kills between, and compares what the
 * devices stored with the rows of ClickHouse:
 *
 *   node examples/play-sessions.ts --url http://127.0.0.1:8080 --key pk_… --clickhouse http://127.0.0.1:8123
 */

export interface PlaySessionsOptions {
  url: string;
  /** A client key. */
  key: string;
  clickhouse: string;
  players: number;
  /** Of each player. */
  sessions: number;
  /** Players at the same time. */
  atOnce: number;
  /** From 1 to 2,147,483,646: the same sessions, kills and faults. */
  seed: number;
}

export interface PlayReport extends FaultCounts {
  sessions: number;
  kills: number;
  /** Events that devices stored, and rows of them in ClickHouse. */
  events: number;
  rows: number;
  missing: number;
  duplicates: number;
  outOfOrder: number;
  /** Events that the last client of each player could not send. */
  unsent: number;
  seconds: number;
}

/** Resolves with the counts, and with the players whose rows differ. */
export async function playSessions(
  options: PlaySessionsOptions,
): Promise<{ report: PlayReport; faults: Difference[] }> {
  let state = Math.max(1, options.seed);
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const folder = mkdtempSync(join(tmpdir(), 'player-analytics-play-'));
  const prefix = `sample-${Date.now()}-`;
  const proxy = await startFaultyProxy(options.url, random);
  try {
    const began = performance.now();
    const { key, players, sessions: each, atOnce } = options;
    const { events, sessions, kills, unsent } = await play({
      url: proxy.url,
      key,
      players,
      sessions: each,
      atOnce,
      folder,
      prefix,
      random,
      onLast: () => proxy.mend(),
    });
    const seconds = Math.round((performance.now() - began) / 1000);
    const expected = [...events.values()].reduce((sum, numbers) => sum + numbers.length, 0);
    // Rows follow the order of the log: with this one, all of those before it are there.
    const last = `${prefix}last`;
    const game = createGame({ baseUrl: options.url, key, player: last, folder: join(folder, last) });
    game.track('step', { n: 0 });
    await game.flush();
    if ((await game.shutdown()).unsent.length > 0) throw new Error('The service did not accept the last event.');
    const rows = await storedRows(options.clickhouse, prefix, last);
    const faults = differences(events, rows);
    const sum = (of: (fault: Difference) => number[]) => faults.reduce((count, fault) => count + of(fault).length, 0);
    const report = {
      sessions,
      kills,
      events: expected,
      rows: rows.length,
      missing: sum(({ missing }) => missing),
      duplicates: sum(({ doubled }) => doubled),
      outOfOrder: sum(({ late }) => late),
      unsent,
      seconds,
      ...proxy.counts,
    };
    return { report, faults };
  } finally {
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The rows of all players but the last, once ClickHouse holds the event of the last one. */
async function storedRows(clickhouse: string, prefix: string, last: string): Promise<{ player: string; n: number }[]> {
  const query =
    `SELECT external_id AS player, toUInt32(JSONExtractUInt(properties, 'n')) AS n FROM events ` +
    `WHERE startsWith(external_id, '${prefix}') AND event_name = 'step' ORDER BY facts_sequence, facts_index`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const answer = await fetch(`${clickhouse}/?default_format=JSONEachRow`, { method: 'POST', body: query });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    const lines = text.split('\n').filter((line) => line !== '');
    const rows = lines.map((line): { player: string; n: number } => JSON.parse(line));
    if (rows.some(({ player }) => player === last)) return rows.filter(({ player }) => player !== last);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('ClickHouse does not have the last event.');
}

/** A minute. */
const ATTEMPTS = 300;

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      key: { type: 'string', default: '' },
      clickhouse: { type: 'string', default: 'http://127.0.0.1:8123' },
      players: { type: 'string', default: '200' },
      sessions: { type: 'string', default: '5' },
      'at-once': { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
    },
  });
  const { url, key, clickhouse } = values;
  const [players, sessions, atOnce] = [Number(values.players), Number(values.sessions), Number(values['at-once'])];
  const seed = Number(values.seed);
  const { report, faults } = await playSessions({ url, key, clickhouse, players, sessions, atOnce, seed });
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  for (const fault of faults.slice(0, 10)) process.stdout.write(`${JSON.stringify(fault)}\n`);
  process.exitCode = faults.length === 0 && report.unsent === 0 ? 0 : 1;
}
