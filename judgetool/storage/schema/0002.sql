-- Schema 2: how sure an assessor was, what in the text led to it, pictures of documents.
ALTER TABLE judgments ADD COLUMN confidence INTEGER
  CHECK(confidence IS NULL OR confidence BETWEEN 1 AND 3);
ALTER TABLE judgments ADD COLUMN spans TEXT NOT NULL DEFAULT '[]' CHECK(json_valid(spans));
ALTER TABLE staged_judgments ADD COLUMN confidence INTEGER;
ALTER TABLE staged_judgments ADD COLUMN spans TEXT NOT NULL DEFAULT '[]';
-- When an import says that its judgments were made; NULL is the time of the import.
ALTER TABLE staged_judgments ADD COLUMN at INTEGER;

-- Where the picture is, relative to the folder that the import was given; '' for none.
ALTER TABLE document_texts ADD COLUMN image TEXT NOT NULL DEFAULT '';

-- The history, the statistics and 'as of' ask for events by judgment and by time.
CREATE INDEX events_key ON events(query_id, document_id, assessor_id, event_id);

-- When an import became visible, and when steps were undone and redone; after_event is the
-- last line of events at that moment, so that the judgments of any moment can be told.
CREATE TABLE step_events(
  step_event_id INTEGER PRIMARY KEY AUTOINCREMENT,
  step_id INTEGER NOT NULL REFERENCES steps,
  at INTEGER NOT NULL,
  change TEXT NOT NULL CHECK(change IN ('published', 'undone', 'redone')),
  after_event INTEGER NOT NULL
) STRICT;
CREATE INDEX step_events_step ON step_events(step_id);
-- What schema 1 tells of it: an import was visible at the latest after its own last line.
INSERT INTO step_events(step_id, at, change, after_event)
  SELECT step_id, s.at, 'published', coalesce((SELECT max(event_id) FROM events e
    WHERE e.step_id = s.step_id AND e.origin = 'import'), 0)
  FROM steps s WHERE kind = 'import' AND state IN ('done', 'undone', 'dropped') ORDER BY step_id;
INSERT INTO step_events(step_id, at, change, after_event)
  SELECT step_id, at, CASE origin WHEN 'undo' THEN 'undone' ELSE 'redone' END, max(event_id)
  FROM events WHERE origin IN ('undo', 'redo') GROUP BY step_id, at, origin ORDER BY max(event_id);
