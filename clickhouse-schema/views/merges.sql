-- The guests whose merge holds, each with the account that it was merged into: the newest merge or take-back of each guest
-- says so. An account may have been merged on.
CREATE OR REPLACE VIEW merged_players AS
SELECT
    game_id,
    environment,
    player_id,
    newest.1 AS external_id,
    newest.2 AS into_player_id,
    newest.3 AS into_external_id,
    newest.4 AS merge_id,
    newest.5 AS merged_at,
    newest.6 AS received_at,
    newest.7 > 0 AS is_moved
FROM
(
    SELECT
        game_id,
        environment,
        player_id,
        argMax(
            (external_id, into_player_id, into_external_id, merge_id, merged_at, received_at, step, undone),
            (facts_created, facts_sequence, facts_index)) AS newest
    FROM player_merges FINAL
    GROUP BY game_id, environment, player_id
)
WHERE newest.8 = 0;

CREATE OR REPLACE VIEW live_merged_players AS
SELECT * EXCEPT environment
FROM merged_players
WHERE environment = 'live';
