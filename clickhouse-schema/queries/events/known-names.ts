import { EVENT_QUERY_LIMITS } from './limits.ts';

/** Which names are wanted: of events, of attributes of players, or of properties of one event. */
export interface KnownNamesQuery {
  game: string;
  environment: string;
  of: { kind: 'events' } | { kind: 'attributes' } | { kind: 'properties'; eventName: string };
}

/**
 * The names that occur. Names of events are read along the primary key; those of attributes and properties from a
 * sample, the properties from the newest events.
 */
export function knownNamesQuery({ game, environment, of }: KnownNamesQuery): {
  sql: string;
  parameters: Record<string, unknown>;
} {
  const parameters = { game, environment, rows: EVENT_QUERY_LIMITS.namesSampled, most: EVENT_QUERY_LIMITS.namesKnown };
  switch (of.kind) {
    case 'events':
      return { sql: `SELECT DISTINCT event_name AS name FROM events WHERE ${SCOPE} ${MOST}`, parameters };
    case 'attributes':
      return {
        sql: `SELECT DISTINCT arrayJoin(JSONExtractKeys(attributes)) AS name
          FROM (SELECT attributes FROM player_snapshots WHERE ${SCOPE} AND kind = 'player' LIMIT {rows:UInt32}) ${MOST}`,
        parameters,
      };
    case 'properties':
      return {
        sql: `SELECT DISTINCT arrayJoin(JSONExtractKeys(properties)) AS name
          FROM (SELECT properties FROM events WHERE ${SCOPE} AND event_name = {event:String}
            ORDER BY received_at DESC LIMIT {rows:UInt32}) ${MOST}`,
        parameters: { ...parameters, event: of.eventName },
      };
  }
}

const SCOPE = 'game_id = {game:String} AND environment = {environment:String}';
const MOST = 'LIMIT {most:UInt32}';
