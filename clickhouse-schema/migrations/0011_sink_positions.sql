-- How far these tables hold a stream of the log: one row per stream. The sink inserts it after the rows of a batch and
-- before it moves its position in the log's cluster, and compares the two: a ClickHouse that was restored from an older
-- backup, or emptied, is behind its position.
CREATE TABLE IF NOT EXISTS sink_positions
(
    -- FACTS or RECORDS.
    stream LowCardinality(String),
    -- When the stream was created, epoch milliseconds.
    stream_created UInt64,
    -- Every record of the stream up to this one has its rows here.
    sequence UInt64,
    written_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
    -- Creation, then sequence: the highest replaces the others.
    version UInt128 DEFAULT bitOr(bitShiftLeft(toUInt128(stream_created), 64), toUInt128(sequence))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY stream
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
