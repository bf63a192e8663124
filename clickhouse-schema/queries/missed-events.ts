/** Events of one reader of the stream that FACTS holds no more. Every one of them has its row: FACTS is trimmed behind the sink. */
export interface MissedEventsQuery {
  game: string;
  environment: string;
  /** All when empty. */
  eventNames: readonly string[];
  /** A UUID. */
  playerId?: string;
  /** Epoch milliseconds: what was received before is of an earlier log, whose places mean something else. */
  receivedFromMs: number;
  /** The first place in FACTS. */
  from: { sequence: number; index: number };
  /** The first record that does not count. */
  beforeSequence: number;
}

/** The statement that counts them, in a row `{missed}`. */
export function missedEventsQuery(query: MissedEventsQuery): { sql: string; parameters: Record<string, unknown> } {
  const { game, environment, eventNames, playerId, receivedFromMs, from, beforeSequence } = query;
  const filters = [
    ...(eventNames.length === 0 ? [] : ['AND event_name IN {names:Array(String)}']),
    ...(playerId === undefined ? [] : ['AND player_id = {player:UUID}']),
  ];
  return {
    sql: `${MISSED_EVENTS} ${filters.join(' ')}`,
    parameters: {
      game,
      environment,
      received: receivedFromMs,
      sequence: from.sequence,
      index: from.index,
      before: beforeSequence,
      ...(eventNames.length === 0 ? {} : { names: eventNames }),
      ...(playerId === undefined ? {} : { player: playerId }),
    },
  };
}

const MISSED_EVENTS = `
SELECT count() AS missed
FROM events
WHERE game_id = {game:String} AND environment = {environment:String}
  AND received_at >= fromUnixTimestamp64Milli({received:Int64})
  AND facts_sequence >= {sequence:UInt64} AND facts_sequence < {before:UInt64}
  AND (facts_sequence > {sequence:UInt64} OR facts_index >= {index:UInt32})`;
