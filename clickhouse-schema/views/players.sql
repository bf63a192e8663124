CREATE OR REPLACE VIEW players AS
SELECT
    player_id AS id,
    player_id,
    game_id,
    environment,
    external_id,
    device_id,
    email,
    lifecycle_stage,
    lifecycle_changed_at,
    session_count,
    purchase_count,
    total_revenue,
    total_playtime_seconds,
    is_payer,
    country,
    platform,
    app_version,
    build,
    first_seen_at,
    last_seen_at,
    attributes,
    received_at,
    computed
FROM player_snapshots FINAL
WHERE kind = 'player';

-- Without e-mails, which readers of the embedded ClickHouse cannot see.
CREATE OR REPLACE VIEW live_players AS
SELECT * EXCEPT (environment, email)
FROM players
WHERE environment = 'live';

CREATE OR REPLACE VIEW players_by_stage AS
SELECT
    game_id,
    lifecycle_stage,
    count() AS players,
    countIf(is_payer) AS payers,
    sum(total_revenue) AS revenue
FROM players
WHERE environment = 'live' AND {{counted}}
GROUP BY game_id, lifecycle_stage;

-- One row per player and named computed property.
CREATE OR REPLACE VIEW player_properties AS
SELECT
    player_id,
    game_id,
    environment,
    external_id,
    property.1 AS key,
    property.2 AS value,
    toFloat64OrNull(property.2) AS number,
    received_at
FROM player_snapshots FINAL
ARRAY JOIN JSONExtractKeysAndValuesRaw(computed) AS property
WHERE kind = 'player';

CREATE OR REPLACE VIEW live_player_properties AS
SELECT * EXCEPT environment
FROM player_properties
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_lifecycle_transitions AS
SELECT * EXCEPT environment
FROM lifecycle_transitions
WHERE environment = 'live';

-- Changes between stages, by the day on which they fell due.
CREATE OR REPLACE VIEW stage_flows_daily AS
SELECT
    {{day changed_at}} AS day,
    game_id,
    from_stage,
    to_stage,
    count() AS transitions,
    uniqExact(player_id) AS players
FROM lifecycle_transitions
WHERE environment = 'live' AND {{counted}}
GROUP BY day, game_id, from_stage, to_stage;

CREATE OR REPLACE VIEW live_player_beginnings AS
SELECT * EXCEPT environment
FROM player_beginnings
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_test_players AS
SELECT * EXCEPT (environment, unmarked, version)
FROM test_players FINAL
WHERE environment = 'live';
