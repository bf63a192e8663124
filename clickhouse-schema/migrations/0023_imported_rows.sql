-- The creation of the FACTS that holds an imported row, in epoch milliseconds; 0 for all other rows. `received_at` of an imported
-- row is the time of what happened, so it does not tell whether the row is older than this FACTS.
ALTER TABLE events ADD COLUMN IF NOT EXISTS facts_created UInt64 DEFAULT 0 CODEC(ZSTD(1)) AFTER facts_index;

ALTER TABLE sessions ADD COLUMN IF NOT EXISTS facts_created UInt64 DEFAULT 0 CODEC(ZSTD(1)) AFTER facts_index;

ALTER TABLE purchases ADD COLUMN IF NOT EXISTS facts_created UInt64 DEFAULT 0 CODEC(ZSTD(1)) AFTER facts_index;
