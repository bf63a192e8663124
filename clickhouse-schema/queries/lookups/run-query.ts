import type { QueryResult } from '../../query-result.ts';

/** Runs a statement with bound values. */
export type RunQuery = <Row>(sql: string, parameters: Record<string, unknown>) => Promise<QueryResult<Row[]>>;

/** A player of one game and environment. */
export interface PlayerScope {
  game: string;
  environment: string;
  /** A UUID. */
  playerId: string;
}

export const SCOPE = 'game_id = {game:String} AND environment = {environment:String}';

/** Leaves out rows of players whose erasure is not complete. */
export const NOT_BEING_ERASED = `player_id NOT IN (SELECT player_id FROM erasures FINAL WHERE ${SCOPE} AND step < 2)`;
