-- When a block of rows was inserted, by ClickHouse's clock: `npm run cli -- trace` shows it. Rows of one insert share it. It
-- is 1970 in rows from before there was the column. These get that value in three steps: with the last default alone
-- they would show the time of the reading.
ALTER TABLE events ADD COLUMN IF NOT EXISTS inserted_at DateTime64(3, 'UTC') DEFAULT toDateTime64(0, 3, 'UTC') CODEC(Delta, ZSTD(1)) AFTER facts_created;

ALTER TABLE events MODIFY COLUMN inserted_at DEFAULT toDateTime64(0, 3, 'UTC');

ALTER TABLE events MATERIALIZE COLUMN inserted_at SETTINGS mutations_sync = 1;

ALTER TABLE events MODIFY COLUMN inserted_at DEFAULT now64(3, 'UTC');

ALTER TABLE quarantined_events ADD COLUMN IF NOT EXISTS inserted_at DateTime64(3, 'UTC') DEFAULT toDateTime64(0, 3, 'UTC') CODEC(Delta, ZSTD(1)) AFTER facts_index;

ALTER TABLE quarantined_events MODIFY COLUMN inserted_at DEFAULT toDateTime64(0, 3, 'UTC');

ALTER TABLE quarantined_events MATERIALIZE COLUMN inserted_at SETTINGS mutations_sync = 1;

ALTER TABLE quarantined_events MODIFY COLUMN inserted_at DEFAULT now64(3, 'UTC');
