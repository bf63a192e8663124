-- The player that each anonymous player of Segment's clients became: the first one that an identify or alias names. It
-- is stored in these events only, so that a player's erasure removes it. Only events of callers count.
CREATE OR REPLACE VIEW identities AS
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

CREATE OR REPLACE VIEW live_identities AS
SELECT * EXCEPT environment
FROM identities
WHERE environment = 'live';

-- Every event once, with its player: for events of an anonymous player the one that it became.
CREATE OR REPLACE VIEW identified_events AS
SELECT
    events.*,
    events.happened_at AS happened_at,
    if(identities.anonymous_external_id = '', events.player_id, identities.identified_player_id) AS identified_player_id,
    if(identities.anonymous_external_id = '', events.external_id, identities.identified_external_id)
        AS identified_external_id
FROM events
LEFT ANY JOIN identities
    ON identities.game_id = events.game_id
    AND identities.environment = events.environment
    AND identities.anonymous_external_id = events.external_id;

CREATE OR REPLACE VIEW live_identified_events AS
SELECT * EXCEPT environment
FROM identified_events
WHERE environment = 'live';
