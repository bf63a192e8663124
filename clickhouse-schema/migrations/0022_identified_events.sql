-- Which player an anonymous player of Segment's clients became: the first one that an identify or alias names. The events
-- are the only record of it, so that a player's erasure removes it. Only events of callers count.
CREATE VIEW IF NOT EXISTS identities AS
SELECT
    game_id,
    environment,
    JSONExtractString(properties, 'anonymous_external_id') AS anonymous_external_id,
    argMin(player_id, (received_at, event_id)) AS identified_player_id,
    argMin(external_id, (received_at, event_id)) AS identified_external_id,
    min(received_at) AS identified_at
FROM events
WHERE event_name IN ('identify', 'alias')
    AND source = 'caller'
    AND startsWith(JSONExtractString(properties, 'anonymous_external_id'), 'anonymous:')
GROUP BY game_id, environment, anonymous_external_id;

-- Every event once, with the player that it belongs to: for events of an anonymous player the one that it became.
CREATE VIEW IF NOT EXISTS identified_events AS
SELECT
    events.*,
    if(identities.anonymous_external_id = '', events.player_id, identities.identified_player_id) AS identified_player_id,
    if(identities.anonymous_external_id = '', events.external_id, identities.identified_external_id)
        AS identified_external_id
FROM events
LEFT ANY JOIN identities
    ON identities.game_id = events.game_id
    AND identities.environment = events.environment
    AND identities.anonymous_external_id = events.external_id;
