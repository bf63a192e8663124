import { TABLES, type PlayerTable, type TableName } from './tables/tables.ts';
import { ROW_STEP } from './common-columns.ts';
import { quoteString } from '../quoting.ts';
import type { Placing } from './tables/table.ts';

/* The rows of players from before places in the log: an erasure deletes them, and a merge moves them. */

/** A place in the log, as a fact about a player has it. */
export interface PlayerPlace {
  game: string;
  environment: string;
  /** A UUID. */
  playerId: string;
  /** The creation of FACTS, in epoch milliseconds. */
  createdMs: number;
  sequence: number;
  index: number;
}

/** The position in RECORDS up to which ClickHouse has its rows. */
export interface RecordsPosition {
  /** RECORDS' creation, epoch milliseconds. */
  createdMs: number;
  sequence: number;
}

/** Player tables written from RECORDS. Their blocks may be repeated until the stored position has passed them. */
export const WRITTEN_FROM_RECORDS: ReadonlySet<TableName> = new Set<TableName>(['webhook_deliveries']);

/** Tables of imported rows. */
const NAMES_FACTS: ReadonlySet<TableName> = new Set<TableName>(['events', 'sessions', 'purchases']);

/**
 * The condition for a table's rows of players from before their places. Later rows have higher positions. Rows received
 * before the creation of this FACTS belong to an earlier one, so their sequences are not compared. In tables written
 * from RECORDS only rows at or below the stored position match: a repeated block that finds some of its rows gone would
 * be refused on every attempt.
 * @param places of one FACTS, at most one per player
 * @param records `undefined`: no position of RECORDS is stored in ClickHouse
 */
export function rowsBefore(
  table: PlayerTable,
  places: readonly PlayerPlace[],
  records: RecordsPosition | undefined,
): string {
  const { placing } = TABLES[table];
  const ids = list(places.map(({ playerId }) => playerId));
  const bound = `arrayElement(${boundsOf(places, placing)}, indexOf(CAST(${ids} AS Array(UUID)), player_id))`;
  // Every table is ordered by game and environment first, so the engine skips all other rows.
  const scope = `${scopeOf(places)} AND player_id IN ${ids}`;
  if (placing !== 'facts') return `${scope} AND version < ${bound}`;
  const before = `${scope} AND (${PLACE} < ${bound} OR ${isOfEarlierFacts(table, places)})`;
  return WRITTEN_FROM_RECORDS.has(table) ? `${before} AND ${unrepeated(records)}` : before;
}

/** The condition for rows of the games and environments of places. */
export function scopeOf(places: readonly Pick<PlayerPlace, 'game' | 'environment'>[]): string {
  const games = list([...new Set(places.map(({ game }) => game))]);
  const environments = list([...new Set(places.map(({ environment }) => environment))]);
  return `game_id IN ${games} AND environment IN ${environments}`;
}

/** Places as numbers that grow as those of rows do. As text, because a literal of 128 bits would become a float. */
export function boundsOf(places: readonly PlayerPlace[], placing: Placing): string {
  return `CAST(${list(places.map((place) => String(placeOf(place, placing))))} AS Array(UInt128))`;
}

/** The place of a row of facts. The upper half of its index is the place among several rows of one fact. */
export const PLACE = `toUInt128(facts_sequence) * ${2 ** 32} + bitAnd(facts_index, ${ROW_STEP - 1})`;

/** The condition for rows of an earlier FACTS. Imported rows have a time of their own, so they name their FACTS. */
export function isOfEarlierFacts(table: PlayerTable, places: readonly PlayerPlace[]): string {
  const createdMs = Math.max(0, ...places.map((place) => place.createdMs));
  const receivedEarlier = `received_at < fromUnixTimestamp64Milli(${createdMs}, 'UTC')`;
  return NAMES_FACTS.has(table)
    ? `if(facts_created = 0, ${receivedEarlier}, facts_created < ${createdMs})`
    : receivedEarlier;
}

/** The condition for rows in blocks of RECORDS that no sink repeats, including those of an earlier RECORDS. */
export function unrepeated(records: RecordsPosition | undefined): string {
  if (records === undefined) return '0';
  const earlier = `received_at < fromUnixTimestamp64Milli(${Math.max(0, records.createdMs)}, 'UTC')`;
  return `(records_sequence <= ${records.sequence} OR ${earlier})`;
}

function placeOf({ createdMs, sequence, index }: PlayerPlace, placing: Placing): bigint {
  switch (placing) {
    case 'facts':
      return (BigInt(sequence) << 32n) | BigInt(index);
    case 'snapshots':
      return (BigInt(createdMs) << 64n) | BigInt(sequence);
    case 'memberships':
      return (BigInt(createdMs) << 80n) | (BigInt(sequence) << 32n) | BigInt(index);
  }
}

export function list(texts: readonly string[]): string {
  return `[${texts.map(quoteString).join(', ')}]`;
}
