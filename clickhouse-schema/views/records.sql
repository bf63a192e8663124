-- The notes of a game as they are now. `at` of a note on a day is its first moment.
CREATE OR REPLACE VIEW annotations AS
SELECT game_id, environment, annotation_id,
    if(day_text != '', toDateOrZero(day_text), {{day assumeNotNull(moment)}}) AS day,
    if(day_text != '', {{start toDateOrZero(day_text)}}, assumeNotNull(moment)) AS at,
    text, link_kind, link_key, version, received_at
FROM (SELECT * EXCEPT day, day AS day_text FROM annotation_rows FINAL)
WHERE removed = 0;

CREATE OR REPLACE VIEW live_annotations AS
SELECT * EXCEPT environment
FROM annotations
WHERE environment = 'live';

CREATE OR REPLACE VIEW live_erasures AS
SELECT * EXCEPT environment
FROM erasures FINAL
WHERE environment = 'live';

-- Without people, addresses and contents, which readers of the embedded ClickHouse cannot see.
CREATE OR REPLACE VIEW live_audit_entries AS
SELECT * EXCEPT (environment, actor, network, before, after)
FROM audit_entries FINAL
WHERE environment = 'live';

-- Changes of a game's settings belong to both environments.
CREATE OR REPLACE VIEW live_definition_changes AS
SELECT * EXCEPT (environment, actor, written)
FROM definition_changes FINAL
WHERE environment IN ('live', '_') AND outcome != 'refused';
