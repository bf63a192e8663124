/** The events of a run. Event `number` is always the same, so that it can be queried without a search. */
export interface MadeEvents {
  /** SELECT of the events whose numbers are the column `number` of `source`. */
  select(source: string): string;
  /** When the service received event `number`, epoch milliseconds. */
  receivedMs(number: number): number;
  /** The id of the player with the most events, as SQL. */
  busiestPlayer: string;
}

export const GAME = 'bench';
/** One event in this many has a rare name: its newest page reaches over months. */
const RARE_EVERY = 50_000;
export const RARE_NAME = 'rare_event';
const NAMES = 60;
const EVENTS_PER_SESSION = 25;
const SESSION_MS = 15 * 60_000;
const MONTH_MS = 30 * 86_400_000;

/** Events in the table, spread evenly over the months up to now, and their players. */
export interface TableSize {
  rows: number;
  months: number;
  players: number;
}

/**
 * Players play sessions of 25 events in a quarter of an hour; a few play often and most seldom, and names are as
 * uneven. Properties are JSON of about 250 bytes, half of them hard to compress.
 */
export function madeEvents({ rows, months, players }: TableSize, nowMs: number): MadeEvents {
  const beginMs = nowMs - months * MONTH_MS;
  const intervalMs = (months * MONTH_MS) / rows;
  const atOnce = Math.max(1, Math.round(SESSION_MS / EVENTS_PER_SESSION / intervalMs));
  const perBlock = atOnce * EVENTS_PER_SESSION;
  return {
    receivedMs: (number) => Math.floor(beginMs + number * intervalMs),
    busiestPlayer: playerId('toUInt64(0)'),
    select: (source) => `
SELECT
  lower(hex(cityHash64(number, 'event'))) || lower(hex(cityHash64(number, 'id'))) AS event_id,
  '${GAME}' AS game_id,
  'live' AS environment,
  ${playerId('player')} AS player_id,
  'player-' || toString(player) AS external_id,
  if(number % ${RARE_EVERY} = 7, '${RARE_NAME}',
    'event_' || toString(intDiv(intDiv(draw * draw, 1000000) * ${NAMES}, 1000000))) AS event_name,
  'ses_' || lower(hex(sipHash128(session))) AS session_id,
  '{"level":' || toString(draw % 80) || ',"score":' || toString(cityHash64(number, 'score') % 100000)
    || ',"result":"' || ['WIN', 'LOSS', 'DRAW'][1 + draw % 3] || '","map":"' || ['harbour', 'canyon', 'foundry', 'delta'][1 + draw % 4]
    || '","duration_ms":' || toString(cityHash64(number, 'duration') % 600000) || ',"match_id":"' || lower(hex(sipHash128(number)))
    || '","loadout":["item_' || toString(draw % 97) || '","item_' || toString(draw % 89) || '"],"device":{"model":"phone-'
    || toString(player % 40) || '","fps":' || toString(30 + draw % 90) || ',"memory_mb":' || toString(cityHash64(number, 'mb') % 4096) || '}}' AS properties,
  received_at - toIntervalMillisecond(draw % 2000) AS timestamp,
  fromUnixTimestamp64Milli(toInt64(floor(${beginMs} + number * ${intervalMs})), 'UTC') AS received_at,
  'active' AS lifecycle_stage,
  player % 20 = 0 AS is_payer,
  ['SE', 'US', 'DE', 'BR', 'JP'][1 + player % 5] AS country,
  ['ios', 'android'][1 + player % 2] AS platform,
  '2.' || toString(session % 5) || '.0' AS app_version,
  toString(20400 + session % 5 * 2 + player % 2) AS build,
  '' AS schema_fault,
  'caller' AS source,
  'server' AS key_kind,
  intDiv(number, 50) + 1 AS facts_sequence,
  toUInt32(number % 50) AS facts_index,
  toUInt64(0) AS facts_created
FROM (
  SELECT
    number,
    cityHash64(number) % 1000000 AS draw,
    intDiv(number, ${perBlock}) * ${atOnce} + number % ${atOnce} AS session,
    toUInt64(floor(pow((cityHash64(session, 'player') % 1000000) / 1000000, 2) * ${players})) AS player
  FROM ${source}
)`,
  };
}

function playerId(player: string): string {
  return `toUUID(UUIDNumToString(sipHash128(${player})))`;
}
