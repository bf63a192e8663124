CREATE OR REPLACE VIEW live_erasures AS
SELECT * EXCEPT environment
FROM erasures FINAL
WHERE environment = 'live';

-- Without people, addresses and contents, which readers of the embedded ClickHouse cannot see.
CREATE OR REPLACE VIEW live_audit_entries AS
SELECT * EXCEPT (environment, actor, network, before, after)
FROM audit_entries FINAL
WHERE environment = 'live';
