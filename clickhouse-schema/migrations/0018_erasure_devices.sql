-- The erased player's device, until the erasure is settled: scores name a device only. '' when it had none, and once settled.
ALTER TABLE erasures ADD COLUMN IF NOT EXISTS device_id String DEFAULT '';
