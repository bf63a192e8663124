CREATE OR REPLACE VIEW live_segment_transitions AS
SELECT * EXCEPT environment
FROM segment_transitions
WHERE environment = 'live';

CREATE OR REPLACE VIEW segment_memberships AS
SELECT
    game_id,
    environment,
    segment_id,
    segment_key,
    player_id,
    external_id,
    received_at AS entered_at,
    received_at
FROM segment_membership_states FINAL;

CREATE OR REPLACE VIEW live_segment_memberships AS
SELECT * EXCEPT environment
FROM segment_memberships
WHERE environment = 'live';

CREATE OR REPLACE VIEW segment_sizes AS
SELECT
    game_id,
    segment_id,
    argMax(segment_key, received_at) AS segment_key,
    count() AS players
FROM segment_memberships
WHERE environment = 'live' AND {{counted}}
GROUP BY game_id, segment_id;
