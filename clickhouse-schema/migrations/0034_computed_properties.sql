-- The named computed properties of a player as of the snapshot, as JSON by their key. Rows of older versions have none.
ALTER TABLE player_snapshots ADD COLUMN IF NOT EXISTS computed String DEFAULT '{}' CODEC(ZSTD(3));

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
    first_seen_at,
    last_seen_at,
    attributes,
    received_at,
    computed
FROM player_snapshots FINAL
WHERE kind = 'player';

-- One row per player and named computed property.
CREATE VIEW IF NOT EXISTS player_properties AS
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
