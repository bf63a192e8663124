-- Further players that a quarantined event names, by their ids: a broken message may be kept under another player, and the
-- erasure of each that it names deletes it.
ALTER TABLE quarantined_events ADD COLUMN IF NOT EXISTS named Array(String) DEFAULT [] CODEC(ZSTD(1)) AFTER key_kind;

CREATE OR REPLACE VIEW live_quarantined_events AS
SELECT * EXCEPT (environment)
FROM quarantined_events
WHERE environment = 'live';
