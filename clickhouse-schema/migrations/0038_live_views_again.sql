-- The live views of tables that got columns after 0030.
CREATE OR REPLACE VIEW live_events AS
SELECT * EXCEPT environment
FROM events
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_quarantined_events AS
SELECT * EXCEPT environment
FROM quarantined_events
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_players AS
SELECT * EXCEPT (environment, email)
FROM players
WHERE environment = 'live';

-- And of a view that is newer.
CREATE OR REPLACE VIEW live_player_properties AS
SELECT * EXCEPT environment
FROM player_properties
WHERE environment = 'live';
