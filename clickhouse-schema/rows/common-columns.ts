import type { FactBase } from '../../actors/vocabulary/fact-base.ts';
import type { FactOrigin } from './table.ts';

/** Columns that many tables share. */

export const SCOPE = {
  game_id: (fact: Pick<FactBase, 'game'>) => fact.game,
  environment: (fact: Pick<FactBase, 'environment'>) => fact.environment,
};

export const ORIGIN = {
  facts_sequence: (_: unknown, origin: FactOrigin) => origin.sequence,
  facts_index: (_: unknown, origin: FactOrigin) => origin.index,
};

/** The creation of FACTS as a number that grows with each creation. */
export function createdMs(stream: string): bigint {
  const ms = Date.parse(stream);
  return BigInt(Number.isNaN(ms) ? 0 : ms);
}
