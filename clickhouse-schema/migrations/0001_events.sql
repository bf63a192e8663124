-- One row per accepted event. Duplicates are prevented by the writer, not cleaned up here: a plain MergeTree.
-- Partitioned by the server's clock: a device's clock may name any year.
-- `properties` and the columns of the player and its device are as they were when the event was decided. These columns
-- have few values, which ZSTD packs in half of the bytes of LZ4.
CREATE TABLE IF NOT EXISTS events
(
    event_id String CODEC(ZSTD(1)),
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    event_name LowCardinality(String),
    session_id Nullable(String) CODEC(ZSTD(1)),
    properties String CODEC(ZSTD(3)),
    timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    lifecycle_stage LowCardinality(String) CODEC(ZSTD(1)),
    is_payer Bool CODEC(ZSTD(1)),
    country LowCardinality(String) CODEC(ZSTD(1)),
    -- The device that the event names, else that of its open session, else that of the player's latest init. Of an
    -- imported event what the file says. '' if unknown.
    platform LowCardinality(String) CODEC(ZSTD(1)),
    app_version LowCardinality(String) CODEC(ZSTD(1)),
    build LowCardinality(String) CODEC(ZSTD(1)),
    -- The first fault against the event's schema ('/level must be integer') where the schema only observes or warns; ''
    -- for nearly all. It shows what an enforced schema would stop.
    schema_fault String CODEC(ZSTD(1)),
    -- 'service' for what the service makes of recorded sessions and purchases, 'import', or 'caller'.
    source LowCardinality(String) CODEC(ZSTD(1)),
    -- The kind of the API key: 'client' or 'server'; '' for events of the service and of imports.
    key_kind LowCardinality(String) CODEC(ZSTD(1)),
    -- Where the fact stands in the log: the record's sequence and the fact's place in the record.
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(T64, ZSTD(1)),
    -- The creation of the FACTS that holds an imported row, in epoch milliseconds; 0 for all other rows. `received_at`
    -- of an imported row is the time of what happened, so it does not tell whether the row is older than this FACTS.
    facts_created UInt64 CODEC(ZSTD(1)),
    -- When the block of rows was inserted, by ClickHouse's clock: `npm run cli -- trace` shows it.
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    -- What the view of currencies reads, extracted by the insert, so that no query reads the JSON again.
    currency LowCardinality(String)
        DEFAULT if(event_name IN ('currency_earned', 'currency_spent'), JSONExtractString(properties, 'currency'), ''),
    currency_amount Decimal(18, 4)
        DEFAULT if(
            event_name IN ('currency_earned', 'currency_spent'),
            toDecimal64OrZero(JSONExtractRaw(properties, 'amount'), 4),
            toDecimal64(0, 4))
        CODEC(ZSTD(1)),
    -- Values of the properties that the game's settings name, as `extracted-properties.ts` writes them; '' where the
    -- properties have to be read. Columns of their own: reading one costs a fifteenth of the JSON, and an empty one 0.003
    -- bytes an event. A map cost as much as a third of the JSON, and 1.6 bytes.
    extracted_1 LowCardinality(String) CODEC(ZSTD(1)),
    extracted_2 LowCardinality(String) CODEC(ZSTD(1)),
    extracted_3 LowCardinality(String) CODEC(ZSTD(1)),
    extracted_4 LowCardinality(String) CODEC(ZSTD(1)),
    extracted_5 LowCardinality(String) CODEC(ZSTD(1)),
    extracted_6 LowCardinality(String) CODEC(ZSTD(1)),
    extracted_7 LowCardinality(String) CODEC(ZSTD(1)),
    extracted_8 LowCardinality(String) CODEC(ZSTD(1)),
    -- The players that the row belonged to before, the latest last: each was merged into the next, and the last one into
    -- `player_id` (0015_player_merges.sql). Empty for nearly all.
    merged_from Array(UUID) CODEC(ZSTD(1)),
    -- When it happened, by which every figure counts. An alias costs nothing on disk, 2 bytes an event if it was stored.
    happened_at DateTime64(3, 'UTC') ALIAS {{happened_at timestamp}},
    -- The builder of player_days looks for rows behind a sequence.
    INDEX by_sequence facts_sequence TYPE minmax GRANULARITY 4,
    -- Where the newest events are, of all and of a player or a session: the keys of their rows in the order in which
    -- pages show them. A page reads a granule or two of each part, and then each of its rows by the key. A full copy by
    -- player would answer faster (8 ms instead of 23 ms at 3 million rows), but doubles the time of inserts and takes
    -- 2.6 times the disk.
    --
    -- For a statement without a condition on its key the engine reads a projection only if that has fewer granules than
    -- the table: with as many rows in each, chance decided. So two of them have larger ones.
    PROJECTION of_time
    (
        SELECT game_id, environment, event_name, received_at, facts_sequence, facts_index
        ORDER BY game_id, environment, received_at, facts_sequence, facts_index
    ) WITH SETTINGS (index_granularity = 2048),
    -- `_part_offset` lets the engine find the rows of a player for other statements too. Paths read all of it, with
    -- `timestamp`: 1 to 3 bytes an event, for three fifths of the time that the table takes.
    PROJECTION of_player
    (
        SELECT
            game_id,
            environment,
            player_id,
            event_name,
            timestamp,
            received_at,
            facts_sequence,
            facts_index,
            _part_offset
        ORDER BY player_id, received_at, facts_sequence, facts_index
    ) WITH SETTINGS (index_granularity = 2048),
    -- A page of a session reads all its rows. Events without a session are in the order of players: in that of time
    -- their players would take 16 bytes an event.
    PROJECTION of_session
    (
        SELECT game_id, environment, session_id, player_id, event_name, received_at, facts_sequence, facts_index
        ORDER BY session_id, player_id, received_at, facts_sequence, facts_index
    ),
    -- The figures of each name, which event_dictionary shows: a part holds one row a name. A statement reads it only if
    -- it has the same expressions. `schema_fault != ''` would not do: the engine rewrites it in statements, and not
    -- here.
    PROJECTION of_name
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
    )
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
-- To the last column the order of pages, else the engine reads on to sort rows that are equal so far.
ORDER BY (game_id, environment, event_name, received_at, facts_sequence, facts_index)
-- Small granules: a page is a few rows from all over the table, and the engine reads whole granules. An insert writes
-- the rows of a part alone, in 12 files instead of 42; the first merge adds the projections, and until then the engine
-- reads the part without them. Columns of projections have the default codec, LZ4 unless it is named: with ZSTD they
-- take half of the bytes.
SETTINGS index_granularity = 1024, default_compression_codec = 'ZSTD(3)', non_replicated_deduplication_window = 1000,
    fsync_after_insert = 1, fsync_part_directory = 1,
    materialize_projections_on_insert = 0, materialize_projections_on_merge = 1;

-- One row per event that broke an enforced schema. Ordered as they are listed and replayed: by time, and by place in
-- the log within a millisecond. A plain MergeTree: duplicates are prevented by the writer.
CREATE TABLE IF NOT EXISTS quarantined_events
(
    event_id String CODEC(ZSTD(1)),
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    external_id String CODEC(ZSTD(1)),
    event_name LowCardinality(String),
    session_id Nullable(String) CODEC(ZSTD(1)),
    properties String CODEC(ZSTD(3)),
    timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    -- Counts the quarantined events of the player, from 1: each is released once by it. A merge keeps the guest's.
    quarantine_number UInt64 CODEC(ZSTD(1)),
    schema_version UInt32 CODEC(ZSTD(1)),
    -- The first few faults against the schema: [{"path": "/level", "message": "must be integer"}].
    reason String CODEC(ZSTD(1)),
    key_kind LowCardinality(String),
    -- Further players that the event names, by their ids: a broken message may be kept under another player, and the
    -- erasure of each that it names deletes it.
    named Array(String) CODEC(ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1)),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    -- As in events.
    merged_from Array(UUID) CODEC(ZSTD(1)),
    INDEX by_name event_name TYPE set(64),
    INDEX by_player player_id TYPE bloom_filter,
    INDEX by_event event_id TYPE bloom_filter
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, received_at, facts_sequence, facts_index)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- One row per quarantined event that was tracked after all; the event itself stands in `events`, under its own id and
-- with the time of its release as `received_at`. Ordered by when it was quarantined, because both tables are joined by
-- that.
CREATE TABLE IF NOT EXISTS quarantine_releases
(
    game_id LowCardinality(String),
    environment LowCardinality(String),
    player_id UUID CODEC(ZSTD(1)),
    event_id String CODEC(ZSTD(1)),
    event_name LowCardinality(String),
    quarantine_number UInt64 CODEC(ZSTD(1)),
    -- The player as whom it was quarantined: a merge and its take-back leave it, so it names the event with its number.
    quarantined_as UUID CODEC(ZSTD(1)),
    quarantined_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    facts_sequence UInt64 CODEC(Delta, ZSTD(1)),
    facts_index UInt32 CODEC(Delta, ZSTD(1)),
    -- As in events.
    merged_from Array(UUID) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (game_id, environment, quarantined_at, quarantined_as, quarantine_number)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;
