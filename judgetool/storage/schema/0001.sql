-- Schema 1. Times are milliseconds since 1970 in UTC. JSON is text.
CREATE TABLE meta(
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE assessors(
  assessor_id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK(length(uuid) = 16),
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK(kind IN ('human', 'model', 'import'))
) STRICT;

-- One change that a person asked for: undone and redone as a whole.
-- pending: being written, not yet visible. dropped: undone, and no longer to be redone.
-- abandoned: an import that was cancelled or killed; nothing of it was ever visible.
CREATE TABLE steps(
  step_id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid BLOB NOT NULL UNIQUE CHECK(length(uuid) = 16),
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  assessor_id INTEGER REFERENCES assessors,
  at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('pending', 'done', 'undone', 'dropped', 'abandoned')),
  detail TEXT NOT NULL DEFAULT '{}' CHECK(json_valid(detail))
) STRICT;
CREATE INDEX steps_not_done ON steps(state, step_id) WHERE state <> 'done';

CREATE TABLE project_values(
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL CHECK(json_valid(value))
) STRICT, WITHOUT ROWID;

CREATE TABLE value_events(
  value_event_id INTEGER PRIMARY KEY AUTOINCREMENT,
  step_id INTEGER NOT NULL REFERENCES steps,
  at INTEGER NOT NULL,
  origin TEXT NOT NULL,
  key TEXT NOT NULL,
  before TEXT CHECK(before IS NULL OR json_valid(before)),
  after TEXT CHECK(after IS NULL OR json_valid(after))
) STRICT;
CREATE INDEX value_events_step ON value_events(step_id);

-- Ids are never removed; what is seen of them hangs on the step that brought it.
CREATE TABLE queries(
  query_id INTEGER PRIMARY KEY,
  external_id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE query_texts(
  query_id INTEGER NOT NULL REFERENCES queries,
  step_id INTEGER NOT NULL REFERENCES steps,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  description TEXT NOT NULL,
  narrative TEXT NOT NULL,
  weight REAL NOT NULL CHECK(weight > 0),
  category TEXT NOT NULL,
  fields TEXT NOT NULL CHECK(json_valid(fields)),
  PRIMARY KEY(query_id, step_id)
) STRICT;

CREATE TABLE documents(
  document_id INTEGER PRIMARY KEY,
  external_id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE document_texts(
  document_id INTEGER NOT NULL REFERENCES documents,
  step_id INTEGER NOT NULL REFERENCES steps,
  title TEXT NOT NULL,
  url TEXT NOT NULL,
  body TEXT NOT NULL,
  fields TEXT NOT NULL CHECK(json_valid(fields)),
  PRIMARY KEY(document_id, step_id)
) STRICT;

CREATE TABLE runs(
  run_id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK(length(uuid) = 16),
  step_id INTEGER NOT NULL REFERENCES steps,
  name TEXT NOT NULL,
  source TEXT NOT NULL
) STRICT;
CREATE INDEX runs_step ON runs(step_id);

-- docs: little-endian int32 document_id in rank order; scores: float64 or absent.
CREATE TABLE rankings(
  run_id INTEGER NOT NULL REFERENCES runs,
  query_id INTEGER NOT NULL REFERENCES queries,
  n INTEGER NOT NULL,
  docs BLOB NOT NULL CHECK(length(docs) = 4 * n),
  scores BLOB CHECK(scores IS NULL OR length(scores) = 8 * n),
  PRIMARY KEY(run_id, query_id)
) STRICT;

-- The present state, one row for each (query, document, assessor) of whom something is said.
-- step_id is the step that said it: undoing a later one brings the earlier number back.
CREATE TABLE judgments(
  query_id INTEGER NOT NULL REFERENCES queries,
  document_id INTEGER NOT NULL REFERENCES documents,
  assessor_id INTEGER NOT NULL REFERENCES assessors,
  state TEXT NOT NULL CHECK(state IN ('unjudged', 'judged', 'skipped', 'cannot_judge')),
  grade REAL,
  note TEXT NOT NULL,
  flagged INTEGER NOT NULL CHECK(flagged IN (0, 1)),
  step_id INTEGER NOT NULL REFERENCES steps,
  at INTEGER NOT NULL,
  PRIMARY KEY(query_id, document_id, assessor_id),
  CHECK((state = 'judged') = (grade IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Append-only: what changed, from what to what, who, when, how, what was on the screen.
CREATE TABLE events(
  event_id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid BLOB NOT NULL CHECK(length(uuid) = 16),
  step_id INTEGER NOT NULL REFERENCES steps,
  at INTEGER NOT NULL,
  query_id INTEGER NOT NULL REFERENCES queries,
  document_id INTEGER NOT NULL REFERENCES documents,
  assessor_id INTEGER NOT NULL REFERENCES assessors,
  origin TEXT NOT NULL,
  before TEXT CHECK(before IS NULL OR json_valid(before)),
  before_step INTEGER,
  after TEXT CHECK(after IS NULL OR json_valid(after)),
  after_step INTEGER,
  spent_ms INTEGER,
  shown TEXT CHECK(shown IS NULL OR json_valid(shown)),
  row_hash BLOB NOT NULL
) STRICT;
CREATE INDEX events_step ON events(step_id);
CREATE TRIGGER events_keep_rows BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;
CREATE TRIGGER events_keep_values BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;

-- Judgments of an import wait here until its last transaction makes them visible.
CREATE TABLE staged_judgments(
  step_id INTEGER NOT NULL REFERENCES steps,
  query_id INTEGER NOT NULL,
  document_id INTEGER NOT NULL,
  assessor_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  grade REAL,
  note TEXT NOT NULL,
  flagged INTEGER NOT NULL,
  PRIMARY KEY(step_id, query_id, document_id, assessor_id)
) STRICT, WITHOUT ROWID;
