-- An insert writes the rows of a part alone; the first merge of such parts adds the projections (0014). A part of an
-- insert has 12 files instead of 42, and the few that are not merged yet are read without projections.
ALTER TABLE events MODIFY SETTING materialize_projections_on_insert = 0, materialize_projections_on_merge = 1;
