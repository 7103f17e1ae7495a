-- Schema 4: several assessors. Who settled and who judged again, what somebody is asked to judge,
-- which events replaced which, and what other copies of the file have brought.
CREATE TABLE assessors_new(
  assessor_id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK(length(uuid) = 16),
  name TEXT NOT NULL UNIQUE,
  -- settled: outcomes of disagreements, and known answers. again: a person's second judgments.
  kind TEXT NOT NULL CHECK(kind IN ('human', 'model', 'import', 'settled', 'again')),
  person_id INTEGER REFERENCES assessors CHECK((kind = 'again') = (person_id IS NOT NULL)),
  hash INTEGER
) STRICT;
-- A checksum that fitted is made anew; one that did not goes on telling of it.
INSERT INTO assessors_new SELECT assessor_id, uuid, name, kind, NULL,
  CASE WHEN hash IS row_checksum(hex(uuid), CAST(name AS BLOB), CAST(kind AS BLOB))
    THEN NULL ELSE hash END
  FROM assessors;
DROP TABLE assessors;
ALTER TABLE assessors_new RENAME TO assessors;

-- The events of the same judgment that one replaced, as their uuids one after another, 16 bytes
-- each: those that no other had replaced until then. An undo or redo names the one by which
-- stood what it takes back. What no visible event names is said now.
ALTER TABLE events ADD COLUMN parents BLOB NOT NULL DEFAULT x'' CHECK(length(parents) % 16 = 0);
CREATE UNIQUE INDEX events_uuid ON events(uuid);
DROP TRIGGER events_keep_values;
-- In the order in which they came to count: an import when it became visible, unless something was
-- said while it was written. What never became visible replaced nothing.
UPDATE events SET parents = p.parents FROM (
  SELECT event_id, lag(uuid, 1, x'') OVER (
    PARTITION BY query_id, document_id, assessor_id ORDER BY place, event_id) AS parents
  FROM (SELECT e.*, CASE WHEN v.after_event > e.event_id AND coalesce((SELECT x.after_step
      FROM events x WHERE x.query_id = e.query_id AND x.document_id = e.document_id
      AND x.assessor_id = e.assessor_id AND x.event_id > e.event_id AND x.event_id <= v.after_event
      AND x.origin <> 'import' ORDER BY x.event_id DESC LIMIT 1), 0) < e.step_id
      THEN v.after_event ELSE e.event_id END AS place
    FROM events e JOIN steps s USING(step_id) LEFT JOIN step_events v
      ON e.origin = 'import' AND v.step_id = e.step_id AND v.change = 'published'
    WHERE s.state NOT IN ('pending', 'abandoned'))) p
WHERE p.event_id = events.event_id AND p.parents <> x'';
CREATE TRIGGER events_keep_values BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;

-- The same of the project's own values. Copies of a file give their lines the same uuids.
ALTER TABLE value_events ADD COLUMN uuid BLOB CHECK(length(uuid) = 16);
ALTER TABLE value_events ADD COLUMN parents BLOB NOT NULL DEFAULT x''
  CHECK(length(parents) % 16 = 0);
UPDATE value_events SET
  hash = CASE WHEN hash IS row_checksum(step_id, at, CAST(origin AS BLOB), CAST(key AS BLOB),
    CAST(before AS BLOB), CAST(after AS BLOB)) THEN NULL ELSE hash END,
  uuid = line_uuid((SELECT s.uuid FROM steps s WHERE s.step_id = value_events.step_id),
    value_event_id, at, CAST(origin AS BLOB), CAST(key AS BLOB));
UPDATE value_events SET parents = p.parents FROM (
  SELECT value_event_id, lag(uuid, 1, x'') OVER (PARTITION BY key ORDER BY value_event_id) AS parents
  FROM value_events) p
WHERE p.value_event_id = value_events.value_event_id AND p.parents <> x'';
CREATE UNIQUE INDEX value_events_uuid ON value_events(uuid);
CREATE INDEX value_events_key ON value_events(key, value_event_id);

-- What somebody is asked to judge (1), or no longer (0); the latest visible step says it. Whether
-- it has been judged the judgments tell.
CREATE TABLE asks(
  query_id INTEGER NOT NULL REFERENCES queries,
  document_id INTEGER NOT NULL REFERENCES documents,
  assessor_id INTEGER NOT NULL REFERENCES assessors,
  step_id INTEGER NOT NULL REFERENCES steps,
  is_open INTEGER NOT NULL CHECK(is_open IN (0, 1)),
  hash INTEGER,
  PRIMARY KEY(assessor_id, query_id, document_id, step_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX asks_step ON asks(step_id);

-- Steps of other copies, and the merges that brought them. One that no done merge brought is
-- 'abandoned': nothing of it is visible. Steps that are not here were made in this file.
CREATE TABLE arrivals(
  step_id INTEGER NOT NULL REFERENCES steps,
  merge_id INTEGER NOT NULL REFERENCES steps,
  PRIMARY KEY(step_id, merge_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX arrivals_merge ON arrivals(merge_id);

-- Judgments of which merged copies said different things; whether they still do the events tell.
CREATE TABLE conflicts(
  query_id INTEGER NOT NULL REFERENCES queries,
  document_id INTEGER NOT NULL REFERENCES documents,
  assessor_id INTEGER NOT NULL REFERENCES assessors,
  PRIMARY KEY(query_id, document_id, assessor_id)
) STRICT, WITHOUT ROWID;
