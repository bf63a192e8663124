-- What a session was played on, as far as known; '' in rows of older versions.
ALTER TABLE sessions
    ADD COLUMN IF NOT EXISTS platform LowCardinality(String) DEFAULT '' AFTER facts_created,
    ADD COLUMN IF NOT EXISTS app_version LowCardinality(String) DEFAULT '' AFTER platform;

-- Of the player's latest init.
ALTER TABLE player_snapshots
    ADD COLUMN IF NOT EXISTS platform LowCardinality(String) DEFAULT '' AFTER version,
    ADD COLUMN IF NOT EXISTS app_version LowCardinality(String) DEFAULT '' AFTER platform;

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
    received_at
FROM player_snapshots FINAL
WHERE kind = 'player';

ALTER TABLE player_days
    -- The last that a session of the day names; '' without one.
    ADD COLUMN IF NOT EXISTS platform LowCardinality(String) DEFAULT '' AFTER country,
    ADD COLUMN IF NOT EXISTS app_version LowCardinality(String) DEFAULT '' AFTER platform,
    -- The first and the last event, session or purchase of the day.
    ADD COLUMN IF NOT EXISTS first_at DateTime64(3, 'UTC') DEFAULT toDateTime64(day, 3, 'UTC') CODEC(ZSTD(1))
        AFTER app_version,
    ADD COLUMN IF NOT EXISTS last_at DateTime64(3, 'UTC') DEFAULT toDateTime64(day, 3, 'UTC') CODEC(ZSTD(1))
        AFTER first_at,
    -- What the player's first day says of itself: retention by country, platform and version, and in windows of 24 hours,
    -- reads them from the row of each day.
    ADD COLUMN IF NOT EXISTS cohort_at DateTime64(3, 'UTC') DEFAULT toDateTime64(cohort_day, 3, 'UTC') CODEC(ZSTD(1))
        AFTER cohort_day,
    ADD COLUMN IF NOT EXISTS cohort_country LowCardinality(String) DEFAULT '' AFTER cohort_at,
    ADD COLUMN IF NOT EXISTS cohort_platform LowCardinality(String) DEFAULT '' AFTER cohort_country,
    ADD COLUMN IF NOT EXISTS cohort_app_version LowCardinality(String) DEFAULT '' AFTER cohort_platform;

-- The builder makes all days anew, so that older ones get the new columns too.
TRUNCATE TABLE IF EXISTS player_days_builds;
