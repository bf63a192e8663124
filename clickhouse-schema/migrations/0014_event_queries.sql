-- Where the newest events are, of all and of a player or a session: the keys of their rows in the order in which pages show them. So
-- a page reads a granule or two of each part, however much there is, and then each of its rows by the key.
ALTER TABLE events ADD PROJECTION IF NOT EXISTS of_time
(
    SELECT game_id, environment, event_name, received_at, facts_sequence, facts_index
    ORDER BY game_id, environment, received_at, facts_sequence, facts_index
);

-- `_part_offset` lets the engine find rows of a player for other statements too, as `by_player` (0001) did.
ALTER TABLE events ADD PROJECTION IF NOT EXISTS of_player
(
    SELECT game_id, environment, player_id, event_name, received_at, facts_sequence, facts_index, _part_offset
    ORDER BY player_id, received_at, facts_sequence, facts_index
);

ALTER TABLE events ADD PROJECTION IF NOT EXISTS of_session
(
    SELECT game_id, environment, session_id, player_id, event_name, received_at, facts_sequence, facts_index
    ORDER BY session_id, received_at, facts_sequence, facts_index
);

-- What is there already gets them in the background; until then it is searched without.
ALTER TABLE events MATERIALIZE PROJECTION of_time;

ALTER TABLE events MATERIALIZE PROJECTION of_player;

ALTER TABLE events MATERIALIZE PROJECTION of_session;

ALTER TABLE events DROP PROJECTION IF EXISTS by_player;
