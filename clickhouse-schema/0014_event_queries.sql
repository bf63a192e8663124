-- Where the newest events of a player, or of a session, are: the keys of their rows in the order in which pages show them. So a page
-- reads a granule or two of each part, however many events the player has, and then each of its rows by the key.
-- `_part_offset` lets the engine find rows of a player for other statements too, as `by_player` (0001) did.
ALTER TABLE events ADD PROJECTION IF NOT EXISTS of_player
(
    SELECT game_id, environment, player_id, event_name, received_at, facts_sequence, facts_index, _part_offset
    ORDER BY player_id, received_at
);

ALTER TABLE events ADD PROJECTION IF NOT EXISTS of_session
(
    SELECT game_id, environment, session_id, player_id, event_name, received_at, facts_sequence, facts_index
    ORDER BY session_id, received_at
);

-- What is there already gets them in the background; until then it is searched without.
ALTER TABLE events MATERIALIZE PROJECTION of_player;

ALTER TABLE events MATERIALIZE PROJECTION of_session;

ALTER TABLE events DROP PROJECTION IF EXISTS by_player;
