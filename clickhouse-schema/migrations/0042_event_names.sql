-- The figures of each name, which the dictionary of events shows: a part holds one row a name, so that nobody reads all
-- events for them. Like the other projections (0014, 0021) the first merge adds it; a part without it is read as a whole.
-- A statement reads it only if it has the same expressions. `schema_fault != ''` would not do: the engine rewrites it in
-- statements, and not here.
ALTER TABLE events ADD PROJECTION IF NOT EXISTS of_name
(
    SELECT
        game_id,
        environment,
        event_name,
        count(),
        min(received_at),
        max(received_at),
        countIf(key_kind = 'client'),
        countIf(key_kind = 'server'),
        countIf(source = 'service'),
        countIf(source = 'import'),
        countIf(schema_fault > '')
    GROUP BY game_id, environment, event_name
);

-- What is there already gets it in the background.
ALTER TABLE events MATERIALIZE PROJECTION of_name;

CREATE OR REPLACE VIEW event_dictionary AS
SELECT
    game_id,
    environment,
    event_name,
    count() AS events,
    min(received_at) AS first_seen_at,
    max(received_at) AS last_seen_at,
    countIf(key_kind = 'client') AS from_client_keys,
    countIf(key_kind = 'server') AS from_server_keys,
    countIf(source = 'service') AS from_service,
    countIf(source = 'import') AS from_imports,
    countIf(schema_fault > '') AS with_schema_faults
FROM events
GROUP BY game_id, environment, event_name;
