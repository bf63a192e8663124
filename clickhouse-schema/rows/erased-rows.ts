import { TABLES, type PlayerTable, type TableName } from './tables.ts';
import type { Placing } from './table.ts';

/** An erasure as ClickHouse holds it in `erasures`. */
export interface PendingErasure {
  game: string;
  environment: string;
  /** A UUID. */
  playerId: string;
  /** Where it stands in the log; FACTS' creation in epoch milliseconds. */
  createdMs: number;
  sequence: number;
  index: number;
  /** Epoch milliseconds. */
  erasedAt: number;
  /** What was there before anything was deleted; `undefined` until it is counted. */
  rows: number | undefined;
  /** The player's device; '': it had none. */
  deviceId: string;
}

/** How far RECORDS is in ClickHouse. */
export interface RecordsPosition {
  /** RECORDS' creation, epoch milliseconds. */
  createdMs: number;
  sequence: number;
}

/** Player tables that are written from RECORDS: their blocks may be repeated until its position has passed them. */
const WRITTEN_FROM_RECORDS: ReadonlySet<TableName> = new Set<TableName>(['webhook_deliveries']);

/**
 * The condition for rows of a table that come from before their player's erasure. Rows of the player's next life stay, as they
 * stand behind it in the log. Whatever was received before this FACTS was created came from an earlier one, whose sequences
 * mean nothing here. Of a table written from RECORDS only rows at or below its stored position are meant, as with scores.
 * @param erasures of one FACTS, at most one a player
 * @param records `undefined`: nothing of RECORDS is in ClickHouse for certain
 */
export function erasedRows(
  table: PlayerTable,
  erasures: readonly PendingErasure[],
  records: RecordsPosition | undefined,
): string {
  const { placing } = TABLES[table];
  const ids = list(erasures.map(({ playerId }) => playerId));
  const games = list([...new Set(erasures.map(({ game }) => game))]);
  const environments = list([...new Set(erasures.map(({ environment }) => environment))]);
  // As text: a literal of 128 bits would become a float.
  const bounds = list(erasures.map((erasure) => String(placeOf(erasure, placing))));
  const bound = `arrayElement(CAST(${bounds} AS Array(UInt128)), indexOf(CAST(${ids} AS Array(UUID)), player_id))`;
  // Game and environment lead the order of every table, so the engine passes over all others.
  const whose = `game_id IN ${games} AND environment IN ${environments} AND player_id IN ${ids}`;
  if (placing !== 'facts') return `${whose} AND version < ${bound}`;
  const createdMs = Math.max(0, ...erasures.map((erasure) => erasure.createdMs));
  const earlier = `received_at < fromUnixTimestamp64Milli(${createdMs}, 'UTC')`;
  const before = `${whose} AND (toUInt128(facts_sequence) * ${2 ** 32} + facts_index < ${bound} OR ${earlier})`;
  return WRITTEN_FROM_RECORDS.has(table) ? `${before} AND ${unrepeated(records)}` : before;
}

/** The condition for rows in blocks of RECORDS that no sink repeats; those of an earlier RECORDS are among them. */
function unrepeated(records: RecordsPosition | undefined): string {
  if (records === undefined) return '0';
  const earlier = `received_at < fromUnixTimestamp64Milli(${Math.max(0, records.createdMs)}, 'UTC')`;
  return `(records_sequence <= ${records.sequence} OR ${earlier})`;
}

/** Tables of scores, which name a device. */
export const SCORE_TABLES = ['scores', 'challenger_scores'] as const satisfies readonly TableName[];

/**
 * The condition for scores of erased players' devices from before the erasure.
 *
 * Only rows at or below the stored position of RECORDS are deleted: a block above it may be repeated, and a repeat that finds some of
 * its rows would be refused for ever. Rows received before this RECORDS was created came from an earlier one.
 * @param erasures of players whose device no other player has
 */
export function erasedScores(erasures: readonly PendingErasure[], records: RecordsPosition): string {
  const until = new Map<string, number>();
  for (const erasure of erasures) {
    const key = deviceKey(erasure);
    until.set(key, Math.max(until.get(key) ?? 0, erasure.erasedAt));
  }
  const games = list([...new Set(erasures.map(({ game }) => game))]);
  const environments = list([...new Set(erasures.map(({ environment }) => environment))]);
  const devices = list(erasures.map(({ deviceId }) => deviceId));
  const whose = `game_id IN ${games} AND environment IN ${environments} AND device_id IN ${devices}`;
  const bounds = `CAST([${[...until.values()].join(', ')}] AS Array(Int64))`;
  const key = `indexOf(CAST(${list([...until.keys()])} AS Array(String)), ${DEVICE_KEY})`;
  // An index of 0 finds 0, which no score is as old as.
  const before = `toUnixTimestamp64Milli(scored_at) <= arrayElement(${bounds}, ${key})`;
  return `${whose} AND ${before} AND ${unrepeated(records)}`;
}

/** Names of games and environments hold no slash. */
export const deviceKey = ({
  game,
  environment,
  deviceId,
}: Pick<PendingErasure, 'game' | 'environment' | 'deviceId'>): string => `${game}/${environment}/${deviceId}`;

/** The same in SQL. */
export const DEVICE_KEY = "concat(game_id, '/', environment, '/', device_id)";

function placeOf({ createdMs, sequence, index }: PendingErasure, placing: Placing): bigint {
  switch (placing) {
    case 'facts':
      return (BigInt(sequence) << 32n) | BigInt(index);
    case 'snapshots':
      return (BigInt(createdMs) << 64n) | BigInt(sequence);
    case 'memberships':
      return (BigInt(createdMs) << 80n) | (BigInt(sequence) << 32n) | BigInt(index);
  }
}

function list(texts: readonly string[]): string {
  return `[${texts.map((text) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`).join(', ')}]`;
}
