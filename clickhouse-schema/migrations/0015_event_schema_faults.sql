-- What the schema of an event's name had against it, the first fault ('/level must be integer'), where the schema only observes or
-- warns; '' for nearly all. Whoever wants to enforce a schema asks here first what it would stop.
ALTER TABLE events ADD COLUMN IF NOT EXISTS schema_fault String DEFAULT '' CODEC(ZSTD(1)) AFTER country;
