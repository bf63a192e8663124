-- What each table and view holds of the live environment. Tables hold both, so a query that forgets the filter mixes them.
-- A migration that adds a column to one of them creates its view again.

CREATE OR REPLACE VIEW live_events AS
SELECT * EXCEPT environment
FROM events
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_sessions AS
SELECT * EXCEPT environment
FROM sessions
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_purchases AS
SELECT * EXCEPT environment
FROM purchases
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_lifecycle_transitions AS
SELECT * EXCEPT environment
FROM lifecycle_transitions
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_segment_transitions AS
SELECT * EXCEPT environment
FROM segment_transitions
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_segment_memberships AS
SELECT * EXCEPT environment
FROM segment_memberships
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_flag_exposures AS
SELECT * EXCEPT environment
FROM flag_exposures
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_flag_mixed_players AS
SELECT * EXCEPT environment
FROM flag_mixed_players
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_campaign_events AS
SELECT * EXCEPT environment
FROM campaign_events
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_identities AS
SELECT * EXCEPT environment
FROM identities
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_identified_events AS
SELECT * EXCEPT environment
FROM identified_events
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_quarantined_events AS
SELECT * EXCEPT environment
FROM quarantined_events
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_quarantine_releases AS
SELECT * EXCEPT environment
FROM quarantine_releases
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_webhook_deliveries AS
SELECT * EXCEPT environment
FROM webhook_deliveries
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_player_days AS
SELECT * EXCEPT environment
FROM player_days FINAL
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_webhook_disablings AS
SELECT * EXCEPT environment
FROM webhook_disablings FINAL
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_erasures AS
SELECT * EXCEPT environment
FROM erasures FINAL
WHERE environment = 'live';

-- Without e-mails, which readers of the embedded ClickHouse cannot see.
CREATE OR REPLACE VIEW live_players AS
SELECT * EXCEPT (environment, email)
FROM players
WHERE environment = 'live';

-- Scores that a test device id forced are tests too.
CREATE OR REPLACE VIEW live_scores AS
SELECT * EXCEPT (environment, forced)
FROM scores
WHERE environment = 'live' AND NOT forced;

CREATE OR REPLACE VIEW live_challenger_scores AS
SELECT * EXCEPT (environment, forced)
FROM challenger_scores
WHERE environment = 'live' AND NOT forced;
