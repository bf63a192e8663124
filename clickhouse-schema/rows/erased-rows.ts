import { TABLES, type PlayerTable, type TableName } from './tables/tables.ts';
import { ROW_STEP } from './common-columns.ts';
import type { Placing } from './tables/table.ts';

/** A row of `erasures` in ClickHouse. */
export interface PendingErasure {
  game: string;
  environment: string;
  /** A UUID. */
  playerId: string;
  /** Its position in the log; the creation of FACTS is in epoch milliseconds. */
  createdMs: number;
  sequence: number;
  index: number;
  /** Epoch milliseconds. */
  erasedAt: number;
  /** Rows counted before the deletion; `undefined` until they are counted. */
  rows: number | undefined;
  /** The player's device; '': none. */
  deviceId: string;
}

/** The position in RECORDS up to which ClickHouse has its rows. */
export interface RecordsPosition {
  /** RECORDS' creation, epoch milliseconds. */
  createdMs: number;
  sequence: number;
}

/** Player tables written from RECORDS. Their blocks may be repeated until the stored position has passed them. */
const WRITTEN_FROM_RECORDS: ReadonlySet<TableName> = new Set<TableName>(['webhook_deliveries']);

/** Tables whose rows may name further players: they are deleted with each of them. */
const NAMES_OTHERS: ReadonlySet<TableName> = new Set<TableName>(['quarantined_events']);

/** Tables of imported rows. */
const NAMES_FACTS: ReadonlySet<TableName> = new Set<TableName>(['events', 'sessions', 'purchases']);

/**
 * The condition for a table's rows from before their player's erasure. Rows of a later life have higher positions and
 * stay. Rows received before the creation of this FACTS belong to an earlier one, so their sequences are not compared.
 * In tables written from RECORDS only rows at or below the stored position match, as with scores.
 * @param erasures of one FACTS, at most one per player
 * @param records `undefined`: no position of RECORDS is stored in ClickHouse
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
  // As text, because a literal of 128 bits would become a float.
  const bounds = list(erasures.map((erasure) => String(placeOf(erasure, placing))));
  const bound = `arrayElement(CAST(${bounds} AS Array(UInt128)), indexOf(CAST(${ids} AS Array(UUID)), player_id))`;
  // Every table is ordered by game and environment first, so the engine skips all other rows.
  const scope = `game_id IN ${games} AND environment IN ${environments} AND player_id IN ${ids}`;
  if (placing !== 'facts') return `${scope} AND version < ${bound}`;
  const createdMs = Math.max(0, ...erasures.map((erasure) => erasure.createdMs));
  const receivedEarlier = `received_at < fromUnixTimestamp64Milli(${createdMs}, 'UTC')`;
  // Imported rows have a time of their own, so they name their FACTS.
  const earlier = NAMES_FACTS.has(table)
    ? `if(facts_created = 0, ${receivedEarlier}, facts_created < ${createdMs})`
    : receivedEarlier;
  // Its upper half is the place among several rows of one fact.
  const index = `bitAnd(facts_index, ${ROW_STEP - 1})`;
  const place = `toUInt128(facts_sequence) * ${2 ** 32} + ${index}`;
  if (NAMES_OTHERS.has(table)) {
    const isOf = `(toString(player_id) = id OR has(named, id))`;
    const inGames = `game_id IN ${games} AND environment IN ${environments}`;
    return `${inGames} AND arrayExists((id, bound) -> ${isOf} AND (${place} < bound OR ${earlier}), ${ids}, CAST(${bounds} AS Array(UInt128)))`;
  }
  const before = `${scope} AND (${place} < ${bound} OR ${earlier})`;
  return WRITTEN_FROM_RECORDS.has(table) ? `${before} AND ${unrepeated(records)}` : before;
}

/** The condition for rows in blocks of RECORDS that no sink repeats, including those of an earlier RECORDS. */
function unrepeated(records: RecordsPosition | undefined): string {
  if (records === undefined) return '0';
  const earlier = `received_at < fromUnixTimestamp64Milli(${Math.max(0, records.createdMs)}, 'UTC')`;
  return `(records_sequence <= ${records.sequence} OR ${earlier})`;
}

/** Tables of scores. Their rows hold a device. */
export const SCORE_TABLES = ['scores', 'challenger_scores'] as const satisfies readonly TableName[];

/**
 * The condition for scores of erased players' devices from before the erasure.
 *
 * Only rows at or below the stored position of RECORDS match: a repeated block that finds some of its rows deleted
 * would be refused on every attempt. Rows received before the creation of this RECORDS belong to an earlier one.
 * @param erasures of players whose device belongs to no other player
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
  const scope = `game_id IN ${games} AND environment IN ${environments} AND device_id IN ${devices}`;
  const bounds = `CAST([${[...until.values()].join(', ')}] AS Array(Int64))`;
  const key = `indexOf(CAST(${list([...until.keys()])} AS Array(String)), ${DEVICE_KEY})`;
  // An index of 0 yields 0, and every score is later than that.
  const before = `toUnixTimestamp64Milli(scored_at) <= arrayElement(${bounds}, ${key})`;
  return `${scope} AND ${before} AND ${unrepeated(records)}`;
}

/** Names of games and environments contain no slash. */
export const deviceKey = ({
  game,
  environment,
  deviceId,
}: Pick<PendingErasure, 'game' | 'environment' | 'deviceId'>): string => `${game}/${environment}/${deviceId}`;

/** The same key in SQL. */
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
