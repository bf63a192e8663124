import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickhouseAddress } from '../../../clickhouse-schema/clickhouse-address.ts';
import { queryClickhouse } from '../service/clickhouse.ts';
import { RETENTION_DAYS, stageOf, type Replayed } from './replay.ts';

/** How long snapshots of players may take to reach ClickHouse after their last change. */
const SNAPSHOTS_MS = 240_000;
const CHECK_MS = 2_000;
const SHOWN = 5;

/** Compares what ClickHouse has of an import with a replay of its file. @returns the differences */
export async function checkHistory(
  clickhouse: ClickhouseAddress,
  replayed: Replayed,
  signal: AbortSignal,
): Promise<string[]> {
  const rows = <Row>(sql: string, format?: string) => rowsOf<Row>(clickhouse, sql, format);
  const faults: string[] = [];
  const compare = (what: string, found: unknown, expected: unknown): void => {
    const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
    if (one !== other) faults.push(`${what}: ${one.slice(0, 400)} instead of ${other.slice(0, 400)}`);
  };

  const [all] = await rows<object>(
    `SELECT toUInt32(count()) AS n, toUInt32(uniqExact(event_id)) AS ids FROM events WHERE ${IMPORTED}`,
  );
  compare('events', all, { n: replayed.lines, ids: replayed.lines });
  const names = await rows<[string, number]>(
    `SELECT event_name, toUInt32(count()) FROM events WHERE ${IMPORTED} GROUP BY event_name ORDER BY event_name`,
    'JSONCompactEachRow',
  );
  compare('events by name', names, Object.entries(replayed.events).toSorted(byFirst));
  const days = await rows<unknown[]>(
    `SELECT toString(toDate(received_at)) AS day, toUInt32(uniqExact(player_id)), toUInt32(count())
      FROM events WHERE ${IMPORTED} GROUP BY day ORDER BY day`,
    'JSONCompactEachRow',
  );
  const expectedDays = [...replayed.days].toSorted(byFirst);
  compare(
    'players and events by day',
    days,
    expectedDays.map(([day, { players, events }]) => [day, players, events]),
  );
  const bought = await rows<unknown[]>(
    `SELECT toString(day), toUInt32(purchases), toUInt32(round(revenue * 100)) FROM purchases_daily
      WHERE game_id = 'demo' ORDER BY day`,
    'JSONCompactEachRow',
  );
  const expectedBought = expectedDays.filter(([, { purchases }]) => purchases > 0);
  compare(
    'purchases by day',
    bought,
    expectedBought.map(([day, one]) => [day, one.purchases, one.revenueCents]),
  );
  const retention = await rows<unknown[]>(retentionSql(), 'JSONCompactEachRow');
  compare(
    'retention',
    retention,
    replayed.retention.map(({ day, players, returned }) => [day, players, returned]),
  );
  faults.push(...(await playersSettled(clickhouse, replayed, signal)));
  return faults;
}

const IMPORTED = "game_id = 'demo' AND environment = 'live' AND source = 'import'";

/** Waits until the players' snapshots are those of the replay. */
async function playersSettled(
  clickhouse: ClickhouseAddress,
  replayed: Replayed,
  signal: AbortSignal,
): Promise<string[]> {
  const untilMs = performance.now() + SNAPSHOTS_MS;
  for (;;) {
    const faults = await playersNow(clickhouse, replayed, Date.now());
    if (faults.length === 0 || performance.now() > untilMs || signal.aborted) return faults;
    await sleep(CHECK_MS);
  }
}

type PlayerRow = [
  id: string,
  sessions: number,
  playtime: number,
  purchases: number,
  cents: number,
  first: number,
  last: number,
  stage: string,
];

/** A snapshot with a new stage reaches ClickHouse within this time. */
const STAGE_SHOWN_MS = 120_000;
/** Players of one statement: its answer stays some megabytes. */
const PLAYERS_AT_ONCE = 50_000;

async function playersNow(clickhouse: ClickhouseAddress, replayed: Replayed, nowMs: number): Promise<string[]> {
  const faults: string[] = [];
  let seen = 0;
  for (let after = ''; ;) {
    const rows = await rowsOf<PlayerRow>(
      clickhouse,
      `SELECT external_id, session_count, toUInt32(total_playtime_seconds), purchase_count,
          toUInt32(round(total_revenue * 100)), toUnixTimestamp64Milli(first_seen_at) / 1, toUnixTimestamp64Milli(last_seen_at) / 1,
          lifecycle_stage
        FROM players WHERE game_id = 'demo' AND environment = 'live' AND startsWith(external_id, 'player-')
          AND external_id > '${after}'
        ORDER BY external_id LIMIT ${PLAYERS_AT_ONCE}`,
      'JSONCompactEachRow',
    );
    for (const [id, ...found] of rows) {
      const player = replayed.players.get(id);
      if (player === undefined) {
        faults.push(`${id} is not in the file`);
        continue;
      }
      const { sessions, playtimeSeconds, purchases, revenueCents, firstMs, lastMs } = player;
      // Among many players, the stage of some has changed so lately that their snapshots still have the one before.
      const stages = [stageOf(player, nowMs), stageOf(player, nowMs - STAGE_SHOWN_MS), stageOf(player, Date.now())];
      const expected = stages.map((stage) =>
        JSON.stringify([sessions, playtimeSeconds, purchases, revenueCents, firstMs, lastMs, stage]),
      );
      const one = JSON.stringify(found);
      if (!expected.includes(one)) faults.push(`${id}: ${one} instead of ${expected[0]}`);
    }
    seen += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PLAYERS_AT_ONCE) break;
    after = last[0];
  }
  if (seen !== replayed.players.size) faults.push(`${seen} of ${replayed.players.size} players are there`);
  return faults.length > SHOWN ? [...faults.slice(0, SHOWN), `and ${faults.length - SHOWN} more players`] : faults;
}

/** Of the players who came so early that they could: how many played again so many days after their first one. */
function retentionSql(): string {
  return `
WITH played AS (
  SELECT player_id, groupUniqArray(toDate(received_at)) AS days, min(toDate(received_at)) AS first
  FROM events WHERE ${IMPORTED} GROUP BY player_id
), (SELECT max(toDate(received_at)) FROM events WHERE ${IMPORTED}) AS newest
SELECT toUInt32(age) AS day, toUInt32(countIf(first + age <= newest)), toUInt32(countIf(first + age <= newest AND has(days, first + age)))
FROM played ARRAY JOIN [${RETENTION_DAYS.join(', ')}] AS age
GROUP BY age ORDER BY age`;
}

const byFirst = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

async function rowsOf<Row>(clickhouse: ClickhouseAddress, sql: string, format = 'JSONEachRow'): Promise<Row[]> {
  const text = await queryClickhouse(clickhouse, `${sql} FORMAT ${format}`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
}
