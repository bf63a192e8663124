-- One row per answered score; `challenger_scores` holds the scores of a challenger model for the same installs. Plain
-- MergeTrees: duplicates are prevented by the writer. Ordered as queries ask, by day, and within a day by device.
-- Scores of test keys have another `environment`, those of reserved device ids are `forced`: every view leaves both
-- out.
CREATE TABLE IF NOT EXISTS scores
(
    -- A UUIDv7 of the scoring process.
    record_id UUID CODEC(ZSTD(1)),
    game_id LowCardinality(String),
    tenant LowCardinality(String),
    environment LowCardinality(String),
    device_id String CODEC(ZSTD(1)),
    -- The inputs of the model, which reads them as float32.
    loot_distinct_types Int64 CODEC(ZSTD(1)),
    sess_duration_total Float64 CODEC(ZSTD(1)),
    match_avg_fight_time Float64 CODEC(ZSTD(1)),
    match_wins Int64 CODEC(ZSTD(1)),
    install_hour UInt8 CODEC(ZSTD(1)),
    vpay_count Int64 CODEC(ZSTD(1)),
    -- As answered: a float32, widened.
    score Float64 CODEC(ZSTD(1)),
    bucket LowCardinality(String),
    model_version LowCardinality(String),
    forced Bool,
    scored_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    -- When the record became durable.
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    records_sequence UInt64 CODEC(Delta, ZSTD(1)),
    records_index UInt32 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, toDate(scored_at), device_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS challenger_scores AS scores;

-- The distribution of each input of a model, and of its score, over the installs it was evaluated on: the reference for
-- drift. Share i is of values `edges[i - 1] < value <= edges[i]`, the last one of those above the last edge. Each
-- process that loads a model writes its rows: the newest row counts.
CREATE TABLE IF NOT EXISTS model_references
(
    model_version LowCardinality(String),
    -- A feature's name, or 'score'.
    measure LowCardinality(String),
    edges Array(Float64),
    shares Array(Float64),
    received_at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(received_at)
ORDER BY (model_version, measure)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
