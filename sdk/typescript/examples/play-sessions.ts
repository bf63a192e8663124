import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startFaultyProxy } from './faulty-proxy.ts';
import { differences, play } from './play.ts';

/*
 * Plays sessions through a proxy that cuts, delays, refuses and swaps, with kills between, and compares what the
 * devices stored with the rows of ClickHouse:
 *
 *   node examples/play-sessions.ts --url http://127.0.0.1:8080 --key pk_… --clickhouse http://127.0.0.1:8123
 */

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

let state = Number(values.seed);
const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
const folder = mkdtempSync(join(tmpdir(), 'player-analytics-play-'));
const prefix = `sample-${Date.now()}-`;
const proxy = await startFaultyProxy(values.url, random);
const began = performance.now();
const { events, sessions, kills, unsent } = await play({
  url: proxy.url,
  key: values.key,
  players: Number(values.players),
  sessions: Number(values.sessions),
  atOnce: Number(values['at-once']),
  folder,
  prefix,
  random,
  onLast: () => proxy.mend(),
});
const seconds = Math.round((performance.now() - began) / 1000);
const expected = [...events.values()].reduce((sum, each) => sum + each.length, 0);
const rows = await storedRows();
const faults = differences(events, rows);
await proxy.close();
rmSync(folder, { recursive: true, force: true });
const report = { sessions, kills, events: expected, rows: rows.length, unsent, seconds, ...proxy.counts };
process.stdout.write(`${JSON.stringify(report, null, 2)}\n${faults.slice(0, 10).join('\n')}\n`);
process.exitCode = faults.length === 0 && unsent === 0 ? 0 : 1;

/** The rows, once ClickHouse holds as many as were tracked, or after it was given time for it. */
async function storedRows(): Promise<{ player: string; n: number }[]> {
  const query =
    `SELECT external_id AS player, toUInt32(JSONExtractUInt(properties, 'n')) AS n FROM events ` +
    `WHERE startsWith(external_id, '${prefix}') AND event_name = 'step' ORDER BY facts_sequence, facts_index`;
  for (let attempt = 0; ; attempt += 1) {
    const answer = await fetch(`${values.clickhouse}/?default_format=JSONEachRow`, { method: 'POST', body: query });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    const found = text.split('\n').filter((line) => line !== '');
    if (found.length >= expected || attempt === 50) {
      return found.map((line): { player: string; n: number } => JSON.parse(line));
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
