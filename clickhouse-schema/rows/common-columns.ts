import type { FactBase } from '../../core/vocabulary/facts/fact-base.ts';
import { text, uint32, uint64 } from './column-types.ts';
import type { FactOrigin } from './tables/table.ts';

/** Columns that many tables share. */

export const SCOPE = {
  game_id: text((fact: Pick<FactBase, 'game'>) => fact.game),
  environment: text((fact: Pick<FactBase, 'environment'>) => fact.environment),
};

/** The place of a row of facts that make several rows, in the upper half of `facts_index`. */
export const ROW_STEP = 2 ** 16;

export const ORIGIN = {
  facts_sequence: uint64((_: unknown, origin: FactOrigin) => origin.sequence),
  facts_index: uint32((_: unknown, origin: FactOrigin) => origin.index),
};

/**
 * Newer rows of a member replace older ones: by the stream's creation, because sequences restart with it, then by
 * record, then by index, because one record may hold an entry and an exit. 48, 48 and 32 bits.
 */
export function memberVersion({ stream, sequence, index }: FactOrigin): bigint {
  return (createdMs(stream) << 80n) | (BigInt(sequence) << 32n) | BigInt(index);
}

/** The creation of FACTS as a number that grows with each creation. */
export function createdMs(stream: string): bigint {
  const ms = Date.parse(stream);
  return BigInt(Number.isNaN(ms) ? 0 : ms);
}
