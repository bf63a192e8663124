-- `live_…` views hold what a table holds of the live environment. Tables hold both environments, so a query without the
-- filter mixes them. Views for dashboards hold live data only.
CREATE OR REPLACE VIEW live_events AS
SELECT * EXCEPT environment, happened_at
FROM events
WHERE environment = 'live';

CREATE OR REPLACE VIEW event_counts_daily AS
SELECT
    {{day happened_at}} AS day,
    game_id,
    event_name,
    count() AS events,
    uniqExact(player_id) AS players
FROM events
WHERE environment = 'live' AND {{counted}}
GROUP BY day, game_id, event_name;

-- Names of events: how many there are, since when and until when, and who sent them. The expressions are those of the
-- projection `of_name`, else the engine reads the whole table.
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

CREATE OR REPLACE VIEW live_event_dictionary AS
SELECT * EXCEPT environment
FROM event_dictionary
WHERE environment = 'live';

-- Properties of one event, in its newest rows. Nothing is stored, so values of an erased player are gone with its rows;
-- players whose erasure is pending are left out. Parameters: game, environment, event, and newest, how many rows to
-- read. Examples are whole values of at most 64 characters that are neither object nor list.
CREATE OR REPLACE VIEW event_properties AS
SELECT
    property,
    count() AS events,
    round(events / any(rows_read), 4) AS share,
    arraySort(groupUniqArray(8)(type)) AS types,
    groupUniqArrayIf(3)(value, length(value) <= 64 AND type NOT IN ('object', 'list', 'null')) AS examples,
    max(received_at) AS last_seen_at
FROM
(
    SELECT
        received_at,
        rows_read,
        arrayJoin(JSONExtractKeysAndValuesRaw(properties)) AS pair,
        pair.1 AS property,
        pair.2 AS value,
        transform(
            toString(JSONType(concat('[', value, ']'), 1)),
            ['Int64', 'UInt64', 'Double', 'String', 'Bool', 'Object', 'Array', 'Null'],
            ['integer', 'integer', 'number', 'text', 'boolean', 'object', 'list', 'null'],
            'unknown') AS type
    FROM
    (
        SELECT received_at, properties, count() OVER () AS rows_read
        FROM
        (
            SELECT received_at, properties
            FROM events
            WHERE game_id = {game: String} AND environment = {environment: String} AND event_name = {event: String}
                AND player_id NOT IN
                (
                    SELECT player_id FROM erasures FINAL
                    WHERE game_id = {game: String} AND environment = {environment: String} AND step < 2
                )
            ORDER BY received_at DESC
            LIMIT {newest: UInt32}
        )
    )
)
GROUP BY property
ORDER BY events DESC, property
LIMIT 200;

CREATE OR REPLACE VIEW live_quarantined_events AS
SELECT * EXCEPT (environment)
FROM quarantined_events
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_quarantine_releases AS
SELECT * EXCEPT environment
FROM quarantine_releases
WHERE environment = 'live';
