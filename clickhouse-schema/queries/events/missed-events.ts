/**
 * The events for one reader of the stream that are no longer in FACTS. Each has a row in ClickHouse, because FACTS is
 * trimmed only behind the sink.
 */
export interface MissedEventsQuery {
  game: string;
  environment: string;
  /** Empty: all events. */
  eventNames: readonly string[];
  /** A UUID. */
  playerId?: string;
  /** Epoch milliseconds: earlier events belong to a previous log with other positions. */
  receivedFromMs: number;
  /** The first position in FACTS. */
  from: { sequence: number; index: number };
  /** The first record that does not count. */
  beforeSequence: number;
}

/** The statement that counts them; its result is one row `{missed}`. */
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
